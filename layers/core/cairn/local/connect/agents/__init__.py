"""Each agent that Cairn can be made the memory of, a file each."""
