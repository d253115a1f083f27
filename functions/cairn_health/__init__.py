"""Whether Cairn can answer, for whoever watches it."""
