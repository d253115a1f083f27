"""Cairn: memory for AI agents, in the user's own account."""

__version__ = "0.1.0"
