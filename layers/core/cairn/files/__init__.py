"""A session as files, and an agent's own beside them."""
