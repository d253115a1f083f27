"""Branches of projects and sessions: made, listed, merged and dropped."""
