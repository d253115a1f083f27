"""Events: each is an item of a log of its session, and what was said in it is a turn besides.

The log's items say in which order events came; the guard of an item is the guard of `clientToken`. What is opaque is
kept in the log alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from cairn.ground.errors import Conflict, NotFound
from cairn_agentcore.errors import TokenReused
from cairn_agentcore.event_ids import event_id, position_of
from cairn_agentcore.fields import CreateEventInput, IngestDataInput, OfActor, OfEvent, OfSession
from cairn_agentcore.names import session_of
from cairn_agentcore.operation import Asked
from cairn_agentcore.said import Said, turns

if TYPE_CHECKING:
    from pydantic import BaseModel

ACTORS: Final = ("agentcore", "actors")
"""The project's documents that say who has events: each is named after a user, so that erasing one finds it."""
SESSIONS_PREFIX: Final = "agentcore/"
_DIGITS: Final = 32
_RANDOM_BYTES: Final = 16
_AT_ONCE, _MOST_READS = 250, 8


@dataclass(frozen=True, slots=True)
class Told:
    """What was told in a session, under a name of its own."""

    request: OfActor
    session_id: str
    name: str
    payload: Sequence[Mapping[str, Any]]


def log_of(session_id: str) -> str:
    """Return the name of an actor's log of a session's events."""
    return f"{SESSIONS_PREFIX}{session_id}"


def create_event(request: CreateEventInput, asked: Asked) -> Mapping[str, Any]:
    """Keep an event once, whoever says it again with its token or under its signature."""
    name = name_of(request.client_token or asked.signature or asked.random(_RANDOM_BYTES))
    session_id = request.session_id or f"session-{name}"
    data, position = _kept(request, asked, session_id, name)
    found = event_id(data["timestamp"], position)
    if request.extraction_mode != "SKIP":
        _learn(Told(request, session_id, found, data["payload"]), asked)
    place = {"memoryId": request.memory_id, "actorId": request.actor_id, "sessionId": session_id}
    return {"event": told({**place, "eventId": found}, data, payloads=True)}


def ingest_data(request: IngestDataInput, asked: Asked) -> Mapping[str, Any]:
    """Learn from what was said, once under the call's token, and keep no event."""
    name = name_of(request.client_token or asked.signature or asked.random(_RANDOM_BYTES))
    session_id = request.session_id or f"session-{name}"
    inline = request.source.inline
    payload = [] if inline is None else [_sent(each) for each in inline.payload]
    _learn(Told(request, session_id, f"ingested-{name}", payload), asked)
    return {"sessionId": session_id}


def get_event(request: OfEvent, asked: Asked) -> Mapping[str, Any]:
    """Tell of an event."""
    item = _found(request, asked)
    return {"event": told(place_of(request, request.event_id), item["data"], payloads=True)}


def delete_event(request: OfEvent, asked: Asked) -> Mapping[str, Any]:
    """Delete an event, and take back what its newest turns taught while nothing was said in the session since."""
    item = _found(request, asked)
    for number in reversed(range(len(turns(item["data"]["payload"])))):
        try:
            asked.ask(
                "memory_take_back_turn",
                project=request.project,
                session_id=session_of(request.user, request.session_id),
                turn_id=turn_id(request.event_id, number),
            )
        except (NotFound, Conflict):  # it was not learned from, or is not the newest any more
            break
    asked.ask(
        "memory_delete_items",
        project=request.project,
        user_id=request.user,
        log=log_of(request.session_id),
        ids=[item["id"]],
    )
    return {"eventId": request.event_id}


def turn_id(identifier: str, number: int) -> str:
    """Return the id of a turn of an event."""
    return f"{identifier}-{number}"


def told(place: Mapping[str, str], data: Mapping[str, Any], *, payloads: bool) -> Mapping[str, Any]:
    """Return an event as the service tells it."""
    kept: list[Any] = data["payload"] if payloads else []
    event: dict[str, Any] = {**place, "eventTimestamp": data["timestamp"], "payload": kept}
    return event | {name: data[name] for name in ("branch", "metadata") if name in data}


def place_of(request: OfSession, identifier: str) -> Mapping[str, str]:
    """Return where an event of this id is, as the service tells it."""
    return {
        "memoryId": request.memory_id,
        "actorId": request.actor_id,
        "sessionId": request.session_id,
        "eventId": identifier,
    }


def _found(request: OfEvent, asked: Asked) -> Mapping[str, Any]:
    position = position_of(request.event_id)
    if position is not None:
        read = asked.ask(
            "memory_read_items",
            project=request.project,
            user_id=request.user,
            log=log_of(request.session_id),
            before=position + 1,
            limit=1,
        )
        for item in read["items"]:
            if event_id(item["data"]["timestamp"], item["position"]) == request.event_id:
                return item
    raise NotFound("There is no such event in this session")


def name_of(token: str) -> str:
    """Return the id that the item of an event has whose client gave this token."""
    return sha256(token.encode()).hexdigest()[:_DIGITS]


def _data(request: CreateEventInput) -> dict[str, Any]:
    """Return what is kept of an event."""
    sent = _sent(request)
    data: dict[str, Any] = {"timestamp": request.event_timestamp, "payload": sent["payload"]}
    return data | {name: sent[name] for name in ("branch", "metadata") if sent.get(name)}


def _kept(request: CreateEventInput, asked: Asked, session_id: str, name: str) -> tuple[Mapping[str, Any], int]:
    """Append an event to its session's log, and return what is kept of it and where.

    Clients that try again with a token of their own may tell another time: then the event of the first time counts.
    """
    data, log = _data(request), {"project": request.project, "user_id": request.user, "log": log_of(session_id)}
    try:
        done = asked.ask("memory_append_items", **log, items=[{"id": name, "data": data}])
    except Conflict:
        item = _earlier(asked, log, name)
        if item is None or {**item["data"], "timestamp": data["timestamp"]} != data:
            raise TokenReused("This clientToken was used for an event with another payload") from None
        return item["data"], item["position"]
    if done["count"] == 1:
        _know(request, asked)
    return data, done["positions"][0]


def _earlier(asked: Asked, log: Mapping[str, str], name: str) -> Mapping[str, Any] | None:
    """Return the item of this name, None where it is not among the newest."""
    before: int | None = None
    for _ in range(_MOST_READS):
        read = asked.ask("memory_read_items", **log, before=before, limit=_AT_ONCE)
        for item in read["items"]:
            if item["id"] == name:
                return item
        if not read["more"]:
            return None
        before = read["items"][0]["position"]
    return None


def _know(request: CreateEventInput, asked: Asked) -> None:
    """Note the actor at the first event of a session."""
    known = {"collection": list(ACTORS), "key": request.user, "value": True, "index": False}
    asked.ask("memory_put_documents", project=request.project, user_id=asked.home, documents=[known])


def _learn(told: Told, asked: Asked) -> None:
    """Store what was said as turns of the session; each is stored once."""
    limit = asked.call.services.settings.limits.text_bytes
    for number, said in enumerate(turns(told.payload)):
        kept = Said(_within(said.inputs, limit), _within(said.outputs, limit))
        if not kept.inputs and not kept.outputs:
            continue
        asked.ask(
            "memory_after_turn",
            project=told.request.project,
            session_id=session_of(told.request.user, told.session_id),
            user_id=told.request.user,
            turn_id=turn_id(told.name, number),
            input_items=kept.inputs,
            output_items=kept.outputs,
        )


def _sent(part: BaseModel) -> dict[str, Any]:
    """Return a part of a payload as it was sent."""
    return part.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _within(messages: list[dict[str, str]], limit: int) -> list[dict[str, str]]:
    """Return the messages that a turn can hold; a longer one stays in the event alone."""
    return [each for each in messages if len(each["content"].encode()) <= limit]
