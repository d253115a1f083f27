"""Record every call and hold it to its rate limits."""
