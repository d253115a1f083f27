"""Show a session as files, and keep an agent's own files."""
