"""`cairn service`."""
