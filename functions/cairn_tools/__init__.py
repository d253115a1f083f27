"""Every tool is one file; catalog.py lists them."""

from cairn.edge.guard import starting

starting()
