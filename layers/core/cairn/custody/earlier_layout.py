"""The content of a session in the legacy layout: turns, changes of facts, ids of processed turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cairn.conversation.events import Event
from cairn.facts.facts import Fact, Source, State, identity, normalise
from cairn.ground.ids import TurnId, UserId
from cairn.ground.settings import MemorySettings
from cairn.ground.tiers import Tier, expires_at


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn with its events, at the time of the first."""

    turn_id: TurnId
    user_id: UserId | None
    at: datetime
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRecord:
    """One line about a fact: it holds from now on, or, by its state, no longer."""

    id: str
    at: datetime
    fact_id: str
    key: str
    value: str
    confidence: float
    tier: Tier
    state: State
    expires_at: datetime | None
    turn_id: str
    user_id: str | None


@dataclass(frozen=True, slots=True)
class EarlierHistory:
    """A session as its legacy files describe it, each part in the order of time."""

    turns: tuple[EarlierTurn, ...] = ()
    facts: tuple[FactRecord, ...] = ()
    processed: tuple[TurnId, ...] = ()


def turns_of(events: Iterable[Event]) -> tuple[EarlierTurn, ...]:
    """Return the turns of these events, in the order in which they began; an event counts once."""
    turns: dict[TurnId, dict[str, Event]] = {}
    for event in events:
        turns.setdefault(event.turn_id, {}).setdefault(event.id, event)
    found = [(name, tuple(held.values())) for name, held in turns.items()]
    return tuple(EarlierTurn(name, held[0].user_id, held[0].ts, held) for name, held in found)


def facts_of(records: Sequence[FactRecord], now: datetime, settings: MemorySettings) -> tuple[Fact, ...]:
    """Return every fact of these records as they leave it: believed, or when and how it ended.

    One past its expiry has expired; one of a short-lived tier without an expiry has that of its tier.
    """
    found: dict[str, Fact] = {}
    held: dict[tuple[str, str], str] = {}
    for record in sorted(records, key=lambda record: record.at):
        fact = _fact(record, found, settings)
        before = found.get(held.get(identity(fact), ""))
        live = before is not None and before.is_live(record.at)
        if before is not None and not live:
            found[before.id] = _expired(before)
        if record.state is not State.ACTIVE:
            if before is not None and live:
                found[before.id] = replace(before, state=record.state, valid_to=record.at)
            held.pop(identity(fact), None)
        elif before is not None and live and _says_the_same(before, fact):
            found[before.id] = replace(before, last_seen=record.at)
        else:
            if before is not None and live:
                ended = replace(before, state=State.SUPERSEDED, valid_to=record.at, superseded_by=fact.id)
                found[before.id], fact = ended, replace(fact, supersedes=before.id)
            found[fact.id] = fact
            held[identity(fact)] = fact.id
    lapsed = [fact for fact in found.values() if fact.state is State.ACTIVE and not fact.is_live(now)]
    found.update({fact.id: _expired(fact) for fact in lapsed})
    return tuple(found.values())


def _fact(record: FactRecord, found: dict[str, Fact], settings: MemorySettings) -> Fact:
    """Return the fact that a record speaks of; its id is made its own where another fact has it."""
    lasts_until = expires_at(record.tier, record.at, settings.l1_retention_days, settings.l2_retention_days)
    return Fact(
        id=record.id if record.id not in found else f"{record.id}~{len(found)}",
        fact_id=record.fact_id,
        key=record.key,
        value=record.value,
        confidence=record.confidence,
        tier=record.tier,
        source=Source(turn_id=record.turn_id, event_id="", quote="", user_id=record.user_id),
        valid_from=record.at,
        recorded_at=record.at,
        last_seen=record.at,
        expires_at=record.expires_at or lasts_until,
    )


def _expired(fact: Fact) -> Fact:
    return replace(fact, state=State.EXPIRED, valid_to=fact.expires_at)


def _says_the_same(one: Fact, other: Fact) -> bool:
    return one.tier is other.tier and normalise(one.value) == normalise(other.value)
