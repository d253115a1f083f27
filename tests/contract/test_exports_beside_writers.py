"""A bundle that is written beside writers and maintenance is the state of one moment, on either store.

At every third read something else is done: turns, memories, files and values are written, and maintenance runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cairn.conversation.turns import Completion
from cairn.custody.bundles import Bundles, Record
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.errors import CairnError, Unavailable
from cairn.ground.ids import UserId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Delete, Key, Query, prefix_range
from cairn.keyvalue.model import KeyName, Place
from cairn.log.layout import ENTRIES, log_owner, log_pk
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.sessions.head import stored_head
from cairn.sessions.layout import FIRST_EVENT
from cairn.turns.after_turn import commit
from cairn.vault.vault import Vault
from support.custody import ACME
from support.items import ALL, THREAD, item_logs, new
from support.items import confirm as confirm_log
from support.keyvalue import confirm, key_value
from support.memory_store import MemoryBlobs
from support.town import LARGE, NOTES, SESSIONS, USERS, Restless, RestlessBlobs, Town


def bundle(town: Town, attempts: int = 3) -> list[Record]:
    """Return the records of an export beside which everything goes on."""
    adapters: Any = replace(town.adapters, blobs=RestlessBlobs(town))
    inventory: Any = Restless(town)
    for left in reversed(range(attempts)):
        try:
            return list(Bundles(adapters, inventory, Vault(adapters)).export(DataScope(ACME)))
        except Unavailable:
            assert left, "no export came through"
    raise AssertionError


def imported(town: Town, records: list[Record], make: Callable[[], Any], tmp_path: Path) -> Town:
    table = make()
    adapters = replace(town.adapters, table=table, blobs=MemoryBlobs(), keys=LocalKeyRing(bytes(range(32))))
    assert all(Bundles(adapters, EmbeddedInventory(table, tmp_path), Vault(adapters)).take_in(ACME, records))
    return Town(adapters, EmbeddedInventory(table, tmp_path))


def turns_of(town: Town, where: Session) -> list[str]:
    return [events[0].turn_id for _, events in town.services.sessions.history(where)]


def logged(town: Town, where: Session) -> list[str]:
    found: list[tuple[int, str]] = []
    for user in USERS:
        pk = log_pk(ACME, where.project, log_owner(user, where.session_id))
        for item in every(town.adapters.table, Query(pk, *prefix_range(ENTRIES))):
            record = town.services.vault.unseal(ACME, item)
            if record["turn"] and record["session"] == where.session_id:
                found.append((record["turn"]["seq"], record["turn"]["id"]))
    return [name for _, name in sorted(found)]


@pytest.mark.slow
@pytest.mark.req("R301")
@pytest.mark.parametrize("begin", [0, 3])
def test_an_export_beside_everything_else_is_whole(
    town: Town, begin: int, make_sqlite_table: Callable[[], Any], tmp_path: Path
) -> None:
    for _ in range(3 * begin):
        town.act()
    before = {name: turns_of(town, name) for name in SESSIONS}
    is_one_moment = isinstance(town.inventory, EmbeddedInventory)

    there = imported(town, bundle(town), make_sqlite_table, tmp_path)

    moved = {where: turns_of(there, where) for where in SESSIONS}
    for where, turns in moved.items():
        all_turns = [turn.turn_id for session, turn in town.said if session == where]
        assert turns[: len(before[where])] == before[where]
        assert turns == all_turns[: len(turns)]
        assert logged(there, where) == turns
        head = stored_head(there.adapters.table, where)
        assert head is not None
        assert head.seq == len(turns)
    if is_one_moment:
        assert moved == before
        assert len(town.said) > sum(map(len, moved.values()))
    for where, turn in town.said:
        if turn.turn_id in moved[where]:
            assert commit(there.services, where, turn).replayed
            assert found(there, where, turn)
    confirm(key_value(there.adapters), ACME)
    confirm_log(there.adapters)
    items = item_logs(there.adapters).read(THREAD, ALL).items
    assert item_logs(there.adapters).append(THREAD, new(*((item.id, item.data) for item in items))).replayed == len(
        items
    )
    texts = [there.services.files.read(where, "notes/plan.txt") for where in SESSIONS if has_file(there, where)]
    assert all(text.endswith(LARGE.encode()) for text in texts)


def found(town: Town, where: Session, turn: Completion) -> bool:
    number = turn.turn_id[1:]
    asked = RecallRequest(query=f"tea number{number}", limit=5, user_id=turn.user_id)
    return any(f"number{number}" in each.content for each in recall(town.services, where, asked).found)


def has_file(town: Town, where: Session) -> bool:
    return town.services.files.stat(where, "notes/plan.txt") is not None


@pytest.mark.req("R301")
def test_an_export_beside_an_erasure_is_whole_or_fails_and_says_why(
    town: Town, make_sqlite_table: Callable[[], Any], tmp_path: Path
) -> None:
    erased = iter([None])

    def act() -> None:
        for _ in erased:
            EraseUser(town.services, town.inventory).run(DataScope(ACME, user=UserId("ada")))

    town.act = act  # type: ignore[method-assign]  # pyright: ignore[reportAttributeAccessIssue]
    try:
        records = bundle(town, attempts=1)
    except AssertionError:
        records = bundle(town, attempts=1)
    there = imported(town, records, make_sqlite_table, tmp_path)
    for where in SESSIONS:
        assert logged(there, where) == turns_of(there, where)


@pytest.mark.req("R301")
def test_an_export_beside_a_rewrap_is_whole(town: Town, make_sqlite_table: Callable[[], Any], tmp_path: Path) -> None:
    DataKeys(town.adapters, town.inventory).rotate(ACME)
    said, moved = {where: turns_of(town, where) for where in SESSIONS}, count()

    def act() -> None:
        if next(moved) % 9 == 5:
            DataKeys(town.adapters, town.inventory).rewrap(ACME)

    town.act = act  # type: ignore[method-assign]  # pyright: ignore[reportAttributeAccessIssue]
    there = imported(town, bundle(town), make_sqlite_table, tmp_path)

    assert {where: turns_of(there, where) for where in SESSIONS} == said


@pytest.mark.req("R301")
@pytest.mark.parametrize("page", [0, 1])
def test_turns_that_maintenance_moves_under_the_walk_are_met_once(
    town: Town, page: int, make_sqlite_table: Callable[[], Any], tmp_path: Path
) -> None:
    said, ran = {where: turns_of(town, where) for where in SESSIONS}, list[int]()

    def act() -> None:
        if town.asked and town.asked.low == FIRST_EVENT and bool(town.asked.start) == bool(page) and not town.busy:
            town.busy = True
            ran.extend(town.services.maintenance.run(where).archived_shards for where in SESSIONS)
            town.busy = False

    town.act = act  # type: ignore[method-assign]  # pyright: ignore[reportAttributeAccessIssue]
    there = imported(town, bundle(town, attempts=1), make_sqlite_table, tmp_path)

    assert any(ran)
    assert {where: turns_of(there, where) for where in SESSIONS} == said
    heads = [stored_head(there.adapters.table, where) for where in SESSIONS]
    assert all(head and head.archived_through < head.seq for head in heads)


@pytest.mark.req("R301")
def test_keys_are_counted_right_while_others_write_them(town: Town) -> None:
    memory, written = key_value(town.adapters), count()
    for number in range(5):
        memory.put(Place(ACME, NOTES, KeyName(f"k{number}")), number)

    def act() -> None:
        if (number := next(written)) < 9:
            memory.put(Place(ACME, NOTES, KeyName(f"new{number}")), number)

    town.act = act  # type: ignore[method-assign]  # pyright: ignore[reportAttributeAccessIssue]
    with Restless(town).snapshot() as snapshot:
        for each in memory.collection.recount(ACME, snapshot):
            assert each.kept == each.counted


@pytest.mark.req("R301")
def test_a_turn_that_a_head_counts_and_nothing_holds_fails_the_export(town: Town) -> None:
    table: Any = town.adapters.table
    [item, *_] = every(table, Query("acme#s#garden#one", "e#0", "e#9"))
    table.delete(Delete(Key.of(item)))
    bundles = Bundles(town.adapters, town.inventory, Vault(town.adapters))

    with pytest.raises(CairnError, match=r"session one of project garden counts 4 turns; 3 are in it.*cairn check"):
        list(bundles.export(DataScope(ACME)))
