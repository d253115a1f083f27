"""Identify callers and decide what they may do: API keys, access tokens, policies."""
