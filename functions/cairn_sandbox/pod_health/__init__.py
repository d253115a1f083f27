"""Diagnose pods from their status and from the warnings about them."""
