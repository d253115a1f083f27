from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.tiers import Tier, expires_at

MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.timezones())  # noqa: DTZ001


@pytest.mark.req("R057")
@pytest.mark.parametrize("clock", ["00:00:00", "12:30:00", "23:59:59"])
def test_a_daily_fact_lives_one_full_day_after_the_day_it_was_recorded(clock: str) -> None:
    recorded = datetime.fromisoformat(f"2026-03-01T{clock}+00:00")
    assert expires_at(Tier.L1, recorded, 1, 7) == datetime(2026, 3, 3, tzinfo=UTC)


@pytest.mark.req("R058")
@pytest.mark.parametrize("clock", ["00:00:00", "23:59:59"])
def test_a_weekly_fact_lives_seven_full_days_after_the_day_it_was_recorded(clock: str) -> None:
    recorded = datetime.fromisoformat(f"2026-02-25T{clock}+00:00")
    assert expires_at(Tier.L2, recorded, 1, 7) == datetime(2026, 3, 5, tzinfo=UTC)


@pytest.mark.req("R057")
def test_days_are_counted_in_utc_whatever_zone_the_moment_is_in() -> None:
    still_yesterday_in_utc = datetime(2026, 3, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert expires_at(Tier.L1, still_yesterday_in_utc, 1, 7) == datetime(2026, 3, 3, tzinfo=UTC)


@pytest.mark.req("R059")
@given(MOMENTS)
def test_a_durable_fact_never_expires(recorded: datetime) -> None:
    assert expires_at(Tier.L0, recorded, 1, 7) is None


@given(MOMENTS, st.integers(1, 400), st.integers(1, 400))
def test_a_fact_lives_at_least_its_retention_and_less_than_a_day_longer(recorded: datetime, l1: int, l2: int) -> None:
    for tier, days in ((Tier.L1, l1), (Tier.L2, l2)):
        expiry = expires_at(tier, recorded, l1, l2)
        assert expiry is not None
        assert timedelta(days=days) < expiry - recorded.astimezone(UTC) <= timedelta(days=days + 1)
