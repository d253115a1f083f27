"""A project with many conversations and memories in a data directory as `cairn serve` opens it.

Each conversation has one turn, stored through the engine, that teaches a fact. Its memories are put into the log as
`remember` writes them, without the item that keeps them from being kept twice. Users take turns, so that each has as
many conversations as any other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, TurnId, UserId
from cairn.ground.session import Session
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn.log.entries import LogEntry
from cairn.log.layout import log_owner, with_across
from cairn.log.memories import Memory
from cairn.services import Services
from cairn.turns.after_turn import commit
from long_log import Moved
from over_adapters import services_over
from recall_engine import MODEL, NoJobs, StoryClock
from recall_sets import FITTED_ON, read

PROJECT = Project("garden")
_SPAN = timedelta(days=300)
"""How long ago the first conversation was."""
_PLACES = ("Oslo", "Bergen", "Lisbon", "Vienna", "Porto", "Ghent", "Turin", "Malmö")
_WORDS = 5_000
_INDEXED = 800
"""After how many conversations all logs are indexed."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is of what."""

    sessions: int
    memories: int
    users: int

    def user(self, number: int) -> UserId:
        """Return whose the conversation of this number is."""
        return UserId(f"user-{number % self.users}")

    def session(self, number: int) -> SessionId:
        """Return the name of the conversation of this number."""
        return SessionId(f"session-{number:05}")


def fill(directory: Path, size: Size, seed: int) -> None:
    """Store all of it, and index every log."""
    clock = StoryClock()
    clock.turn_to(datetime.now(UTC) - _SPAN)
    adapters = replace(operator_services(directory, {}).adapters, clock=clock, jobs=NoJobs())
    services = services_over(adapters, embedder=Moved(MODEL))
    texts, step = _texts(seed), _SPAN.total_seconds() / (size.sessions + size.memories + 1)
    for number in range(size.sessions):
        user, session = size.user(number), Session(LOCAL_TENANT, PROJECT, size.session(number))
        clock.sleep(step)
        commit(services, session, _turn(number, user))
        kept = range(number * size.memories // size.sessions, (number + 1) * size.memories // size.sessions)
        memories: list[Memory] = []
        for place, said in zip(kept, islice(texts, len(kept)), strict=True):
            clock.sleep(step)
            memories.append(_memory(place, said, session.session_id, user, clock.now()))
        _keep(services, user, memories)
        if number % _INDEXED == _INDEXED - 1:
            _index(services, size)
    _index(services, size)


def _index(services: Services, size: Size) -> None:
    for number in range(size.users):
        for owner in with_across([log_owner(size.user(number), size.session(number))]):
            services.indexer.run(LOCAL_TENANT, PROJECT, owner)


def _turn(number: int, user: UserId) -> Completion:
    said = message("user", f"I live in {_PLACES[number // 100 * 7 % len(_PLACES)]} now.")
    answer = message("assistant", "Noted.", "output_text")
    return Completion(turn_id=TurnId("t1"), inputs=(said,), outputs=(answer,), user_id=user)


def _memory(number: int, said: str, session: SessionId, user: UserId, at: datetime) -> Memory:
    return Memory(
        id=f"u-{number:032x}",
        type="decision",
        content=said,
        confidence=0.9,
        rationale=None,
        scope="user",
        session_id=session,
        user_id=user,
        recorded_at=at,
    )


def _keep(services: Services, user: UserId, memories: list[Memory]) -> None:
    """Append each as an entry of its own, all in one transaction."""
    appends = [
        services.log.append(
            LOCAL_TENANT,
            PROJECT,
            log_owner(user, each.session_id),
            LogEntry(session_id=each.session_id, at=each.recorded_at, remembered=(each,)),
        )
        for each in memories
    ]
    if appends:
        services.adapters.table.transact([*appends, *services.log.in_order(*appends)])


def _texts(seed: int) -> Iterator[str]:
    """Yield what was said in Cairn's own conversations over and over, each time with two other words."""
    words = random.Random(seed)  # noqa: S311 - noise
    for text in cycle([text.said for each in read(FITTED_ON) for text in each.texts]):
        yield f"{text} ~ w{words.randrange(_WORDS)} w{words.randrange(_WORDS)}"
