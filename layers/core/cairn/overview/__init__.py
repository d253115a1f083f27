"""Lists projects, users and sessions, a session's items, and what is known of a user."""
