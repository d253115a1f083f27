"""Key-value memory."""
