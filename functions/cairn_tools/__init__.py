"""Every tool is one file; catalog.py lists them."""
