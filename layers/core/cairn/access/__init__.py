"""Who calls, and what that opens."""
