"""Search texts, memories and facts, and rank what answers a question."""
