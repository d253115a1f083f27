"""A check says what is amiss with a session, its files and its memories; a repair mends each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cairn.custody.check import Check
from cairn.files.files import FileWrite, WriteMode
from cairn.files.layout import FILES, file_sk
from cairn.files.own_files import OwnFiles
from cairn.ground.settings import Limits
from cairn.ground.table import Delete, Key, Update
from cairn.log.layout import KEPT_COUNT, log_pk, registry_pk
from cairn.sessions.layout import HEAD, MEMORY_COUNT, event_sk, session_pk
from support.custody import ACME, ADA, ALONE, GARDEN, Household, session
from support.plans import desk

PK = session_pk(ALONE)
LOG = log_pk(ACME, GARDEN, f"u:{ADA}")
Harm = Callable[[Household], object]


@pytest.fixture
def house(house: Household) -> Household:
    """Return a store in which a session has turns, memories, and a file of several parts."""
    house.say(ALONE, ADA, "I live in Oslo.", "I like beans.")
    house.remember(ALONE, ADA, "The gate is red.", "session")
    house.remember(session(""), ADA, "Beans climb.", "user")
    write(house, "a" * 100_000)
    return house


def write(house: Household, text: str) -> None:
    OwnFiles(house.services(), Limits()).write(ALONE, "notes.txt", FileWrite(text.encode(), WriteMode.APPEND))


def checked(house: Household) -> Check:
    services = desk(house)
    return Check(services, house.inventory, services.audit)


def findings(house: Household) -> list[tuple[str, str]]:
    return [(each.kind, each.problem) for each in checked(house).run(ACME).findings]


def lost(pk: str, sk: str) -> Harm:
    return lambda house: house.adapters.table.delete(Delete(Key(pk, sk)))


def part(house: Household) -> Key:
    return next(where for where in map(Key.of, house.inventory.items(ACME)) if where.sk.startswith("part#"))


def without_part(house: Household) -> None:
    house.adapters.table.delete(Delete(part(house)))


def behind(house: Household) -> None:
    house.adapters.table.update(Update(Key(PK, HEAD), set={"seq": 1}))


@pytest.mark.req("R302")
@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lost(PK, HEAD), [("missing", "a session with turns has no head")]),
        (behind, [("counter", "the head counts 1 turns and the newest is number 2")]),
        (lost(PK, event_sk(1)), [("missing", "1 turns are gone")]),
        (lost(PK, MEMORY_COUNT), [("missing", "memories are not counted")]),
        (lost(LOG, KEPT_COUNT), [("missing", "memories are not counted")]),
        (lost(PK, FILES), [("missing", "a session with files has no count of them")]),
        (lost(registry_pk(ACME, GARDEN), FILES), [("counter", "files have 100000 bytes")]),
        (without_part, [("record", "a part of the file is gone")]),
        (
            lost(PK, file_sk("notes.txt")),
            [("orphan", "it is a part of no file"), ("counter", "files have 0 bytes")],
        ),
    ],
)
def test_what_is_amiss_is_told_and_mended(house: Household, harm: Harm, told: list[tuple[str, str]]) -> None:
    assert findings(house) == []
    harm(house)

    assert findings(house) == told
    assert list(checked(house).repair(ACME))

    assert findings(house) == []
    house.say(ALONE, ADA, "And peas.")
    house.remember(ALONE, ADA, "The door is red.", "session")
    write(house, "b")
    assert findings(house) == []
