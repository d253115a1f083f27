"""Tell what became since of what an answer held: forgotten, replaced, taken back, erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from cairn.calls import listing
from cairn.calls.record import ADMITTED, ERASING
from cairn.ground.ids import Project, Tenant, trunk
from cairn.ground.session import Subject
from cairn.log.layout import is_across, log_of
from cairn.log.stretch import moment_of
from cairn.overview.tracing import traced
from cairn.replay.as_of import is_log
from cairn.replay.model import Since, What
from cairn.sessions.services import SessionServices
from cairn.upkeep.retention import COMMAND

_REMOVING: Final[Mapping[str, What]] = {
    "memory_take_back_turn": "taken_back",
    COMMAND: "erased",
    **dict.fromkeys(ERASING, "erased"),
}
"""What takes entries out of logs, by its name on record."""
_MOST_PAGES: Final = 10
_MOST_REMOVALS: Final = 100


def ended(services: SessionServices, read: Iterable[str], ids: Collection[str], at: datetime) -> Iterator[Since]:
    """Yield which of these facts and memories ended after a moment, as the logs say that were read."""
    told = set[str]()
    for pk in filter(is_log, read):
        tenant, project, owner = log_of(pk)
        services.log.refresh(tenant, project, owner)
        with services.log.view(tenant, project, owner) as view:
            known = traced(view, everywhere=is_across(project)).traces.by_id
            for name in ids:
                end = None if name in told or name not in known else known[name].end
                if end is not None and moment_of(end.at) > at:
                    told.add(name)
                    yield Since(what=end.how, at=moment_of(end.at), id=name, by=known[name].by or end.by)


def removed(services: SessionServices, tenant: Tenant, about: Subject, at: datetime) -> Iterator[Since]:
    """Yield what was taken out of logs of the project since, by whatever call or command, newest first."""
    rest: listing.Stretch | None = listing.Stretch.of(at, services.adapters.clock.now())
    wanted = listing.Wanted(tools=_REMOVING.keys())
    for _ in range(_MOST_PAGES):
        if rest is None:
            return
        page = listing.page(services.adapters, tenant, rest, wanted, _MOST_REMOVALS)
        for record in page.calls:
            of = record.subject
            if record.outcome == ADMITTED and _may_touch(of.project, about.project):
                yield Since(what=_REMOVING[record.tool], at=record.at, id=of.turn_id, about=of)
        rest = page.rest


def _may_touch(project: Project | None, other: Project | None) -> bool:
    return project is None or other is None or trunk(project) == trunk(other)
