"""One session's items, under its lease."""
