"""Run or ask models: embedders, and language models for facts."""
