"""The MCP door: one POST endpoint, both protocol eras, and the same catalog over stdio."""

from cairn.edge.guard import starting

starting()
