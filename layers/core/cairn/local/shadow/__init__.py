"""`cairn shadow`: compare Cairn with the memory that a client keeps itself."""
