"""Two services: one that bundles come from, and an empty one that takes them in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.world import World
from custody import Household


@pytest.fixture
def house(world: World, store: Any) -> Household:
    return Household.over(world, store.directory)


@pytest.fixture
def elsewhere(new_world: Callable[[], tuple[Any, World]], clock: Any) -> Household:
    """An empty service with a master key of its own; its clock is the other's."""
    store, world = new_world()
    return Household.over(replace(world, clock=clock, keys=LocalKeyRing(bytes(range(32)))), store.directory)
