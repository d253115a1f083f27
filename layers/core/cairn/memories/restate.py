"""Record a fact anew, in the place of what is believed: as a person's word, which is no turn's.

The user's logs are read, and what is decided by them is written in one transaction that holds only if nobody appended
to either meanwhile; else they are read and it is decided again. So a matter never has two beliefs in a log, and who
asks again after a lost answer finds it done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from cairn.facts.facts import Changes, Fact, Outdated, Recording, State, normalise, outdated
from cairn.ground.adapters import Pending
from cairn.ground.errors import Conflict, TransactionRefused
from cairn.ground.ids import UserId, time_ordered_id
from cairn.ground.session import Session
from cairn.ground.table import Put, Write
from cairn.log.entries import LogEntry
from cairn.log.layout import log_pk
from cairn.log.newest import Newest
from cairn.memories.beliefs import Belief, Beliefs
from cairn.sessions.open_logs import open_logs, visibility_of
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import asking_for, give_vectors, transact

T = TypeVar("T")


class Restated(NamedTuple):
    """A new belief, and the fact whose place it takes, if any."""

    new: Belief
    old: Fact | None = None


Decide = Callable[[Beliefs, Recording], tuple[T, Restated | None]]
"""Returns the answer, and what it takes; nothing where it is so already."""


def restate(services: SessionServices, session: Session, author: UserId | None, decide: Decide[T]) -> T:
    """Return the answer that is decided on, with what it takes recorded once."""
    return _Restating(services, session, author, decide).run()


def sentences(beliefs: Beliefs, belief: Belief) -> tuple[Outdated, ...]:
    """Return the sentences of other sessions that do not say what a new belief says."""
    value = normalise(belief.fact.value)
    others = (fact for fact in beliefs.heard(belief) if fact.state is State.ACTIVE and normalise(fact.value) != value)
    return tuple(sentence for fact in others for sentence in outdated(fact))


def overtaken(by: str | None) -> Conflict:
    """Return the error that says that another change came first, and which id holds now."""
    return Conflict("something else took the place of this meanwhile", {"memory_id": by})


class _Restating(Generic[T]):
    """One call."""

    def __init__(self, services: SessionServices, session: Session, author: UserId | None, decide: Decide[T]) -> None:
        self._services = services
        self._session = session
        self._author = author
        self._decide = decide
        self._visibility = visibility_of(services, session, author, "user")
        self._answers: list[T] = []
        self._written = ""
        self._appends: list[Put] = []

    def run(self) -> T:
        transact(self._services, self._writes, _try_again, self._requests)
        if self._appends:
            give_vectors(self._services, self._session, self._written, *self._appends)
        return self._answers[-1]

    def _writes(self) -> Sequence[Write]:
        newest = self._newest()
        open_logs(self._services, self._visibility)
        answer, restated = self._decide(Beliefs(self._services, self._visibility), self._recording())
        self._answers.append(answer)
        self._appends.clear()
        if restated is None:
            return ()
        self._written = restated.new.owner
        return self._of(restated, newest)

    def _of(self, restated: Restated, newest: Mapping[str, Newest | None]) -> list[Write]:
        """Return what records the new belief, and the end of the old one."""
        owner, holder, fact = restated.new
        now, old = self._services.adapters.clock.now(), restated.old
        ended = (replace(old, state=State.SUPERSEDED, valid_to=now, superseded_by=fact.id),) if old else ()
        entry = LogEntry(session_id=holder, at=now, changes=Changes(added=(fact,), superseded=ended))
        append = self._services.log.append(self._session.tenant, self._session.project, owner, entry)
        self._appends.append(append)
        return [append, *self._services.log.alone(append, newest)]

    def _newest(self) -> Mapping[str, Newest | None]:
        """Return how far the logs go, by their partitions, before they are read."""
        place = self._session.tenant, self._session.project
        asked = {
            log_pk(*place, owner): Pending(partial(self._services.log.newest, *place, owner))
            for owner in self._visibility.own
        }
        self._services.adapters.parallel(list(asked.values()))
        return {pk: each.result for pk, each in asked.items()}

    def _requests(self) -> Sequence[Callable[[], object]]:
        jobs = self._services.log.wanted(self._session.tenant, self._session.project, self._written)
        return asking_for(self._services, jobs)

    def _recording(self) -> Recording:
        """Return how a fact is recorded that no turn teaches."""
        settings, adapters = self._services.settings.memory_for(self._session.tenant), self._services.adapters
        now = adapters.clock.now()
        return Recording(
            turn_id="",
            user_id=self._author,
            now=now,
            new_id=lambda: time_ordered_id(now, adapters.entropy.token(10)),
            l1_days=settings.l1_retention_days,
            l2_days=settings.l2_retention_days,
        )


def _try_again(_: Sequence[Write], __: TransactionRefused) -> None:
    """Settle nothing: whatever was refused is decided again, by what the logs say then."""
