"""The console: pages on which people see what is remembered, and correct it."""
