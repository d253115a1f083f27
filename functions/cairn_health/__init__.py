"""Report whether Cairn can answer."""

from cairn.edge.guard import starting

starting()
