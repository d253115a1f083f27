"""The way to a memory's tools: one that is in this process, or a server's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from cairn.ground.errors import InvalidArgument


class Door(Protocol):
    """Calls tools by name; every CairnError gets out as it is."""

    @property
    def where(self) -> str:
        """Return what is behind it, as its owner named it, without any key."""
        ...

    @property
    def project(self) -> str | None:
        """Return the project of calls that name none, None where the door's other side knows it."""
        ...

    def knows_user(self) -> bool:
        """Tell whether calls that name no user are some user's all the same."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tool's answer."""
        ...

    def close(self) -> None:
        """Let go of what is open; RuntimeError for every call after that."""
        ...


def encoded(arguments: Mapping[str, Any]) -> bytes:
    """Return the arguments as JSON, InvalidArgument where something of them is no JSON value.

    Letters are not escaped, since a request's size is limited; lone surrogates have to be, and are refused by name.
    """
    try:
        try:
            return json.dumps(arguments, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:
            return json.dumps(arguments).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument("arguments", f"must hold JSON values alone ({type(error).__name__})") from None
