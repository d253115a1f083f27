"""`cairn serve` and `cairn stdio`."""
