"""Remember, recall and forget what agents choose to keep."""
