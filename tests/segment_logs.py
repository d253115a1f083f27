"""Logs as records, and segments made of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from beliefs import fact_of
from cairn.facts.facts import Fact
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.ports import Embedder
from cairn.ground.tiers import Tier
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.memories import Ending, Memory
from cairn.log.segment import Segment
from cairn.log.segment_writer import written
from cairn.log.view import MemoryView
from recalling import vectors_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSIONS = [SessionId("s1"), SessionId("s10"), SessionId("\u00e9#")]


def fact(number: int, key: str, recorded: datetime = NOW, hours: int | None = None) -> Fact:
    ends = {} if hours is None else {"tier": Tier.L1, "expires_at": NOW + timedelta(hours=hours)}
    return fact_of(f"f{number}", recorded, fact_id="user_like", key=key, value=f"value {number}", **ends)


def records(log: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the entries as stored; turn numbers rise within their session, turn ids come back."""
    seqs = dict.fromkeys(SESSIONS, 0)
    found: list[dict[str, Any]] = []
    for number, (session, turn, changed, *more) in enumerate(cast("Sequence[tuple[Any, ...]]", log)):
        entry = None
        if turn is not None:
            seqs[session] += 1
            turn_id, lines, *speaker = turn
            said_by = speaker[0] if speaker else ()
            lines = tuple((f"{turn_id}-in-{i}", "user", text, *said_by) for i, text in enumerate(lines))
            entry = TurnEntry(turn_id=TurnId(turn_id), seq=seqs[session], events=len(lines), texts=lines)
        at = NOW + timedelta(milliseconds=number)
        remembered, forgotten = cast("Any", more or ((), ()))
        told_to = LogEntry(
            session_id=session,
            at=at,
            turn=entry,
            changes=changed,
            remembered=tuple(memory(f"m{number}.{i}", each, at) for i, each in enumerate(remembered)),
            forgotten=tuple(
                Ending(id=f"m{which}.0", at=at, session_id=session, replacement_id=new) for which, new in forgotten
            ),
        )
        found.append(told_to.to_record())
    return found


def memory(name: str, said: tuple[Any, float, str], at: datetime) -> Memory:
    kind, confidence, content = said
    return Memory(
        id=name,
        type=kind,
        content=content,
        confidence=confidence,
        rationale=None,
        scope="session",
        session_id=SESSIONS[0],
        user_id=None,
        recorded_at=at,
    )


def folded(log: Sequence[dict[str, Any]], segments: Sequence[Segment] = ()) -> MemoryView:
    view = MemoryView(segments)
    for record in log:
        view.apply(record)
    return view


def segment(
    log: Sequence[dict[str, Any]],
    low: int,
    through: int,
    segments: Sequence[Segment] = (),
    embedder: Embedder | None = None,
) -> Segment:
    """Return the segment of the entries from number `low` on, up to `through`, the first of them in segments."""
    view = folded(log, segments)
    return Segment(written(view, name(low), name(through), vectors_of(view, embedder)))


def name(number: int) -> str:
    return f"m#{number:03d}" if number else ""
