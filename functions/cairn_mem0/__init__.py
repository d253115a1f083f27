"""The address of mem0's clients: the platform's calls, answered by the tools."""

from cairn.edge.guard import starting

starting()
