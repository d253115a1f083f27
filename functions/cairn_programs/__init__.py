"""What programs keep in memory by themselves, without a model that asks for it."""

from cairn.edge.guard import starting

starting()
