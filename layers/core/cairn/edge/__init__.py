"""Between an event and a tool: requests, callers, the guard, validation, schemas, problems."""
