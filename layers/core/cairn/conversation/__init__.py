"""The parts of a conversation: items, events, turns and their highlights."""
