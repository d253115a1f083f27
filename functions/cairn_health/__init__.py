"""Report whether Cairn can answer."""
