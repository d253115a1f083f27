"""`cairn invoke`."""
