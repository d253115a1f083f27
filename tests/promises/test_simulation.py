"""Schedules of turns, retries, maintenance and clock jumps on a store that fails at any call: nothing lost or doubled."""

from __future__ import annotations

import pytest

from simulation.flows import FLOWS, Flow, rehearsed, singles
from simulation.mutants import MUTANTS, Mutant, found
from simulation.schedule import simulated

SCHEDULES, PARTS = 120, 4
FOUND = (5192,)
