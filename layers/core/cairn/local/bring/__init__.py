"""What users bring along: their agents' transcripts and what other memories kept, read and stored exactly once."""
