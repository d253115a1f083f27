"""Run transactions that append to logs, and try again if others appended meanwhile or the store is busy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from cairn.ground.errors import CairnError, TransactionRefused, Unavailable
from cairn.ground.ids import is_branch
from cairn.ground.jobs import EmbedLog, Job
from cairn.ground.session import Session
from cairn.ground.table import Put, Write
from cairn.sessions.services import SessionServices

ATTEMPTS = 6
RETRY_SECONDS = 0.05
T = TypeVar("T")


def asking_for(services: SessionServices, jobs: Sequence[Job]) -> list[Callable[[], object]]:
    """Return the call, if there are jobs, that sends them beside a transaction; if it fails, a later one asks again."""

    def send() -> None:
        with suppress(CairnError):
            services.adapters.jobs.send(jobs)

    return [send] if jobs else []


def give_vectors(services: SessionServices, session: Session, owner: str, *appends: Put) -> None:
    """Give what was just appended to an owner's logs its vectors, where this process does that; else a job was sent.

    Raises nothing: where it cannot, a job is asked to.
    """
    if not services.log.gives_vectors or is_branch(session.project):
        return
    try:
        is_given = services.tail_vectors.give(session.tenant, [append.item for append in appends])
    except CairnError:
        is_given = False
    for send in () if is_given else asking_for(services, [EmbedLog(session.tenant, session.project, owner)]):
        send()


def transact(
    services: SessionServices,
    make: Callable[[], Sequence[Write]],
    settled: Callable[[Sequence[Write], TransactionRefused], T | None],
    beside: Callable[[], Sequence[Callable[[], object]]] = tuple,
) -> T | None:
    """Write what `make` returns, if anything, all or none, and return None; or else what `settled` makes of a refusal.

    Where that is None it is tried again, with writes and calls beside them made anew; Unavailable after ATTEMPTS. Who
    was outrun once tries again at once.
    """
    for attempt in range(ATTEMPTS):
        writes = make()
        if not writes:
            return None
        try:
            services.adapters.parallel([partial(services.adapters.table.transact, writes), *beside()])
        except TransactionRefused as refused:
            was_outrun = services.log.was_outrun(writes, refused)
            if not was_outrun and (found := settled(writes, refused)) is not None:
                return found
            if attempt or not was_outrun:
                services.adapters.clock.sleep(RETRY_SECONDS * 2**attempt)
        else:
            return None
    raise Unavailable("the store refused repeatedly; nothing was written")
