"""Facts that say the same in other words are merged where they go by the same word."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest

from cairn.facts.facts import Fact
from cairn.facts.near_duplicates import merged
from cairn.ground.trust import Trust
from support.facts import fact_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = ("tea without sugar", "Tea, without sugar!")


def likes(*trusts: Trust) -> list[Fact]:
    told = enumerate(zip(SAID, trusts, strict=True))
    return [fact_of(f"f{at}", NOW, fact_id="likes", key="likes", value=said, trust=by) for at, (said, by) in told]


@pytest.mark.req("R308")
@pytest.mark.parametrize("trusts", [*permutations([Trust.OUTSIDE, Trust.IMPORT, Trust.USER], 2)])
def test_facts_of_different_words_are_not_merged(trusts: tuple[Trust, Trust]) -> None:
    assert merged(likes(*trusts), NOW) == ()


@pytest.mark.req("R308")
@pytest.mark.parametrize("trust", [Trust.IMPORT, Trust.USER])
def test_facts_of_one_word_are_merged_and_keep_it(trust: Trust) -> None:
    first, second = likes(trust, trust)

    [ended] = merged([first, second], NOW)

    assert (ended.id, ended.superseded_by, ended.trust) == (first.id, second.id, trust)
