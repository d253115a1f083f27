"""What a model says it learnt, weighed by what the user said and by what is believed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cairn.facts.facts import Fact, Source
from cairn.facts.lessons import Lesson, Refusal, reference
from cairn.facts.proposals import quoted
from cairn.facts.weighing import Supported, weigh
from cairn.ground.tiers import Tier

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = [("e0", "Hello."), ("e1", "We live in\n Gävle now; 東京に行きます. I start in May.")]
OLD = Fact(
    id="01JQ7Z0000AAAAAAAAAAAAK3F9",
    fact_id="user_home",
    key="home",
    value="Oslo",
    confidence=0.9,
    tier=Tier.L0,
    source=Source(turn_id="t0", event_id="t0-in-0", quote="I live in Oslo"),
    valid_from=NOW,
    recorded_at=NOW,
    last_seen=NOW,
)


def weighed(about: str, value: str, quote: str, replaces: str | None = None, *own: Fact) -> Supported | Refusal:
    [one] = weigh([Lesson(about=about, value=value, quote=quote, replaces=replaces)], SAID, own)
    return one


@pytest.mark.req("R299")
@pytest.mark.parametrize(
    ("about", "subject", "tier"),
    [
        ("home", ("user_home", "home"), Tier.L0),
        ("My employer", ("user_workplace", "workplace"), Tier.L0),
        ("the user's name", ("user_name", "name"), Tier.L0),
        ("user_role", ("user_role", "role"), Tier.L0),
        ("allergies", ("user_allergy", "Gävle"), Tier.L0),
        ("likes", ("user_like", "Gävle"), Tier.L2),
        ("today_task", ("today_task", "Gävle"), Tier.L1),
        ("dog", ("user_profile", "dog"), Tier.L0),
        ("profile (dog)", ("user_profile", "dog"), Tier.L0),
        ("Deadline  of Atlas", ("deadline_of_atlas", "deadline of atlas"), Tier.L0),
        ("the", ("the", "the"), Tier.L0),
    ],
)
def test_what_it_is_about_names_a_kind_or_makes_one(about: str, subject: tuple[str, str], tier: Tier) -> None:
    supported = weighed(about, "Gävle", "in Gävle now")
    assert isinstance(supported, Supported)
    assert ((supported.claim.fact_id, supported.claim.key), supported.claim.tier) == (subject, tier)


@pytest.mark.req("R299")
def test_a_quote_counts_in_any_case_and_spacing_and_is_kept_as_it_was_said() -> None:
    assert quoted("LIVE  in gävle", SAID) == ("e1", "live in Gävle")
    assert quoted("live in Oslo", SAID) is None


@pytest.mark.req("R299")
@pytest.mark.parametrize(
    ("value", "quote", "refusal"),
    [
        ("東京", "東京に行き", None),
        ("May", "I start in May", None),
        ("starting in May", "I start in May", None),
        ("now", "Gävle now", None),
        ("May 2026", "I start in May", Refusal.NOT_IN_QUOTE),
        ("tar", "tar", Refusal.NOT_IN_QUOTE),
        ("May", "Hello. We live", Refusal.NOT_SAID),
    ],
)
def test_each_word_of_a_value_stands_in_the_quote(value: str, quote: str, refusal: Refusal | None) -> None:
    found = weighed("plan", value, quote)
    assert (found if isinstance(found, Refusal) else None) == refusal


@pytest.mark.req("R299")
def test_a_reference_is_resolved_among_what_is_believed_and_ends_nothing_where_two_share_it() -> None:
    twin = replace(OLD, id="01JQ7Z0000BBBBBBBBBBBBK3F9", fact_id="town", key="town")
    name = reference(OLD)

    assert name == "k3f9"
    assert isinstance(weighed("home", "Gävle", "in Gävle", f"#{name}", OLD, OLD), Supported)
    assert weighed("home", "Gävle", "in Gävle", name, OLD, twin) is Refusal.AMBIGUOUS_REFERENCE
    assert isinstance(weighed("home", "Gävle", "in Gävle", OLD.id, OLD, twin), Supported)
    assert weighed("home", "Gävle", "in Gävle", "3f9", OLD) is Refusal.UNKNOWN_REFERENCE
    assert weighed("home", "Gävle", "in Gävle", name) is Refusal.UNKNOWN_REFERENCE


@pytest.mark.req("R299")
def test_only_what_the_new_fact_does_not_take_the_place_of_is_ended_apart() -> None:
    same, other = (weighed(about, "Gävle", "in Gävle", "#K3F9", OLD) for about in ("home", "cabin"))

    assert isinstance(same, Supported)
    assert isinstance(other, Supported)
    assert same.ends is None
    assert other.ends is not None
    assert (other.ends.retracts, other.ends.fact_id, other.ends.value) == (True, "user_home", "Oslo")
