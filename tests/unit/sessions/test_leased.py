"""A step holds its session for as long as it goes on, and no longer than it is its own."""

from __future__ import annotations

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy
from cairn.ground.settings import MemorySettings
from cairn.sessions.leased import leased
from support.doubles import FakeClock
from support.services import services_over
from support.turns import SESSION


def test_a_step_that_goes_on_keeps_its_session_to_itself(adapters: Adapters, clock: FakeClock) -> None:
    services, settings = services_over(adapters), MemorySettings()
    with leased(services, SESSION) as held:
        for _ in range(3):
            clock.advance(seconds=settings.guard_lease_seconds - 1)
            held.keep()
        with pytest.raises(ResourceBusy), leased(services_over(adapters), SESSION):
            pass


def test_a_step_that_stood_still_for_too_long_has_lost_its_session(adapters: Adapters, clock: FakeClock) -> None:
    services, settings = services_over(adapters), MemorySettings()
    with leased(services, SESSION) as held:
        clock.advance(seconds=settings.guard_lease_seconds + 1)
        with leased(services_over(adapters), SESSION), pytest.raises(ResourceBusy):
            held.keep()


def test_a_lease_that_a_clock_far_ahead_has_set_holds_nobody_up(adapters: Adapters, clock: FakeClock) -> None:
    clock.advance(days=400)
    services_over(adapters).sessions.lease(SESSION, "ahead", MemorySettings())
    clock.advance(days=-400)

    with leased(services_over(adapters), SESSION) as held:
        held.keep()
