"""Tell what became since of what an answer held: forgotten, replaced, taken back, erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from cairn.branches.model import named
from cairn.calls import listing
from cairn.calls.record import ADMITTED, ERASING, AuditRecord
from cairn.ground.ids import Project, Tenant, branch_of, trunk
from cairn.ground.session import Subject
from cairn.log.branches import Branch, branch_key
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
_ENDS: Final[Mapping[str, What]] = {"merge": "merged", "drop": "dropped"}
_MOST_PAGES: Final = 10
_AT_ONCE: Final = 100


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
    for record in _admitted(services, tenant, at, _REMOVING):
        if _may_touch(record.subject.project, about.project):
            yield Since(what=_REMOVING[record.tool], at=record.at, id=record.subject.turn_id, about=record.subject)


def branch_over(services: SessionServices, tenant: Tenant, project: Project, at: datetime) -> Sequence[Since] | None:
    """Return how the branch ended on which something was asked at a moment, None where it is there still.

    One that was made since is another, though it has the name. Nothing where no call on record says how it ended.
    """
    whose, item = Subject(project=project), services.adapters.table.get(branch_key(tenant, project))
    branch = None if item is None else Branch.of(tenant, project, item)
    if branch is not None and branch.made_at <= at:
        closed = branch.closed_at
        return None if closed is None else [Since(what=_ENDS[branch.closing], at=closed, about=whose)]
    ends: dict[str, What] = {named(verb, branch_of(project)): what for verb, what in _ENDS.items()}
    calls = _admitted(services, tenant, at, ["memory_branch"])
    mine = [call for call in calls if call.subject.project == trunk(project) and call.subject.key in ends]
    return [Since(what=ends[call.subject.key or ""], at=call.at, about=whose) for call in mine[-1:]]


def _admitted(
    services: SessionServices, tenant: Tenant, since: datetime, tools: Collection[str]
) -> Iterator[AuditRecord]:
    """Yield the calls of these tools and commands since a moment that did not fail, the newest first."""
    rest: listing.Stretch | None = listing.Stretch.of(since, services.adapters.clock.now())
    for _ in range(_MOST_PAGES):
        if rest is None:
            return
        page = listing.page(services.adapters, tenant, rest, listing.Wanted(outcome=ADMITTED, tools=tools), _AT_ONCE)
        yield from page.calls
        rest = page.rest


def _may_touch(project: Project | None, other: Project | None) -> bool:
    return project is None or other is None or trunk(project) == trunk(other)
