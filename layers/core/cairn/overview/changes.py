"""List what changed in what is known of a user, newest first: in the project, and in every one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from cairn.facts.facts import subject
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import SessionId, UserId
from cairn.log.layout import USER_OWNER
from cairn.log.stretch import moment_of
from cairn.overview.known import shown
from cairn.overview.model import Change, Page, Place
from cairn.overview.story import Story, back, refresh, told
from cairn.overview.traces import Order, Row, Trace, is_end
from cairn.overview.tracing import fact_at, memory_at
from cairn.sessions.services import SessionServices


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose changes, and which: of one fact or memory and its lineage, those that one conversation made, or all."""

    user: UserId
    memory_id: str | None = None
    taught_in: SessionId | None = None


def changes(services: SessionServices, where: Place, wanted: Wanted, cursor: str, limit: int) -> Page[Change]:
    """Return the changes behind the cursor, in one round as a rule; InvalidArgument for what is no cursor."""
    before, owner = _position(cursor), f"{USER_OWNER}{wanted.user}"
    refresh(services, where, [owner])
    with told(services, where, owner) as story:
        found = [*islice(_rows(story, where, wanted, before), limit + 1)]
        listed = tuple(_change(row, story, where) for row in found[:limit])
    return Page(listed, _cursor(found[limit - 1]) if len(found) > limit else None)


def _rows(story: Story, where: Place, wanted: Wanted, before: Order | None) -> Iterator[Row]:
    """Return the rows that are wanted, the newest first."""
    if wanted.taught_in is None:
        return story.newest(before) if wanted.memory_id is None else back(story.lineage(wanted.memory_id), before)
    made = story.made_in(where.project, wanted.taught_in)
    if wanted.memory_id is not None:
        kin = {row[:3] for row in story.lineage(wanted.memory_id)}
        made = [row for row in made if row[:3] in kin]
    return back(made, before)


def _change(row: Row, story: Story, where: Place) -> Change:
    at, rank, _, trace = row
    log = story.of(trace)
    about, value, quote, turn, why = _content(story, trace)
    ending = log.view.ending(trace.id) if is_end(rank) else None
    return Change(
        at=moment_of(at),
        kind=trace.kind(rank),
        id=trace.id,
        about=about,
        value=value,
        was=_content(story, trace.was)[1] if trace.was is not None and not is_end(rank) else None,
        quote=quote,
        session_id=shown(where, log.owner, trace.session_of(rank)),
        turn_id="" if is_end(rank) else turn,
        by=trace.by,
        reason=(None if ending is None else ending.reason) if is_end(rank) else why,
        everywhere=trace.everywhere,
        believed=story.is_believed(trace),
    )


def _content(story: Story, trace: Trace) -> tuple[str, str, str, str, str | None]:
    """Return what a trace is about, its value, the words behind it, the turn they were said in, why it holds again."""
    view = story.of(trace).view
    if trace.about is None:
        memory = memory_at(view, trace.position)
        return memory.type, memory.content, memory.rationale or "", "", memory.why
    fact = fact_at(view, trace.position)
    return subject(fact), fact.value, fact.source.quote, fact.source.turn_id, fact.why


def _cursor(row: Row) -> str:
    at, rank, name, _ = row
    return f"{at} {rank} {name}"


def _position(cursor: str) -> Order | None:
    if not cursor:
        return None
    at, _, rest = cursor.partition(" ")
    rank, _, name = rest.partition(" ")
    try:
        return int(at), int(rank), name
    except ValueError:
        raise InvalidArgument("cursor", "is none that a page ended with") from None
