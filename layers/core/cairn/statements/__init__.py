"""What people state: which of their sentences tell something lasting, and what a later one changes."""
