"""Memory for Python programs: in the program's own process, or of a server."""
