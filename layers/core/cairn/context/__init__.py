"""Choose what an agent is given of its memory, and write it down."""
