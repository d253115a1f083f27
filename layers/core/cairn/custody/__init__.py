"""Operate on all data of a tenant or user: export, import, erase, and move to new data keys."""
