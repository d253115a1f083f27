"""A turn: before it, after it, and both as one tool."""
