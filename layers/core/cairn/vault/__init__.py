"""Encrypt contents before they reach any store."""
