"""Recall: which of many texts answer a question, told by a linear model over words, meaning, place and time."""
