"""Report whether Cairn can answer."""

from cairn.process import starting

starting.begin()
