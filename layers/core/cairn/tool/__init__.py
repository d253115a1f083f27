"""A tool, from its declaration to its answer."""
