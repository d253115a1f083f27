"""Every call, on record and within its rates."""
