"""Find, compare and change facts that users state about themselves."""
