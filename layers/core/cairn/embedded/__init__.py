"""Adapters for one machine: a SQLite table, a blob directory, a local master key."""
