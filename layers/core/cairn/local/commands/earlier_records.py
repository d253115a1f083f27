"""The legacy files of sessions, as they are found in a directory.

A session's files stand in a directory that is named after it: `log.jsonl`, or where that is absent `context.jsonl`;
`memory_facts.jsonl`; `meta.json`. Or one document, `legacy*.json`, that holds the same under `log`, `context`,
`memory_facts` and `meta`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import AliasChoices, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from cairn.conversation.events import Event, EventType
from cairn.custody.earlier_layout import EarlierHistory, FactRecord, turns_of
from cairn.edge.validation import check_values
from cairn.facts.facts import State
from cairn.ground import ids
from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.ground.ids import SessionId, TurnId, UserId
from cairn.ground.settings import Limits
from cairn.ground.tiers import Tier

_LOGS = ("log.jsonl", "context.jsonl")
_FACTS, _META = "memory_facts.jsonl", "meta.json"
_DOCUMENT = "legacy*.json"
_ENDED = {"fact_delete": State.DELETED, "fact_supersede": State.SUPERSEDED}
Record = TypeVar("Record", bound="_Record")


@dataclass(frozen=True, slots=True)
class EarlierSession:
    """A session's history, and how many of its lines are no such record."""

    session_id: SessionId
    history: EarlierHistory
    unreadable: int


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


_Moment = Annotated[AwareDatetime | None, BeforeValidator(_none_if_empty)]
_Name = Annotated[str | None, BeforeValidator(_none_if_empty)]


class _Event(_Record):
    id: Annotated[str, Field(min_length=1)]
    ts: AwareDatetime
    type: str
    turn_id: _Name = None
    user_id: _Name = None
    item: dict[str, Any]


class _Fact(_Record):
    id: str = ""
    ts: AwareDatetime
    type: str = ""
    state: _Name = None
    fact_id: Annotated[str, Field(min_length=1)]
    key: str
    value: str
    confidence: Annotated[float, Field(gt=0, le=1)]
    tier: Annotated[Tier, BeforeValidator(lambda value: value or Tier.L2)] = Tier.L2
    expires_at: _Moment = None
    source_turn_id: str = ""
    source_user_id: _Name = None


class _Meta(_Record):
    processed_turn_ids: Annotated[
        tuple[str, ...], Field(validation_alias=AliasChoices("processed_turn_ids", "processed_turn"))
    ] = ()


def sessions(directory: Path) -> Iterator[EarlierSession]:
    """Yield every session below a directory, by its path; SettingsError where a file cannot be read."""
    holders = {path.parent for name in (*_LOGS, _FACTS, _META, _DOCUMENT) for path in directory.rglob(name)}
    for holder in sorted(holders):
        yield _session(holder)


def _session(holder: Path) -> EarlierSession:
    try:
        whole = _Files.of(holder)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{holder.name}: cannot be read ({type(error).__name__})") from None
    events, odd_events = _read(_Event, whole.events)
    facts, odd_facts = _read(_Fact, whole.facts)
    metas, odd_metas = _read(_Meta, whole.metas)
    history = EarlierHistory(
        turns=turns_of(_event(each) for each in events if each.type != EventType.COMPACT_SUMMARY.value),
        facts=tuple(_fact(number, each) for number, each in enumerate(facts)),
        processed=tuple(ids.turn_id(each) for meta in metas for each in meta.processed_turn_ids),
    )
    return EarlierSession(ids.session_id(holder.name), history, odd_events + odd_facts + odd_metas)


@dataclass(frozen=True, slots=True)
class _Files:
    """The JSON values of a session's files; a line that is no JSON is None."""

    events: Sequence[object]
    facts: Sequence[object]
    metas: Sequence[object]

    @classmethod
    def of(cls, holder: Path) -> _Files:
        documents = [_parsed(path.read_text(encoding="utf-8")) for path in sorted(holder.glob(_DOCUMENT))]
        logs = [_lines(holder / name) or _listed(documents, name.removesuffix(".jsonl")) for name in _LOGS]
        meta = holder / _META
        return cls(
            events=logs[0] or logs[1],
            facts=_lines(holder / _FACTS) or _listed(documents, "memory_facts"),
            metas=[_parsed(meta.read_text(encoding="utf-8"))] if meta.exists() else _members(documents, "meta"),
        )


def _lines(path: Path) -> Sequence[object]:
    if not path.exists():
        return []
    return [_parsed(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _members(documents: Iterable[object], name: str) -> list[object]:
    held = [cast("Mapping[str, object]", each) for each in documents if isinstance(each, dict)]
    return [each[name] for each in held if name in each]


def _listed(documents: Iterable[object], name: str) -> list[object]:
    lists = [cast("list[object]", each) for each in _members(documents, name) if isinstance(each, list)]
    return [each for listed in lists for each in listed]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None


def _read(model: type[Record], values: Iterable[object]) -> tuple[list[Record], int]:
    """Return the records, and how many of the values are none: a line that was cut off, or one of another kind."""
    found: list[Record] = []
    odd = 0
    for value in values:
        try:
            check_values(value, Limits())
            found.append(model.model_validate(value))
        except (ValidationError, InvalidArgument):
            odd += 1
    return found, odd


def _event(each: _Event) -> Event:
    kinds = {kind.value: kind for kind in EventType}
    return Event(
        id=each.id,
        ts=each.ts,
        type=kinds.get(each.type, EventType.INPUT_ITEM),
        turn_id=ids.turn_id(each.turn_id) if each.turn_id else TurnId(f"legacy-{each.id}"),
        user_id=UserId(each.user_id) if each.user_id else None,
        item=each.item,
    )


def _fact(number: int, each: _Fact) -> FactRecord:
    stated = {state.value: state for state in State}.get(each.state or "", State.ACTIVE)
    return FactRecord(
        id=each.id or f"legacy-{number}",
        at=each.ts,
        fact_id=each.fact_id,
        key=each.key,
        value=each.value,
        confidence=each.confidence,
        tier=each.tier,
        state=_ENDED.get(each.type, stated),
        expires_at=each.expires_at,
        turn_id=each.source_turn_id,
        user_id=each.source_user_id,
    )
