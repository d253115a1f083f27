"""`cairn demo`."""
