"""From an event to a tool and back: the Tool, HTTP, callers, problems."""
