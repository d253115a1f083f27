"""Whole sessions, kept."""
