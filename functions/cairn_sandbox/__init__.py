"""Run standard tools in a function or a process of their own, without access to memory."""
