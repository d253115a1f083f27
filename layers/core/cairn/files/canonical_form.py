"""Render a session's memory as files of the canonical layout: the same memory gives the same bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cairn.conversation.events import Event, EventType
from cairn.conversation.items import message
from cairn.facts.facts import Fact, State, identity, to_record
from cairn.files import periods as shards
from cairn.files.summaries import MAX_ABSTRACT_WORDS, MAX_OVERVIEW_WORDS
from cairn.ground.codec import canonical, compress, rfc3339
from cairn.ground.settings import MemorySettings
from cairn.ground.tiers import Tier
from cairn.log.entries import TurnStamp
from cairn.sessions.summary import Summary

_ARCHIVE_LEVEL = 9
_OPERATIONS = {State.ACTIVE: "fact_upsert", State.SUPERSEDED: "fact_supersede", State.DELETED: "fact_delete"}


@dataclass(frozen=True, slots=True)
class View:
    """The content of a rendered file; `lines` are its records if the file is compressed."""

    content: bytes
    updated_at: datetime
    lines: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Facts about a session as a whole: its turns, counters and watermarks."""

    turns: Sequence[TurnStamp]
    updated_at: datetime
    counters: Mapping[str, int]
    compacted_at: datetime | None
    compacted_through: int
    maintained_at: datetime | None
    archived_through: int


def meta_files(meta: Meta, settings: MemorySettings) -> dict[str, View]:
    """Return `meta/`: state, policy and watermarks."""
    return {
        "meta/state.json": _document(_state(meta, settings.max_processed_turns), meta.updated_at),
        "meta/policy.json": _document(_policy(settings), meta.updated_at),
        "meta/watermarks.json": _document(_watermarks(meta), meta.updated_at),
    }


def event_files(turns: Iterable[tuple[TurnStamp, Sequence[Event]]], archived_through: int) -> dict[str, View]:
    """Return `events/raw` and `events/archive`, a file for each day on which something was said."""
    days: defaultdict[str, list[bytes]] = defaultdict(list)
    changed: dict[str, datetime] = {}
    for stamp, events in turns:
        path = shards.events("archive" if stamp.seq <= archived_through else "raw", stamp.at)
        days[path].extend(_line(event.to_record()) for event in events)
        changed[path] = stamp.at
    return {path: _shard(path, b"".join(lines), changed[path]) for path, lines in days.items()}


def compact_files(summaries: Iterable[tuple[datetime, Summary]]) -> dict[str, View]:
    """Return `events/compact`, a file for each day on which turns were summed up."""
    days: defaultdict[str, list[bytes]] = defaultdict(list)
    changed: dict[str, datetime] = {}
    for at, summary in summaries:
        path = shards.events("compact", at)
        days[path].append(compact_line(at, summary))
        changed[path] = at
    return {path: View(b"".join(lines), changed[path]) for path, lines in days.items()}


def fact_files(facts: Iterable[Fact]) -> dict[str, View]:
    """Return `memory_tiers/`: every fact there ever was, in the file of when it was recorded."""
    periods: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        periods[shards.facts(fact)].append(fact)
    return {path: View(fact_lines(held), max(map(_changed_at, held))) for path, held in periods.items()}


def index_files(facts: Sequence[Fact], updated_at: datetime) -> dict[str, View]:
    """Return `indexes/`: the facts believed now, by what they are about and, where users differ, by whom."""
    found: dict[str, dict[str, Any]] = {}
    for fact in sorted(facts, key=_order):
        about = "::".join(identity(fact))
        key = about if about not in found else f"{about}::{fact.source.user_id or ''}"
        found[key] = _fact_record(fact)
    return {"indexes/active_facts.json": _document({"updated_at": rfc3339(updated_at), "facts": found}, updated_at)}


def event_lines(events: Iterable[Event]) -> bytes:
    """Return events as lines of JSON."""
    return b"".join(_line(event.to_record()) for event in events)


def fact_lines(facts: Iterable[Fact]) -> bytes:
    """Return facts as lines of JSON, in the order in which they were recorded."""
    return b"".join(_line(_fact_record(fact)) for fact in sorted(facts, key=_order))


def compact_line(at: datetime, summary: Summary) -> bytes:
    """Return a summary as the event that stands for the turns it sums up."""
    record = {
        "id": f"compact-{summary.through}",
        "ts": rfc3339(at),
        "type": EventType.COMPACT_SUMMARY.value,
        "turn_id": None,
        "user_id": None,
        "item": message("user", canonical(summary.to_record()).decode()),
    }
    return _line(record)


def _state(meta: Meta, history: int) -> dict[str, Any]:
    return {
        "version": 1,
        "latest_turn_id": meta.turns[-1].turn_id if meta.turns else "",
        "processed_turn_ids": [turn.turn_id for turn in meta.turns[-history:]],
        "last_compact_at": meta.compacted_at and rfc3339(meta.compacted_at),
        "last_maintenance_at": meta.maintained_at and rfc3339(meta.maintained_at),
        "updated_at": rfc3339(meta.updated_at),
        "counters": {"turns": len(meta.turns), **meta.counters},
    }


def _policy(settings: MemorySettings) -> dict[str, Any]:
    return {
        "version": 1,
        "timezone": "UTC",
        "tiers": {
            Tier.L0.value: {"retention_days": 0, "auto_delete": False},
            Tier.L1.value: {"retention_days": settings.l1_retention_days, "auto_delete": True},
            Tier.L2.value: {"retention_days": settings.l2_retention_days, "auto_delete": True},
        },
        "compaction": {
            "enabled": True,
            "min_shard_age_hours": settings.compaction_min_age_hours,
            "compression": "zstd",
        },
        "summary": {
            "abstract_words_max": MAX_ABSTRACT_WORDS,
            "overview_words_max": MAX_OVERVIEW_WORDS,
            "refresh_interval_minutes": settings.summary_refresh_interval_minutes,
        },
    }


def _watermarks(meta: Meta) -> dict[str, Any]:
    return {
        "updated_at": rfc3339(meta.updated_at),
        "last_processed_turn_id": meta.turns[-1].turn_id if meta.turns else "",
        "last_raw_event_ts": rfc3339(meta.turns[-1].at) if meta.turns else "",
        "raw_event_count": sum(turn.events for turn in meta.turns if turn.seq > meta.archived_through),
        "archived_through_turn": meta.archived_through,
        "compacted_through_turn": meta.compacted_through,
    }


def _fact_record(fact: Fact) -> dict[str, Any]:
    """Return the record of a fact, with the names that the reference client has for some of its fields beside them."""
    return {
        **to_record(fact),
        "ts": rfc3339(fact.recorded_at),
        "type": _OPERATIONS.get(fact.state, "fact_upsert"),
        "source_turn_id": fact.source.turn_id,
    }


def _order(fact: Fact) -> tuple[datetime, str]:
    return fact.recorded_at, fact.id


def _changed_at(fact: Fact) -> datetime:
    return max(fact.recorded_at, fact.valid_to or fact.recorded_at, fact.last_seen)


def _shard(path: str, lines: bytes, updated_at: datetime) -> View:
    if not path.endswith(".zst"):
        return View(lines, updated_at)
    return View(compress(lines, _ARCHIVE_LEVEL), updated_at, lines)


def _document(value: dict[str, Any], updated_at: datetime) -> View:
    return View(canonical(value) + b"\n", updated_at)


def _line(record: Mapping[str, Any]) -> bytes:
    return canonical(record) + b"\n"
