"""Find how far a call had read, of which its receipt has a digest, among the few positions that its moment allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import combinations, islice, product

from cairn.calls.receipts import digest_of_positions
from cairn.ground.ids import time_ordered_id
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Key, Query
from cairn.log.layout import log_sk
from cairn.replay.as_of import is_log
from cairn.replay.sessions import newest_at, summaries, turns_back
from cairn.sessions.layout import session_of
from cairn.sessions.services import SessionServices

_NEARBY = timedelta(minutes=2)
"""How far from its moment a call may have read: a cache is a minute old, and clocks differ."""
_MOST_ENTRIES, _MOST_TURNS = 100, 2
"""How many entries of a log, and how many turns, are looked at on each side of the moment."""
_MOST = 200_000
"""How many combinations are tried: a second or two."""
_LOWEST, _HIGHEST = bytes(10), b"\xff" * 10


def found(
    services: SessionServices, seen: Mapping[str, str], at: datetime, digest: str, items: int
) -> Mapping[str, str] | None:
    """Return the positions of which this is the digest, near those seen by the time; None where none are."""
    possible = {name: list(_possible(services, name, at, items)) for name in seen}
    # What is read by the time is nearly always what was read, and seldom more than one log was read less far.
    tried = (
        {**seen, **dict(zip(others, each, strict=True))}
        for count in range(1, len(seen) + 1)
        for others in combinations(seen, count)
        for each in product(*(possible[name] for name in others))
    )
    return next((each for each in islice(tried, _MOST) if digest_of_positions(each) == digest), None)


def _possible(services: SessionServices, name: str, at: datetime, items: int) -> Iterator[str]:
    return _of_log(services, name, at) if is_log(name) else _of_session(services, session_of(name), at, items)


def _of_log(services: SessionServices, pk: str, at: datetime) -> Iterator[str]:
    """Yield entries near a moment, the newest before them, and "" for a log that was not read."""
    here, since = log_sk(time_ordered_id(at, _HIGHEST)), log_sk(time_ordered_id(at - _NEARBY, _LOWEST))
    later = log_sk(time_ordered_id(at + _NEARBY, _HIGHEST))
    before = every(services.adapters.table, Query(pk, log_sk("0"), here, descending=True, limit=_MOST_ENTRIES))
    after = every(services.adapters.table, Query(pk, here, later, limit=_MOST_ENTRIES))
    for item in islice(before, _MOST_ENTRIES):
        yield Key.of(item).sk
        if Key.of(item).sk < since:
            break
    yield from (Key.of(item).sk for item in islice(after, _MOST_ENTRIES))
    yield ""


def _of_session(services: SessionServices, session: Session, at: datetime, items: int) -> Iterator[str]:
    """Yield which turns may have been read, from the first to the newest, and how far the session was summed up."""
    newest = newest_at(services, session, at)
    # None at all where a branch goes on from turns that were archived.
    ends = dict.fromkeys([0, *range(max(0, newest - _MOST_TURNS), newest + _MOST_TURNS + 1)])
    begins = [seq for seq, _ in islice(turns_back(services, session, newest + _MOST_TURNS + 1), items)]
    before = len(summaries(services, session, at))
    summed_up = summaries(services, session, at + _NEARBY)[max(0, before - _MOST_TURNS) : before + _MOST_TURNS]
    for first, end, through in product([0, *begins], ends, summed_up):
        if first <= end:
            yield f"{first}-{end}/{through}"
