"""`cairn deploy --emulator`."""
