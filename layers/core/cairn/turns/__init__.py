"""Handle a turn: before it, after it, and both in one tool."""
