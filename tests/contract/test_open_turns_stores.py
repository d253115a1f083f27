"""Turns that wait for their end, on every store that Cairn has."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from cairn.conversation.items import message, text_of
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.ids import TurnId, UserId
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.process.system import in_turn
from cairn.sessions.layout import session_pk
from cairn.sessions.open_turns import OpenTurn
from cairn.turns import open_turns
from cairn.vault.vault import MAX_INLINE_BYTES
from support.doubles import RecordingJobs
from support.turns import SESSION, cold, partition

ADA = UserId("ada")
LONG = " ".join(f"line {sha256(str(number).encode()).hexdigest()} of the log" for number in range(1_000))
"""What is a blob for its length, compressed too."""
ANSWER = (message("assistant", "Noted.", "output_text"),)


@pytest.fixture
def adapters(*, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> Adapters:
    return Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())


def test_the_long_turn_is_too_long_for_an_item() -> None:
    assert len(codec.pack({"text": LONG})) > MAX_INLINE_BYTES


@pytest.mark.req("R311")
@pytest.mark.parametrize("said", ["We use pnpm.", LONG], ids=["short", "long"])
def test_a_turn_is_begun_noted_ended_and_maintained(said: str, adapters: Adapters, clock: Any) -> None:
    services = cold(adapters)
    for name in ("1", "2"):
        turn = OpenTurn(turn_id=TurnId(name), user_id=ADA, at=clock.now(), inputs=(message("user", said),))
        for _ in range(2):
            open_turns.begin(services, SESSION, turn)
    done = OpenTurn(turn_id=TurnId("2"), user_id=ADA, at=clock.now(), notes=(message("tool", "42 passed"),))
    services.open_turns.note(SESSION, done, "t1")
    for _ in range(2):
        open_turns.end(services, SESSION, ADA, TurnId("2"), (), ANSWER)
    third = OpenTurn(turn_id=TurnId("3"), user_id=ADA, at=clock.now(), inputs=(message("user", "Hello?"),))
    open_turns.begin(services, SESSION, third)

    clock.advance(hours=2)
    services.maintenance.run(SESSION)

    history = cold(services.adapters).sessions.history(SESSION)
    assert [[text_of(event.item) for event in events] for _, events in history] == [
        [said],
        [said, "42 passed", "Noted."],
        ["Hello?"],
    ]
    clock.advance(hours=2)
    services.maintenance.run(SESSION)
    assert services.open_turns.read(SESSION) == []
    assert [item for item in partition(services, session_pk(SESSION)) if str(item["sk"]).startswith("drop#")] == []
