"""An empty service that takes in what another gives out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from support.custody import Household


@pytest.fixture
def elsewhere(new_adapters: Callable[[], tuple[Any, Adapters]], clock: Any) -> Household:
    """An empty service with a master key of its own; its clock is the other's."""
    store, adapters = new_adapters()
    return Household.over(replace(adapters, clock=clock, keys=LocalKeyRing(bytes(range(32, 64)))), store.directory)
