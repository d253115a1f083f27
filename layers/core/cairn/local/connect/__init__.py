"""Make Cairn the memory of a coding agent: write its hooks and its MCP server into the agent's own configuration."""
