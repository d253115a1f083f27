"""What a key to one project and to no user opens of users who are known across projects: as docs/how-to says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.access.api_keys import project_pattern
from cairn.services import Services
from support.access import EventOf
from support.bound import ALICE, BOB, House

pytestmark = pytest.mark.req("R287")

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "choose-a-key.md"
SHOP = (project_pattern("shop"),)
ABOUT_ALICE = {"project": "shop", "user_id": ALICE}
KNOWN, RULE, OF_THE_PROJECT = "home: Oslo", "Always answer in German.", "The shed is red."
READS = (
    ("recall", ABOUT_ALICE),
    (
        "memory_before_turn",
        {**ABOUT_ALICE, "session_id": "new", "current_input": "Where do I live? How do you answer?"},
    ),
    ("memory_list_known", ABOUT_ALICE),
    ("memory_list_changes", ABOUT_ALICE),
)
"""What reads of a user in a project that is theirs or not."""
reads = pytest.mark.parametrize(("name", "arguments"), READS, ids=[name for name, _ in READS])


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    """Return a deployment in which Alice said in the garden, with a key of her own, who she is."""
    house = House(services, event_of)
    alice, place = house.key(ALICE), {"project": "garden", "session_id": "diary"}
    words = {"input_items": f"I live in Oslo. {OF_THE_PROJECT}", "output_items": "Noted."}
    assert house.ask(alice, "memory_after_turn", {**place, "turn_id": "t1", **words})["ok"]
    rule = {**place, "content": RULE, "scope": "user_everywhere"}
    house.given["memory_id"] = house.ask(alice, "remember", rule)["memory_id"]
    return house


def read(house: House, key: str, name: str, arguments: dict[str, Any]) -> str:
    return json.dumps(house.ask(key, name, arguments))


@reads
def test_it_reads_what_any_user_is_known_by_across_projects_and_nothing_else_of_theirs(
    name: str, arguments: dict[str, Any], house: House
) -> None:
    told = read(house, house.key(projects=SHOP), name, arguments)

    assert "Oslo" in told
    assert RULE in told
    assert OF_THE_PROJECT not in told
    assert house.denied(house.key(projects=SHOP), name, {**arguments, "project": "garden"})


def test_it_keeps_and_forgets_for_any_user_across_projects(house: House) -> None:
    key, alice = house.key(projects=SHOP), house.key(ALICE)
    kept = {**ABOUT_ALICE, "content": "Answer in verse.", "scope": "user_everywhere"}
    assert "memory_id" in house.ask(key, "remember", kept)
    assert house.ask(key, "forget", {**ABOUT_ALICE, "memory_id": house.given["memory_id"]})["forgotten"]

    found = house.ask(alice, "recall", {"project": "garden"})["memories"]
    contents = {each["content"] for each in found}
    assert "Answer in verse." in contents
    assert RULE not in contents


@reads
def test_a_key_that_is_bound_to_a_user_as_well_reads_no_other(
    name: str, arguments: dict[str, Any], house: House
) -> None:
    assert house.denied(house.key(BOB, projects=SHOP), name, arguments)
    own = {each: value for each, value in arguments.items() if each != "user_id"}
    assert "Oslo" not in read(house, house.key(BOB, projects=SHOP), name, own)


@reads
def test_where_memory_across_projects_is_off_it_reads_what_was_said_in_its_own(
    name: str, arguments: dict[str, Any], house: House, tuned: Callable[..., Services]
) -> None:
    house.services = tuned(across_projects=False)

    told = read(house, house.key(projects=SHOP), name, arguments)

    assert "Oslo" not in told
    assert RULE not in told


def test_the_page_says_so_and_what_to_use_instead() -> None:
    section = (
        PAGE.read_text(encoding="utf-8").partition("## A key of one project and no user\n")[2].partition("\n## ")[0]
    )

    assert "any user" in section
    assert "0046-a-user-is-known-in-every-session-and-project.md" in section
    for instead in ("--user", "--tenant", "memory.across_projects"):
        assert instead in section
