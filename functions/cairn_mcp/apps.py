"""MCP Apps: which clients show pages, by what they declare, and how a server that keeps nothing knows them again.

A client of the stateless version declares it in each request. One with a handshake declares it once: it is given a
session id that says so, and sends that id from then on. The id opens nothing; whoever makes one up is shown more tools
of those that it may use anyway.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeGuard, cast, runtime_checkable

from cairn_mcp.server import Toolbox

EXTENSION: Final = "io.modelcontextprotocol/ui"
PAGE_TYPE: Final = "text/html;profile=mcp-app"
SESSION_HEADER: Final = "mcp-session-id"
_SHOWS: Final = "pages-"


@runtime_checkable
class Pages(Protocol):
    """A toolbox with pages for clients that show them."""

    def with_pages(self) -> Toolbox:
        """Return the toolbox as such a client is told of it."""
        ...


def shows_pages(capabilities: object) -> bool:
    """Tell whether a client's `ClientCapabilities` declare that it shows pages of this kind."""
    settings = _object(_object(_object(capabilities).get("extensions")).get(EXTENSION))
    kinds = settings.get("mimeTypes")
    return isinstance(kinds, list) and PAGE_TYPE in cast("list[object]", kinds)


def declared(capabilities: object, tools: Toolbox) -> Toolbox:
    """Return the toolbox for a client with these capabilities."""
    return tools.with_pages() if _is_shown(tools, capabilities) else tools


def offered(capabilities: object, tools: Toolbox) -> dict[str, Any]:
    """Return what a server with this toolbox adds to its capabilities for a client with these."""
    return {"extensions": {EXTENSION: {}}} if _is_shown(tools, capabilities) else {}


def session_of(capabilities: object, tools: Toolbox) -> Mapping[str, str]:
    """Return the header that names the session of a client that shows pages, none for others."""
    return {SESSION_HEADER: f"{_SHOWS}{secrets.token_hex(16)}"} if _is_shown(tools, capabilities) else {}


def resumed(session: str | None, tools: Toolbox) -> Toolbox:
    """Return the toolbox for the client of a session."""
    is_known = session is not None and session.startswith(_SHOWS)
    return tools.with_pages() if is_known and isinstance(tools, Pages) else tools


def _is_shown(tools: Toolbox, capabilities: object) -> TypeGuard[Pages]:
    """Tell whether the toolbox has pages and a client with these capabilities shows them."""
    return isinstance(tools, Pages) and shows_pages(capabilities)


def _object(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
