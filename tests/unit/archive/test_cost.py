"""What the estimate of the archive's cost says, and that it says more for more."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.archive.cost import MAX_BYTES, MAX_REDUNDANCY, assumptions, estimate
from cairn.ground.prices import PUT, STORAGE, WRITE_UNIT

sizes, copies = st.integers(0, MAX_BYTES), st.integers(1, MAX_REDUNDANCY)


@pytest.mark.req("R185")
def test_a_gigabyte_costs_its_price_times_its_copies() -> None:
    one, three = estimate(2**30, 1), estimate(2**30, 3)

    assert one.monthly_storage_usd == 0.023
    assert three.monthly_storage_usd == 0.069
    assert one.request_usd == pytest.approx(0.000005 + 6 * 0.625e-6)
    assert one.total_usd == one.monthly_storage_usd + one.request_usd
    assert estimate(0, 1).monthly_storage_usd == 0


@pytest.mark.req("R185")
@given(sizes, sizes, copies, copies)
def test_more_bytes_or_more_copies_never_cost_less(one: int, other: int, few: int, many: int) -> None:
    less = estimate(min(one, other), min(few, many))
    more = estimate(max(one, other), max(few, many))

    assert less.monthly_storage_usd <= more.monthly_storage_usd
    assert less.request_usd <= more.request_usd
    assert 0 <= less.total_usd <= more.total_usd < math.inf


@pytest.mark.req("R185")
def test_it_says_what_it_assumes_with_prices_dates_and_sources() -> None:
    said = " ".join(assumptions())

    for price in (STORAGE, PUT, WRITE_UNIT):
        assert f"${price.dollars}" in said
        assert price.source in said
    assert "2026-06" in said
