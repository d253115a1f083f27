"""The console: pages on which people see what is remembered, and correct it."""

from cairn.process import starting

starting.begin()
