"""add: what was said becomes a turn, and the answer is what it changed; or, without `infer`, it is kept as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import dropwhile, takewhile
from typing import Any, Final, NamedTuple, TypeAlias, cast

from cairn.ground.errors import InvalidArgument
from cairn.memories.model import MAX_CONTENT_BYTES
from cairn_mem0 import properties
from cairn_mem0.asked import Asked, mapping, taken
from cairn_mem0.entities import NAMES, Entity, named, owner, with_usual
from cairn_mem0.entries import EVENTS, Row, words
from cairn_mem0.memory_ids import MemoryName
from cairn_mem0.properties import Properties

_KNOWN: Final = frozenset({*NAMES, "messages", "filters", "metadata", "infer"})
_PASSED_OVER: Final = frozenset(
    {"output_format", "version", "source", "org_id", "project_id", "async_mode", "enable_graph"}
)
_PAGE: Final = 100


Message: TypeAlias = Mapping[str, Any]


class Changed(NamedTuple):
    """A memory that an add changed, and how."""

    event: str
    id: str
    words: str
    was: str | None = None


def add(asked: Asked) -> dict[str, Any]:
    """Keep what was said and return what was learnt of it: `results`, each with its id, words and event."""
    given = taken(asked.body, _KNOWN, _PASSED_OVER)
    names = with_usual({**named(mapping(given, "filters")), **named(given)}, asked.user)
    whose, messages, metadata = owner(names), _messages(given), mapping(given, "metadata")
    beside = {f"{kind}_id": name for kind, name in names.items() if kind in {"agent", "app"} and kind != whose.kind}
    attached = Properties(metadata=metadata, **beside)
    properties.check(asked, attached)
    if given.get("infer", True) is True:
        changed = _learnt(asked, whose, names.get("run", whose.session), messages)
    elif given["infer"] is False:
        changed = _kept(asked, whose, names.get("run"), messages)
    else:
        raise InvalidArgument("infer", "must be true or false")
    if attached.value():
        properties.write(asked, whose.user, {each.id: attached for each in changed if each.event != "DELETE"})
    return {
        "message": "The memories were processed",
        "status": "SUCCEEDED",
        "results": [_told(whose, each, metadata) for each in changed],
    }


def _told(whose: Entity, changed: Changed, metadata: Mapping[str, Any]) -> dict[str, Any]:
    before = {} if changed.was is None else {"previous_memory": changed.was}
    return {
        "id": str(MemoryName(whose.user, changed.id)),
        "event": changed.event,
        "memory": changed.words,
        "data": {"memory": changed.words},
        **before,
        f"{whose.kind}_id": whose.name,
        "metadata": dict(metadata),
    }


def _learnt(asked: Asked, whose: Entity, session: str, messages: Sequence[Message]) -> list[Changed]:
    """Store a turn, and return what it taught and ended."""
    said, answered = _parted(messages)
    turn = _turn(asked)
    began = asked.call.services.adapters.clock.now()
    stored = asked.ask(
        "memory_after_turn",
        user_id=whose.user,
        session_id=session,
        turn_id=turn,
        input_items=said,
        output_items=answered,
    )
    return [
        Changed(EVENTS[each["kind"]], each["id"], words(each), _was(each))
        for each in _changes(_rows(asked, whose.user, session), turn, None if stored["replayed"] else began)
    ]


def _changes(rows: Iterable[Row], turn: str, began: datetime | None) -> list[Row]:
    """Return what a turn taught, and what ended since it began and nothing took the place of.

    Where it was stored before, and has begun at no time that is known, others may have followed it.
    """

    def is_new(row: Row) -> bool:
        return row["turn_id"] == turn or (began is not None and datetime.fromisoformat(row["at"]) >= began)

    if began is None:
        rows = dropwhile(lambda row: row["turn_id"] != turn, rows)
    return [each for each in takewhile(is_new, rows) if each["turn_id"] == turn or not (each["turn_id"] or each["by"])]


def _rows(asked: Asked, user: str, session: str) -> Iterator[Row]:
    """Yield a session's changes, the newest first; pages are asked for as they are needed."""
    for page in asked.pages("memory_list_changes", user_id=user, taught_in=session, limit=_PAGE):
        yield from page["changes"]


def _was(row: Row) -> str | None:
    return None if row["was"] is None else words(row, "was")


def _kept(asked: Asked, whose: Entity, run: str | None, messages: Sequence[Message]) -> list[Changed]:
    """Keep each message as it is."""
    texts = [_text(each) for each in messages if each["role"] != "system"]
    if any(len(each.encode("utf-8", "replace")) > MAX_CONTENT_BYTES for each in texts):
        raise InvalidArgument("messages", f"must each be of at most {MAX_CONTENT_BYTES} bytes where infer is false")
    kept = [asked.ask("remember", user_id=whose.user, session_id=run, scope="user", content=each) for each in texts]
    return [Changed("ADD", answer["memory_id"], content.strip()) for answer, content in zip(kept, texts, strict=True)]


def _messages(given: Mapping[str, object]) -> list[Message]:
    """Return the messages; InvalidArgument where there are none, or one that has no role and content."""
    value = given.get("messages")
    listed = cast("list[object]", value) if isinstance(value, list) else []
    found = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    if not listed or len(found) < len(listed) or any(not isinstance(each.get("role"), str) for each in found):
        raise InvalidArgument("messages", "must be a list of messages, each with its role and content")
    return [{**each, "content": _parts(each.get("content"))} for each in found]


def _parts(content: object) -> object:
    """Return the content of a message, a part of it that stands alone in a list."""
    return [cast("object", content)] if isinstance(content, dict) else content


def _text(message: Message) -> str:
    """Return what a message says in words."""
    content = message["content"]
    if isinstance(content, list):
        parts = [cast("dict[str, Any]", each) for each in cast("list[object]", content) if isinstance(each, dict)]
        content = "\n".join(each["text"] for each in parts if isinstance(each.get("text"), str))
    if not isinstance(content, str) or not content.strip():
        raise InvalidArgument("messages", "must each say something where infer is false")
    return content


def _parted(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Return what was said, and what the model answered last."""
    answers = len(list(takewhile(lambda each: each["role"] == "assistant", reversed(messages))))
    place = len(messages) - answers
    return [*messages[:place]], [*messages[place:]]


def _turn(asked: Asked) -> str:
    """Return the turn's id: of the call's own key, where it has one, so that the same call again is no other."""
    if asked.retry_key:
        return f"mem0-{sha256(asked.retry_key.encode('utf-8', 'replace')).hexdigest()[:32]}"
    return f"mem0-{asked.call.services.adapters.entropy.token(16).hex()}"
