"""Store a session's items under its lease."""
