"""What maintenance does."""
