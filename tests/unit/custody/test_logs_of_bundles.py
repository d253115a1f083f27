"""An import leaves each log saying when its newest entry was made, and whoever had read it reads it anew."""

from __future__ import annotations

import pytest

from cairn.custody.check import Check
from cairn.custody.records import Record
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import Key
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.services import Services
from support.custody import ACME, ADA, ALONE, BOB, GARDEN, Household, erase, exported, session, take_in

LOGS = ("acme#m#garden#u:ada", "acme#m#~#u:ada")


def findings(house: Household) -> list[str]:
    services = house.services()
    return [str(each) for each in Check(services, house.inventory, services.audit).run(ACME).findings]


def newest(house: Household) -> list[object]:
    return [(house.adapters.table.get(Key(pk, "m~tail")) or {}).get("newest") for pk in LOGS]


def said(house: Household, about: str, services: Services | None = None) -> list[str]:
    """Return what a process recalls of Ada's turns in the garden."""
    asked = RecallRequest(query=about, limit=50, user_id=ADA)
    found = recall(services or house.services(), Session(ACME, GARDEN, NO_SESSION), asked).found
    told = [each.content.partition("user: ")[2] for each in found if each.kind == "turn"]
    return [each for each in told if about in each]


@pytest.fixture
def bundle(house: Household) -> list[Record]:
    """Return what Ada said in a store where Bob speaks too."""
    house.say(ALONE, ADA, "My name is Ada. I live in Oslo.", "The shed is red.")
    house.say(session("bobs"), BOB, "I live in Rome.")
    return exported(house, user=ADA)


@pytest.mark.req("R302")
def test_a_check_finds_nothing_wrong_where_an_erased_user_was_imported_again(
    house: Household, bundle: list[Record]
) -> None:
    before = newest(house)
    erase(house)
    assert newest(house) == [None, None]

    assert all(take_in(house, bundle))

    assert findings(house) == []
    assert newest(house) == before
    assert not any(take_in(house, bundle))
    assert findings(house) == []


@pytest.mark.req("R302")
def test_what_is_imported_behind_newer_entries_is_recalled_by_processes_that_had_read_those(
    house: Household, bundle: list[Record]
) -> None:
    erase(house)
    house.index(session("later"))
    house.say(session("later"), ADA, "The gate is green.")
    since, process = newest(house), house.services()
    assert (said(house, "shed", process), said(house, "gate", process)) == ([], ["The gate is green."])

    take_in(house, bundle)

    assert said(house, "shed", process) == said(house, "shed") == ["The shed is red."]
    assert said(house, "gate", process) == ["The gate is green."]
    assert newest(house)[0] == since[0]
    assert findings(house) == []


@pytest.mark.req("R302")
def test_an_import_that_was_stopped_or_is_in_another_order_ends_alike(house: Household, bundle: list[Record]) -> None:
    before = newest(house)
    erase(house)
    take_in(house, [each for each in bundle if each["partition"].startswith("s#")])

    take_in(house, list(reversed(bundle)))

    assert (findings(house), newest(house)) == ([], before)
    assert said(house, "shed") == ["The shed is red."]
