"""Answers from memory given again as they were, and what became since of what they held."""
