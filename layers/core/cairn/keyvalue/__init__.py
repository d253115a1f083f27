"""Store JSON values under namespace and key, with expiry and compare-and-set."""
