"""The commands of `cairn`, a file each."""
