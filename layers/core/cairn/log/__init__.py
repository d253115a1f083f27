"""Keep the append-only memory log and its segments."""
