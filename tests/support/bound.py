"""Alice's memory of every kind, bob beside her in the same project, and what bob can try, drawn from the catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cairn.access.api_keys import Grant
from cairn.archive.layout import archive_pk
from cairn.conversation.items import message
from cairn.edge.callers import NAME_HEADERS
from cairn.ground.ids import Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.table import Query
from cairn.keyvalue.fields import NamespaceInput
from cairn.services import Services
from cairn.tool.bound import LOOKS_AT_SESSIONS
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.access import EventOf, bearer, through
from support.routes import routed

ACME, ALICE, BOB = Tenant("acme"), UserId("alice"), UserId("bob")
CANARY = "heronbird"
QUESTION = "What do I keep in the shed?"
TOOLS = {tool.name: tool for tool in CATALOG}
DIARY = {"project": "garden", "session_id": "diary"}
COMMIT = {"phase": "commit", "output_items": [message("assistant", "Mine now.", "output_text")]}


def turn(turn_id: str, text: str = f"I keep a {CANARY} in the shed.", **more: Any) -> dict[str, Any]:
    """Return the arguments of a turn of the diary."""
    words = {"input_items": [message("user", text)], "output_items": [message("assistant", "Noted.", "output_text")]}
    return {**DIARY, "turn_id": turn_id, **words, **more}


@dataclass
class House:
    """A deployment with its doors."""

    services: Services
    event_of: EventOf
    given: dict[str, str] = field(default_factory=dict[str, str])
    """What only alice was given, by the field in which it is handed in."""

    def key(self, *users: UserId, projects: Any = ("*",), policy: str | None = None) -> str:
        return self.services.credentials.create(ACME, Grant(projects, users=users, policy=policy)).text

    def over_http(self, key: str, name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        event = self.event_of("/", dict(arguments), headers=headers)
        return json.loads(TOOLS[name].handler(through(bearer(key), event), None)["body"])

    def over_route(self, key: str, name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        tool = TOOLS[name]
        event = through(bearer(key), self.event_of("/", {}, headers=headers))
        return json.loads(tool.handler(routed(tool, arguments, event), None)["body"])

    def over_mcp(self, key: str, name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        params = {"name": name, "arguments": dict(arguments)}
        return self.mcp(key, "tools/call", params, headers)["structuredContent"]

    def mcp(self, key: str, method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        event = self.event_of("/mcp", body, headers=headers)
        return json.loads(door.handler(through(bearer(key), event), None)["body"])["result"]

    def in_a_pipe(self, key: str, name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        steps = [{"id": "one", "tool": name, "arguments": dict(arguments)}]
        answer = self.over_http(key, "mcp_pipe", {"steps": steps}, headers)
        return answer if "error" in answer else answer.get("failed_step") or answer["results"][0]["result"]

    def ask(self, key: str, name: str, arguments: Mapping[str, Any], **headers: str) -> Any:
        return self.over_http(key, name, arguments, {NAME_HEADERS[field]: value for field, value in headers.items()})

    def denied(self, key: str, name: str, arguments: Mapping[str, Any], **headers: str) -> bool:
        return self.ask(key, name, arguments, **headers).get("error", {}).get("code") == "PERMISSION_DENIED"

    def fill(self) -> None:
        """Let alice keep something everywhere."""
        alice = self.key(ALICE)
        assert self.ask(alice, "memory_after_turn", turn("t1"))["ok"]
        for scope in ("session", "user"):
            kept = {**DIARY, "content": f"The {CANARY} eats {scope} fish.", "scope": scope}
            self.given["memory_id"] = self.ask(alice, "remember", kept)["memory_id"]
        archived = {"timestamp": "2026-03-01T12:00:00Z", "summary": f"The {CANARY} moved in."}
        deposit = {"session_id": "diary", "tags": ["birds"], "session": archived}
        self.given["pointer"] = self.ask(alice, "store_session_to_cascade", deposit)["pointer"]
        begin = {**DIARY, "phase": "begin", "turn_id": "t2", "current_input": f"The {CANARY} sings."}
        self.given["operation_token"] = self.ask(alice, "memory_run_turn", begin)["operation_token"]
        value = {"namespace": "session.diary", "key": "bird", "value": CANARY}
        assert self.ask(self.key(), "putMemory", value)["success"]
        hers = {"collection": ["notes", "beds"], "key": "north", "value": {"text": f"The {CANARY} nests here."}}
        assert self.ask(alice, "memory_put_documents", {"project": "garden", "documents": [hers]})["versions"]
        self.given |= {"namespace": "session.diary", "key": "bird", "query": QUESTION, "current_input": QUESTION}

    def alices(self) -> list[Any]:
        """Return every stored item of alice's session, memory, archive and namespace."""
        parts = ("s#garden#diary", "m#garden#u:alice", "m#garden#s:diary", "k#session.diary", "d#garden#u:alice")
        table = self.services.adapters.table
        found = [dict(item) for part in parts for item in every(table, Query(f"{ACME}#{part}", "\x01", "\U0010ffff"))]
        archived = every(table, Query(archive_pk(ACME), "\x01", "\U0010ffff"))
        return [*found, *(dict(item) for item in archived if item.get("user_id") == ALICE)]


@dataclass(frozen=True)
class Attack:
    """Arguments and headers; where they name alice, her session or everyone's, they have to be refused."""

    arguments: Mapping[str, Any]
    headers: Mapping[str, str]
    is_named: bool
    is_wide: bool = False
    """It asks for everyone's, which no bound caller gets."""


def attacks(tool: Tool, given: Mapping[str, str]) -> Iterator[Attack]:
    """Yield what bob can try with a tool: whatever its schema takes that can be alice's."""
    properties = tool.input_schema()["properties"]
    if "operation_token" in properties:
        yield Attack({**COMMIT, "operation_token": given["operation_token"]}, {}, is_named=True)
    stolen = {name: value for name, value in given.items() if name in properties and name != "operation_token"}
    if not issubclass(tool.input, NamespaceInput):  # another kind of namespace
        stolen.pop("namespace", None)
    plain = {name: value for name, value in {**tool.example, **stolen}.items() if name != "user_id"}
    if "session" in properties:  # one that is handed in has no owner; the recorded one has
        plain.pop("session", None)
    mine = {name: value for name, value in (("project", "garden"), ("session_id", "bobs")) if name in properties}
    theirs = {NAME_HEADERS["project"]: "garden", NAME_HEADERS["session_id"]: "diary"}
    unplaced = {name: value for name, value in plain.items() if name not in DIARY}
    yield Attack({**plain, **mine}, {}, is_named=False)
    yield Attack(unplaced, theirs, is_named=bool(LOOKS_AT_SESSIONS & set(tool.grants)))
    yield Attack({**plain, **mine}, {NAME_HEADERS["user_id"]: ALICE}, is_named=True)
    if "session_id" in properties:
        yield Attack({**plain, **DIARY}, {}, is_named=True)
    if "user_id" in properties:
        yield Attack({**plain, **mine, "user_id": ALICE}, {}, is_named=True)
    for name in ("recall_scope", *(["scope"] if tool.read_only else [])):
        if name in properties:
            yield Attack({**plain, **mine, name: "project"}, {}, is_named=True, is_wide=True)
