"""Stamp each text of a turn with whose word it is: by its events alone, so that whoever reads them finds the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from cairn.conversation.events import Event
from cairn.conversation.items import is_call, is_result, role_of, text_of
from cairn.conversation.roles import is_quoted
from cairn.detection.instructions import instructs
from cairn.ground.trust import Trust, trust_of_role
from cairn.language.terms import words

OURS: Final = frozenset({"oc_diagnostic_pod_health"})
"""The tools of ours that find something out themselves: those of memory give back what others said."""
_CLIENT_S: Final = "mcp__cairn__"
"""What Claude Code puts before the names of our tools."""
_Runs: TypeAlias = set[tuple[str, ...]]
_RUN: Final = 8
"""From how many words on that follow each other in both an answer is taken to repeat a text."""
_READ: Final = 16_000
"""In how many characters of each text that is looked for."""


def stamped(events: Sequence[Event]) -> Mapping[str, Trust]:
    """Return by event whose word it is, where its role alone does not tell.

    An answer that repeats what a tool of others gave in this turn is from outside, too.
    """
    ours = _asked_of_us(events)
    found = {event.id: _of(event, ours) for event in events}
    foreign = _Runs().union(*(_runs(event) for event in events if found[event.id] is Trust.OUTSIDE))
    for event in events:
        if foreign and found[event.id] is Trust.AGENT and not foreign.isdisjoint(_runs(event)):
            found[event.id] = Trust.OUTSIDE
        if found[event.id] is Trust.OUTSIDE and instructs(text_of(event.item)):
            found[event.id] = Trust.HELD
    return {event.id: found[event.id] for event in events if found[event.id] is not trust_of_role(role_of(event.item))}


def _of(event: Event, ours: Collection[object]) -> Trust:
    if is_result(event.item):
        return Trust.TOOL if event.item.get("call_id") in ours else Trust.OUTSIDE
    if is_quoted(event.item):
        return Trust.OUTSIDE
    return trust_of_role(role_of(event.item))


def _asked_of_us(events: Iterable[Event]) -> Collection[object]:
    """Return the ids of calls of our own tools, but of those that another tool was called under as well."""
    calls = [event.item for event in events if is_call(event.item)]
    own, others = set[object](), set[object]()
    for call in calls:
        name = str(call.get("name", "")).removeprefix(_CLIENT_S)
        (own if name in OURS else others).add(call.get("call_id"))
    return own - others


def _runs(event: Event) -> _Runs:
    """Return each so many words on end of an event's text."""
    said = words(text_of(event.item)[:_READ])
    return set(zip(*(said[start:] for start in range(_RUN)), strict=False))
