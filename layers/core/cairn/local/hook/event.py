"""An event of an agent on its way to the server: whose it is, and the bytes that are sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

MOST_BYTES: Final = 900_000
"""How large an event is sent at most; larger ones are cut."""
MOST_READ: Final = 32_000_000
_TOOL_CHARACTERS: Final = (4000, 200)
"""How long each text of a tool is then, at most; the server keeps less than the first of a result."""
_SAID_CHARACTERS: Final = (200_000, 50_000, 4000)
"""How long each other text is, without the tools', where that was not enough."""
NAMES: Final = ("hook_event_name", "hookEventName")
_SESSIONS: Final = ("session_id", "sessionId", "conversation_id")
_MOST_NAMED: Final = 200


class Unusable(Exception):
    """What an agent gave is no event that can be sent; the message says why, without content."""


class Event(NamedTuple):
    """What an agent told, in which project, and for which user where one is named."""

    agent: str
    project: str
    user: str | None
    told: dict[str, Any]

    @property
    def name(self) -> str:
        """Return what the agent calls it, "" where it does not say."""
        return named(self.told, NAMES)

    @property
    def session(self) -> str:
        """Return the agent's id of the session, "" where it does not say."""
        return named(self.told, _SESSIONS)


def named(told: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of these fields that is a text, as much of it as a name has."""
    return next((value for name in names if isinstance(value := told.get(name), str)), "")[:_MOST_NAMED]


def parsed(data: bytes) -> dict[str, Any]:
    """Return an event as its agent gave it; Unusable where it is none."""
    if len(data) > MOST_READ:
        raise Unusable("the event is larger than 32 MB")
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        raise Unusable("the event is no JSON") from None
    if not isinstance(told, dict):
        raise Unusable("the event is no JSON object")
    return cast("dict[str, Any]", told)


def encoded(value: Mapping[str, Any]) -> bytes:
    """Return a value as JSON in UTF-8; half a surrogate pair, which that has none of, stays an escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")


def fitting(told: dict[str, Any]) -> dict[str, Any]:
    """Return an event that is sent whole: where it is too large, tools' texts are cut first, and all others then.

    Unusable where that does not help.
    """
    try:
        found = next((each for each in _ever_smaller(told) if len(encoded(each)) <= MOST_BYTES), None)
    except RecursionError:
        raise Unusable("the event is nested too deep") from None
    if found is None:
        raise Unusable("the event is too large, and not by its texts")
    return found


def _ever_smaller(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield told
    for most in _TOOL_CHARACTERS:
        yield {name: _cut(value, most) if _is_of_tools(name, value) else value for name, value in told.items()}
    for most in _SAID_CHARACTERS:
        texts = {name: value for name, value in told.items() if not _is_of_tools(name, value)}
        yield {name: _cut(value, most) for name, value in texts.items()}


def _is_of_tools(name: str, value: object) -> bool:
    """Tell whether a field may be cut first: what users and models said are texts of their own in every agent."""
    return name.lower().startswith("tool") or isinstance(value, dict | list)


def _cut(value: Any, most: int) -> Any:
    """Return a value with each text in it cut to this many characters."""
    if isinstance(value, str):
        return value if len(value) <= most else f"{value[: most - 1]}…"
    if isinstance(value, dict):
        return {name: _cut(each, most) for name, each in cast("dict[str, Any]", value).items()}
    return [_cut(each, most) for each in cast("list[Any]", value)] if isinstance(value, list) else value
