"""What the tests of a turn are made of: one session, its turns, and a process that has read nothing yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cairn.domain import layout
from cairn.domain.facts import Fact
from cairn.domain.ids import Project, SessionId, Tenant, TurnId
from cairn.domain.items import message
from cairn.domain.jobs import Job
from cairn.domain.settings import MemorySettings
from cairn.domain.turns import Completion, Session
from cairn.embedded.queue import InProcessJobs
from cairn.ports import Attributes, Key, Query
from cairn.service.paging import every
from cairn.service.parts import Parts
from cairn.service.world import World

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
OWNER = layout.owner(None, SESSION.session_id)


class RecordingJobs:
    """A queue that keeps what it was sent, in order."""

    def __init__(self) -> None:
        self.sent: list[Job] = []

    def send(self, jobs: Sequence[Job]) -> None:
        self.sent.extend(jobs)


def settle(jobs: InProcessJobs) -> None:
    """Wait until all jobs sent so far are done."""
    inside: Any = jobs
    inside._executor.submit(lambda: None).result(timeout=30)


def turn(turn_id: str, said: str, answered: str = "Noted.") -> Completion:
    return Completion(
        turn_id=TurnId(turn_id),
        inputs=(message("user", said),),
        outputs=(message("assistant", answered, "output_text"),),
    )


def cold(world: World, **knobs: Any) -> Parts:
    """Return the parts of a process that has nothing in memory yet."""
    settings = MemorySettings(**knobs)
    return Parts.of(world, lambda _: settings)


def facts(parts: Parts, session: Session = SESSION) -> dict[str, Fact]:
    """Return what the session believes, by kind."""
    owner = layout.owner(None, session.session_id)
    parts.log.refresh(session.tenant, session.project, owner)
    with parts.log.view(session.tenant, session.project, owner) as view:
        return {fact.fact_id: fact for fact in view.facts(parts.world.clock.now(), session.session_id)}


def partition(parts: Parts, pk: str) -> Iterator[Attributes]:
    return every(parts.world.table, Query(pk, "\x01", "\U0010ffff"))


def head(parts: Parts) -> Attributes:
    stored = parts.world.table.get(Key(layout.session_pk(SESSION), layout.HEAD))
    assert stored is not None
    return stored
