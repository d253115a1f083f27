"""What tests share, by room."""
