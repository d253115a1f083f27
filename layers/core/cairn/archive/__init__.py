"""Archive whole sessions: store, search, retrieve, delete."""
