"""What a bundle that somebody made may not do: reach others, take a place in an index, or be half stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn.custody.bundles import Bundles, Record
from cairn.custody.scope import DataScope
from cairn.ground.errors import Conflict, InvalidArgument
from cairn.ground.ids import Namespace
from cairn.ground.table import Key
from cairn.keyvalue.model import KeyName, Place
from cairn.sessions.layout import HEAD, due_pk, due_shard, session_pk
from cairn.vault.vault import Vault
from support.custody import ACME, ADA, BOB, GARDEN, Household, exported, session
from support.keyvalue import key_value

Change = Callable[[Record], Record]


def with_attribute(name: str, value: object) -> Change:
    return lambda record: {**record, "attributes": {**record["attributes"], name: value}}


def at(partition: str | None = None, sort: str | None = None) -> Change:
    return lambda record: {
        **record,
        "partition": partition or record["partition"],
        "sort": sort or record["sort"],
    }


def saying(content: object) -> Change:
    return lambda record: {**record, "content": content}


def bodiless(record: Record) -> Record:
    return {name: record[name] for name in ("partition", "sort", "attributes")}


WRONG: list[tuple[str, Change, str]] = [
    (HEAD, with_attribute("isk", "soon"), "isk"),
    (HEAD, with_attribute("isk", 7), "isk"),
    (HEAD, with_attribute("ipk", "~unsealed"), "ipk"),
    (HEAD, with_attribute("seq", "1"), "seq"),
    (HEAD, with_attribute("seq", 0), "head does not count"),
    (HEAD, with_attribute("seq", True), "seq"),
    (HEAD, with_attribute("seq", -1), "seq"),
    (HEAD, with_attribute("updated_at", "yesterday"), "updated_at"),
    (HEAD, with_attribute("surprise", 1), "surprise"),
    ("e#000000000001", with_attribute("ipk", "#s#garden#alone"), "ipk"),
    ("e#000000000001", with_attribute("seq", 2), "another number"),
    ("e#000000000001", at(sort="e#1"), "another number"),
    ("e#000000000001", at(sort="f#1"), "no part of a bundle"),
    ("e#000000000001", at(sort="turn#1"), "no part of a bundle"),
    ("e#000000000001", at(partition="s#garden"), "key cannot be"),
    ("e#000000000001", at(partition="s#../x#s"), "key cannot be"),
    ("e#000000000001", at(partition="audit#2026-03-01"), "no part of a bundle"),
    ("e#000000000001", saying([]), "none of its kind|without events"),
    ("e#000000000001", saying({"a": 1}), "none of its kind"),
    ("e#000000000001", saying([{"id": "x"}]), "none of its kind"),
    ("e#000000000001", bodiless, "another content"),
    ("v#note", with_attribute("ipk", "#calls"), "ipk"),
    ("v#note", with_attribute("isk", "2020-01-01T00:00:00Z"), "isk"),
    ("v#note", with_attribute("version", "1"), "version"),
    ("v#note", with_attribute("version", 10**40), "none of its kind|version"),
    ("v#note", at(sort="v#a b"), "no part of a bundle"),
    ("v#note", at(partition="k#a#b"), "key cannot be|no part"),
]


@pytest.fixture
def records(house: Household) -> list[Record]:
    house.say(session("alone"), ADA, "I live in Oslo.", "I like tea.")
    key_value(house.adapters).put(Place(ACME, Namespace("public"), KeyName("note")), "kept")
    return exported(house)


def take_in(house: Household, records: list[Record], **scope: Any) -> list[bool]:
    bundles = Bundles(house.adapters, house.inventory, Vault(house.adapters))
    named = DataScope(ACME, **scope)
    return list(bundles.store(named, records, bundles.check(named, records)))


@pytest.mark.req("R301")
@pytest.mark.parametrize(("sort", "change", "told"), WRONG)
def test_a_record_that_its_layout_does_not_know_is_refused_by_its_line_and_nothing_is_stored(
    elsewhere: Household, records: list[Record], sort: str, change: Change, told: str
) -> None:
    line = next(number for number, record in enumerate(records) if record["sort"] == sort)
    records[line] = change(records[line])

    with pytest.raises(InvalidArgument, match=rf"(line {line + 1}: |head does not).*(?:{told})|{told}"):
        take_in(elsewhere, records)

    assert list(elsewhere.inventory.items(ACME)) == []


def test_a_log_s_entry_that_is_none_is_refused(elsewhere: Household, records: list[Record]) -> None:
    for number, record in enumerate(records):
        if not record["sort"].startswith("m#"):
            continue
        contents: list[Any] = [{}, [], "x", {**record["content"], "added": [{}]}, {**record["content"], "at": "x"}]
        for content in contents:
            wrong: list[Record] = [*records[:number], {**record, "content": content}, *records[number + 1 :]]
            with pytest.raises(InvalidArgument, match=f"line {number + 1}"):
                take_in(elsewhere, wrong)
    assert list(elsewhere.inventory.items(ACME)) == []


def test_a_place_in_the_index_is_this_store_s_own(elsewhere: Household, records: list[Record]) -> None:
    forged = [with_attribute("ipk", "~due#99")(each) if each["sort"] == HEAD else each for each in records]

    take_in(elsewhere, forged)

    head = elsewhere.adapters.table.get(Key(session_pk(session("alone")), HEAD))
    assert head is not None
    assert head["ipk"] == due_pk(due_shard(session("alone")))


def test_a_record_or_a_turn_that_comes_twice_is_refused(elsewhere: Household, records: list[Record]) -> None:
    event = next(each for each in records if each["sort"] == "e#000000000001")
    shard = {
        **event,
        "sort": "arc#000000000001",
        "attributes": {"last": 1, "at": event["attributes"]["at"]},
        "content": [[1, event["content"]]],
    }
    for wrong in ([*records, records[0]], [*records, shard]):
        with pytest.raises(InvalidArgument, match="twice"):
            take_in(elsewhere, wrong)
    assert list(elsewhere.inventory.items(ACME)) == []


@pytest.mark.req("R010")
def test_a_bundle_of_a_user_reaches_nobody_else(house: Household, elsewhere: Household) -> None:
    house.say(session("alone"), ADA, "I live in Oslo.")
    house.say(session("bobs"), BOB, "I live in Rome.")
    house.remember(session("bobs"), BOB, "Everybody is told.")
    key_value(house.adapters).put(Place(ACME, Namespace("public"), KeyName("note")), "kept")
    own = exported(house, user=BOB)
    others = [each for each in exported(house) if each not in own]
    assert {each["partition"].split("#")[0] for each in others} == {"s", "m", "k"}

    for other in others:
        with pytest.raises(InvalidArgument, match=r"not of the project or user|holds no head"):
            take_in(elsewhere, [*own, other], user=BOB)
    for project in ("kitchen", "attic"):
        with pytest.raises(InvalidArgument, match="not of the project or user"):
            take_in(elsewhere, own, user=BOB, project=project)
    assert list(elsewhere.inventory.items(ACME)) == []
    with pytest.raises(InvalidArgument, match="not of the project or user"):  # what is known of him in all projects
        take_in(elsewhere, own, user=BOB, project=GARDEN)
    assert list(elsewhere.inventory.items(ACME)) == []
    assert all(take_in(elsewhere, exported(house, user=BOB, project=GARDEN), user=BOB, project=GARDEN))
    assert any(take_in(elsewhere, own, user=BOB))


@pytest.mark.req("R010")
def test_a_bundle_adds_nothing_to_a_session_that_is_there(house: Household, elsewhere: Household) -> None:
    house.say(session("alone"), BOB, "I live in Rome.", "And in Oslo.")
    elsewhere.say(session("alone"), ADA, "I live in Oslo.")
    before = [dict(item) for item in elsewhere.inventory.items(ACME)]

    with pytest.raises(Conflict, match="another session"):
        take_in(elsewhere, exported(house, user=BOB), user=BOB)

    assert list(elsewhere.inventory.items(ACME)) == before
