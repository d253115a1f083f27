"""The `cairn` command, for one machine and for operators."""
