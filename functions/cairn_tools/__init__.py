"""Every tool is one file; catalog.py lists them."""

from cairn.process import starting

starting.begin()
