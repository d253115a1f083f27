"""What is said: items, events, and what stands out."""
