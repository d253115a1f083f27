"""References in a step's arguments to what earlier steps of a pipe gave: `${id.path}`, and `$${` for a plain `${`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from cairn.edge.validation import field_name
from cairn.ground.errors import InvalidArgument, PayloadTooLarge

STEP_ID = r"^[A-Za-z0-9_-]{1,64}$"
_MARK = "${"
_WHOLE = re.compile(r"\$\{([^{}]*)\}")
_ANY = re.compile(rf"\$\$\{{|{_WHOLE.pattern}|\$\{{")
_ID = re.compile(STEP_ID)
_INDEX = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A step, and the names and positions that lead to a part of its result."""

    step: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        """Return it as it is written, without its braces."""
        return ".".join((self.step, *self.path))

    def follow(self, results: Mapping[str, Any]) -> Any:
        """Return what it leads to; LookupError where it leads nowhere."""
        value = results[self.step]
        for name in self.path:
            if isinstance(value, list) and _INDEX.fullmatch(name):
                value = cast("list[Any]", value)[int(name)]
            elif isinstance(value, dict):
                value = cast("dict[str, Any]", value)[name]
            else:
                raise LookupError
        return value


Put = Callable[[Reference, str], Any]
"""Returns what stands for a reference in the field of this name."""


def replaced(value: object, field: str, put: Put) -> Any:
    """Return the JSON value with what `put` gives in each reference's place; InvalidArgument names a malformed one.

    A text that is nothing but a reference becomes the value itself, of whatever type; within a longer text a text
    stands as it is, anything else as JSON. What was put is not looked through again.
    """
    if isinstance(value, str):
        return _text(value, field, put)
    if isinstance(value, list):
        parts = enumerate(cast("list[object]", value))
        return [replaced(part, field_name(field, index), put) for index, part in parts]
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return {name: replaced(part, field_name(field, name), put) for name, part in named.items()}
    return value


def resolved(arguments: Mapping[str, Any], results: Mapping[str, Any], most_bytes: int) -> dict[str, Any]:
    """Return the arguments with the results in place; InvalidArgument names a field whose reference leads nowhere.

    PayloadTooLarge where what is put takes more bytes as JSON.
    """
    room = most_bytes

    def put(reference: Reference, field: str) -> Any:
        nonlocal room
        try:
            value = reference.follow(results)
        except LookupError:
            problem = f"refers to {reference}, which step {reference.step} did not give"
            raise InvalidArgument(field, problem) from None
        room -= len(json.dumps(value))
        if room < 0:
            limit = {"field": field, "limit": most_bytes}
            raise PayloadTooLarge(f"What the references stand for is over {most_bytes} bytes", limit)
        return value

    return replaced(arguments, "arguments", put)


def _text(text: str, field: str, put: Put) -> Any:
    if _MARK not in text:
        return text
    whole = _WHOLE.fullmatch(text)
    if whole:
        return put(_reference(whole[1], field), field)

    def part(found: re.Match[str]) -> str:
        if found[0].startswith("$$"):
            return _MARK
        value = put(_reference(found[1], field), field)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _ANY.sub(part, text)


def _reference(inside: str | None, field: str) -> Reference:
    step, *path = (inside or "").split(".")
    if not _ID.fullmatch(step) or not all(path):
        raise InvalidArgument(field, "must refer to a step as ${id.path}; a plain ${ is written $${")
    return Reference(step, tuple(path))
