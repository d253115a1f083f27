"""Routes of tools that are asked with a path and query parameters, as a browser or curl does, instead of a body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cairn.edge.events import Request
from cairn.ground.errors import InvalidArgument

SHORT_NAMES: Final = {"session": "session_id", "turn": "turn_id", "user": "user_id"}
"""What a parameter may be called for short."""
_PARAMETER = re.compile(r"\{(\w+)\}")
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path, in which `{name}` stands for a field of what the tool takes."""

    method: str
    path: str

    @classmethod
    def of(cls, text: str) -> Route:
        """Return the route that is written `GET /v1/things/{name}`."""
        method, _, path = text.partition(" ")
        return cls(method, path)

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return the fields that stand in the path."""
        return tuple(_PARAMETER.findall(self.path))

    def arguments(self, request: Request, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a request's path and query say, typed as the tool's schema has it.

        InvalidArgument for a name that is given twice; what is no name of a field is left for the tool to refuse.
        """
        given = [*request.path_parameters.items(), *request.query]
        return _typed(((SHORT_NAMES.get(name, name), value) for name, value in given), schema["properties"])


def _typed(given: Iterable[tuple[str, str]], properties: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in given:
        if name in found:
            raise InvalidArgument(name, "is given twice")
        found[name] = _value(value, properties.get(name, {}).get("type"))
    return found


def _value(text: str, kind: object) -> str | int | bool:
    """Return a text as what a field takes, as it is where it cannot be that: the tool says what is wrong with it."""
    if kind == "integer" and _INTEGER.fullmatch(text):
        return int(text)
    return _BOOLEANS.get(text, text) if kind == "boolean" else text
