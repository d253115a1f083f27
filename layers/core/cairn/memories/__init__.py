"""What agents choose to remember, recall and forget."""
