"""The console: pages on which people see what is remembered, and correct it."""

from cairn.edge.guard import starting

starting()
