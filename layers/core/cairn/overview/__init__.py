"""Lists projects, users and sessions, a session's items, what is known of a user, and what changed in it."""
