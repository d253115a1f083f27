"""A backup that is made while threads commit turns and somebody is erased is the state of one moment."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.ground.adapters import Adapters
from cairn.ground.ids import TurnId, UserId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Query, prefix_range
from cairn.local.backup.backup import back_up
from cairn.log.layout import ENTRIES, log_pk
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.process.system import SystemClock, SystemEntropy
from cairn.services import Services
from cairn.turns.after_turn import commit
from support.backup import Cellar, Watched
from support.custody import ACME, SETTINGS, session
from support.custody import LARGE as VERY_LARGE
from support.services import services_over

LARGE = VERY_LARGE[:70_000]
"""Enough for a blob."""
RUNS = 100


@dataclass
class Speaker:
    """Somebody who says things in a session of this run, some of which are blobs."""

    services: Services
    user: UserId
    where: Session
    said: list[Completion] = field(default_factory=list[Completion])

    def speak(self, turns: int) -> None:
        for _ in range(turns):
            number = len(self.said)
            text, reply = f"In {number} I like tea number{number}.", LARGE if number % 2 else "Noted."
            outputs = (message("assistant", reply, "output_text"),)
            inputs = (message("user", text),)
            turn = Completion(turn_id=TurnId(f"t{number}"), user_id=self.user, inputs=inputs, outputs=outputs)
            commit(self.services, self.where, turn)
            self.said.append(turn)


def turns_of(services: Services, where: Session) -> list[str]:
    return [events[0].turn_id for _, events in services.sessions.history(where)]


def logged(services: Services, each: Speaker) -> list[str]:
    pk = log_pk(ACME, each.where.project, f"u:{each.user}")
    items = every(services.adapters.table, Query(pk, *prefix_range(ENTRIES)))
    records = [services.vault.unseal(ACME, item) for item in items]
    return [record["turn"]["id"] for record in records if record["session"] == each.where.session_id]


def confirm(services: Services, each: Speaker, committed: int) -> None:
    """Confirm that a restored store has what had been committed, and of the rest a beginning, all of it once."""
    turns, said = turns_of(services, each.where), [turn.turn_id for turn in each.said]
    assert turns == said[: len(turns)]
    assert len(turns) >= committed
    assert logged(services, each) == turns
    texts = [str(event.item) for _, events in services.sessions.history(each.where) for event in events]
    assert sum(LARGE in text for text in texts) == len(turns) // 2
    for number in range(committed):
        assert commit(services, each.where, each.said[number]).replayed
        asked = RecallRequest(query=f"tea number{number}", user_id=each.user, scope="session")
        assert any(f"number{number}" in found.content for found in recall(services, each.where, asked).found)


@pytest.mark.slow
@pytest.mark.req("R301")
def test_a_hundred_backups_beside_writers_are_each_of_one_moment(
    new_adapters: Callable[[], tuple[Any, Adapters]], tmp_path: Path
) -> None:
    for run in range(RUNS):
        store, made = new_adapters()
        adapters = replace(made, clock=SystemClock(), entropy=SystemEntropy())
        back_up_beside_writers(Cellar.under(tmp_path / str(run), adapters, store.directory))
        shutil.rmtree(tmp_path / str(run))


def back_up_beside_writers(cellar: Cellar) -> None:
    services = services_over(cellar.house.adapters, SETTINGS)
    ada, bob, guest = (Speaker(services, UserId(name), session(name)) for name in ("ada", "bob", "guest"))
    for each in (ada, bob, guest):
        each.speak(2)

    def erase_guest(_verb: str, name: str) -> None:
        if name.endswith("table.sqlite3"):  # from here on the blobs are copied, of which the guest's is gone
            eraser = EraseUser(services, cellar.house.inventory, pause=lambda _: None)
            assert eraser.run(DataScope(ACME, user=guest.user)).blobs

    threads = [Thread(target=each.speak, args=(3,)) for each in (ada, bob)]
    for thread in threads:
        thread.start()
    done = back_up(cellar.store, Watched(cellar.storage, erase_guest), SystemClock())
    for thread in threads:
        thread.join()

    there = services_over(cellar.restore()[0].adapters, SETTINGS)
    assert done.manifest.damaged == []
    assert turns_of(services, guest.where) == []
    for each in (ada, bob, guest):
        confirm(there, each, 2)
