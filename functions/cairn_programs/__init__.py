"""What programs keep in memory by themselves, without a model that asks for it."""

from cairn.process import starting

starting.begin()
