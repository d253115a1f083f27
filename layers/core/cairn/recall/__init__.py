"""Which of many texts answers a question."""
