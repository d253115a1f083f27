"""The `cairn` command for one machine."""
