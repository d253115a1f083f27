"""What a session's partition holds is read as it was always stored, and written as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from cairn.ground.adapters import Holders
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.session import Session
from cairn.ground.table import Key, Scalar
from cairn.sessions.due import DueEntry, is_due
from cairn.sessions.guards import Guard
from cairn.sessions.head import Head, naming
from cairn.sessions.stored_turn import StoredTurn
from cairn.sessions.summary import StoredSummary

PK: Final = "acme#s#garden#monday"
AT: Final = "2026-03-01T12:00:00.000000Z"
NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEALED: Final[dict[str, Scalar]] = {"kid": 1, "data": b"sealed"}
AS_BLOB: Final[dict[str, Scalar]] = {"kid": 2, "blob": "ab" * 32}
LEASED: Final[dict[str, Scalar]] = {"pk": PK, "sk": "e#~", "lease_owner": "me", "lease_until": 1, "fence": 1}
HEAD: Final[dict[str, Scalar]] = {
    "pk": PK,
    "sk": "e#~",
    "fence": 7,
    "seq": 3,
    "turn_id": "t3",
    "updated_at": AT,
    "owners": "u:ada\ns:monday",
    "begun": "0f",
    "ipk": "~due#01",
    "isk": AT,
    "version": 3,
    "events": 6,
    "facts_written": 2,
    "facts_superseded": 1,
    "erased": 4,
    "removals": 5,
    "archived_through": 2,
    "dropped": True,
    "legacy": "done",
    "legacy_through": 1,
    "legacy_facts": "cd",
    "compacted_at": AT,
}
PROCESSING: Final[dict[str, Scalar]] = {
    "pk": PK,
    "sk": "turn#t1",
    "tenant": "acme",
    "project": "garden",
    "session_id": "monday",
    "turn_id": "t1",
    "status": "processing",
    "owner": "me",
    "until": 1772366430000,
    "payload": "1.00",
    "updated_at": AT,
    "expires_at": 1774958400,
}
DONE: Final[dict[str, Scalar]] = {
    **{name: value for name, value in PROCESSING.items() if name not in {"owner", "until"}},
    "status": "done",
    "seq": 1,
}
ELSEWHERE: Final[dict[str, Scalar]] = {name: value for name, value in DONE.items() if name not in {"payload", "seq"}}


def without(item: dict[str, Scalar], name: str) -> dict[str, Scalar]:
    return {each: value for each, value in item.items() if each != name}


def test_a_head_tells_all_that_was_ever_noted_in_one() -> None:
    head = Head.of(HEAD)

    assert head == Head(
        key=Key(PK, "e#~"),
        fence=7,
        seq=3,
        owners=("u:ada", "s:monday"),
        updated_at=AT,
        due=AT,
        begun="0f",
        removals=5,
        erased=4,
        archived_through=2,
        has_dropped=True,
        events=6,
        facts_written=2,
        facts_superseded=1,
        legacy="done",
        legacy_through=1,
        legacy_facts="cd",
        compacted_at=NOW,
    )
    assert head.at == NOW
    assert naming(head.owners) == {"owners": HEAD["owners"]}


def test_the_head_of_a_session_that_was_only_leased_tells_of_no_turn() -> None:
    head = Head.of(LEASED)
    assert head == Head(key=Key(PK, "e#~"), fence=1)
    assert not is_due(head, NOW)
    with pytest.raises(CorruptData):
        _ = head.at


def test_a_head_whose_last_owner_was_erased_names_none() -> None:
    assert Head.of({**HEAD, **naming([])}).owners == ()


@pytest.mark.parametrize(
    "broken", [{"seq": "3"}, {"owners": 1}, {"isk": 1}, {"begun": b""}, {"sk": 1}, {"archived_through": "x"}]
)
def test_a_malformed_head_is_corrupt(broken: dict[str, Any]) -> None:
    with pytest.raises(CorruptData):
        Head.of({**HEAD, **broken})


@pytest.mark.parametrize("item", [PROCESSING, DONE, ELSEWHERE], ids=["processing", "done", "done elsewhere"])
def test_a_guard_is_written_as_it_was_read(item: dict[str, Scalar]) -> None:
    guard = Guard.of(item)
    assert list(guard.to_item().items()) == list(item.items())
    assert (guard.session, guard.turn_id) == (
        Session(Tenant("acme"), Project("garden"), SessionId("monday")),
        TurnId("t1"),
    )


def test_a_claim_is_held_until_its_time_is_up_and_a_done_turn_is_never_free_before_its_guard_expires() -> None:
    claimed, done = Guard.of(PROCESSING), Guard.of(DONE)
    later, expired = NOW + timedelta(seconds=31), NOW + timedelta(days=31)

    assert [claimed.is_held(at, Holders()) for at in (NOW, later)] == [True, False]
    assert [claimed.is_free(at, Holders()) for at in (NOW, later)] == [False, True]
    assert not done.is_held(NOW, Holders())
    assert [done.is_free(at, Holders()) for at in (NOW, later, expired)] == [False, False, True]


@pytest.mark.parametrize("broken", [{"status": 1}, {"until": "x"}, {"pk": "acme#m#garden"}, {"payload": 1}])
def test_a_malformed_guard_is_corrupt(broken: dict[str, Any]) -> None:
    with pytest.raises(CorruptData):
        Guard.of({**PROCESSING, **broken})


def test_a_due_entry_is_read_from_the_index_and_from_a_head_alike() -> None:
    entry = {"pk": PK, "sk": "e#~", "ipk": "~due#01", "isk": AT}
    assert DueEntry.of(entry) == DueEntry.of(HEAD) == DueEntry(Key(PK, "e#~"), AT)
    assert DueEntry.of(LEASED).due is None
    assert DueEntry.of(entry).session.session_id == "monday"
    with pytest.raises(CorruptData):
        _ = DueEntry.of({**entry, "pk": "acme#m#garden"}).session


@pytest.mark.parametrize("content", [SEALED, AS_BLOB], ids=["inline", "blob"])
def test_a_turn_is_written_as_it_was_read(content: dict[str, Scalar]) -> None:
    item: dict[str, Scalar] = {"pk": PK, "sk": "e#000000000012", "seq": 12, "at": AT, **content}
    turn = StoredTurn.of(item)
    assert turn == StoredTurn(Key(PK, "e#000000000012"), 12, AT, content)
    assert list(turn.to_item().items()) == list(item.items())
    with pytest.raises(CorruptData):
        StoredTurn.of(without(item, "seq"))


@pytest.mark.parametrize("sk", ["cmp#000000000012", "e#|"])
def test_a_summary_is_written_as_it_was_read(sk: str) -> None:
    item: dict[str, Scalar] = {"pk": PK, "sk": sk, "through": 12, "at": AT, **SEALED}
    summary = StoredSummary.of(item)
    assert summary == StoredSummary(Key(PK, sk), 12, NOW, SEALED)
    assert list(summary.to_item().items()) == list(item.items())
    for broken in (without(item, "through"), {**item, "at": "noon"}):
        with pytest.raises(CorruptData):
            StoredSummary.of(broken)
