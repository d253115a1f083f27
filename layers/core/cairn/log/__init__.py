"""The append-only memory log and its segments."""
