"""Analyse texts: terms, dates, persons, word pieces."""
