"""Where standard tools run: a function of its own, or a process of its own, that reaches no memory."""
