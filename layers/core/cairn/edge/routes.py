"""Routes of tools that are asked with a path and query parameters, as a browser or curl does, instead of a body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cairn.edge.events import Request, parse_json
from cairn.ground.errors import InvalidArgument
from cairn.ground.settings import Limits

SHORT_NAMES: Final = {"session": "session_id", "turn": "turn_id", "user": "user_id"}
"""What a parameter may be called for short."""
_PARAMETER = re.compile(r"\{(\w+)\}")
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path, in which `{name}` stands for a field of what the tool takes; `body` is that of the body."""

    method: str
    path: str
    body: str | None = None

    @classmethod
    def of(cls, text: str) -> Route:
        """Return the route that is written `GET /v1/things/{name}`, or `POST /v1/things/{name} field` with a body."""
        method, path, *body = text.split(" ")
        return cls(method, path, *body)

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.method} {self.path}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return the fields that stand in the path."""
        return tuple(_PARAMETER.findall(self.path))

    def is_of(self, request: Request) -> bool:
        """Tell whether a request came here, and not to the path that every tool has."""
        return request.method == self.method and request.path_parameters.keys() >= set(self.parameters)

    def arguments(self, request: Request, schema: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
        """Return what a request's path, query and body say, typed as the tool's schema has it.

        InvalidArgument for a name that is given twice; what is no name of a field is left for the tool to refuse.
        """
        given = [*request.path_parameters.items(), *request.query]
        found = _typed(((SHORT_NAMES.get(name, name), value) for name, value in given), schema["properties"])
        return found if self.body is None else {**found, self.body: parse_json(request.body, limits)}


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
