"""Maintain sessions: compact, archive, expire, erase."""
