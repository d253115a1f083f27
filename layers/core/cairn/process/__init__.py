"""Provide a process's clock, random bytes, threads and HTTP client."""
