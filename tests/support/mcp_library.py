"""A deployment in which ada of acme has spoken, and a client that reads its resources and prompts over the door."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cairn.access.api_keys import Grant
from cairn.access.api_keys import ProjectPattern as Pattern
from cairn.conversation.items import message
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.access import bearer, through

MODERN = "2026-07-28"
_META = "io.modelcontextprotocol/"
_MIRRORED = {"prompts/get": "name", "resources/read": "uri", "tools/call": "name"}


@dataclass
class Client:
    """Asks as the operator of a tenant, or with an API key."""

    event_of: Callable[..., dict[str, Any]]
    tenant: str = "acme"
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    modern: bool = False
    path: str = "/mcp"
    capabilities: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the JSON-RPC reply."""
        return self.post(method, params)[1]

    def post(self, method: str, params: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the HTTP status and the JSON-RPC reply."""
        response = self.respond(method, params)
        return response["statusCode"], json.loads(response["body"])

    def respond(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the gateway's response."""
        given, headers = dict(params), dict(self.headers)
        if self.modern:
            given["_meta"] = {f"{_META}protocolVersion": MODERN, f"{_META}clientCapabilities": self.capabilities}
            headers |= {"mcp-protocol-version": MODERN, "mcp-method": method}
            headers |= {"mcp-name": params[_MIRRORED[method]]} if method in _MIRRORED else {}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
        event = self.event_of(self.path, body, tenant=self.tenant, headers=headers)
        return door.handler(event if self.key is None else through(bearer(self.key), event), None)

    def text(self, uri: str) -> str:
        """Return the text of a resource."""
        return self.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]

    def uris(self) -> list[str]:
        """Return the URIs of all pages."""
        found, page = list[str](), dict[str, Any](nextCursor=None)
        while "nextCursor" in page:
            page = self.ask("resources/list", cursor=page["nextCursor"])["result"]
            found += [each["uri"] for each in page["resources"]]
        return found


def say(call: Call, session: str, turn: str, said: str, **more: Any) -> None:
    """Store a turn."""
    given: dict[str, Any] = {
        "project": "owner/garden",
        "session_id": session,
        "turn_id": turn,
        "user_id": "ada",
        "input_items": [message("user", said)],
        "output_items": [message("assistant", "Noted.", "output_text")],
        **more,
    }
    execute(CATALOG, "memory_after_turn", given, call)


def key_of(services: Services, *users: str, projects: tuple[Pattern, ...] = (Pattern("*"),)) -> str:
    """Return the text of a new API key of acme, bound to users where some are named."""
    return services.credentials.create(Tenant("acme"), Grant(projects, users=tuple(map(UserId, users)))).text
