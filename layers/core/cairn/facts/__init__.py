"""What users state about themselves."""
