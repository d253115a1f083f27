"""Run standard tools in a function or a process of their own, without access to memory."""

from cairn.edge.guard import starting

starting()
