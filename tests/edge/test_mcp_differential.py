"""The protocol core beside the official SDK: thousands of requests, good and bad, get the same answer from both.

Where they differ, the difference is one of those listed here with its reason; any other fails.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import anyio
import pytest
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.inbound import encode_header_value
from starlette.applications import Starlette

from cairn.edge.events import parse_json
from cairn.ground.errors import CairnError
from cairn.ground.settings import Limits
from cairn_mcp import handshake as legacy
from cairn_mcp import stateless as modern
from cairn_mcp.jsonrpc import INVALID_PARAMS, PARSE_ERROR, RESOURCE_NOT_FOUND, ResourceMissing, RpcError
from cairn_mcp.library import Asked, Partial
from cairn_mcp.protocol import answer
from cairn_mcp.server import Server, ToolCall
from support.mcp import sdk_server

REQUESTS = 8_000
SEED = 20_260_728
SERVER = Server("memory", "Memory", "1.2.3", "Remember.")
ACCEPT = "application/json, text/event-stream"
META: dict[str, Any] = {modern.VERSION_KEY: "2026-07-28", modern.CAPABILITIES_KEY: {}}
CLIENT: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}


NAMES = ("echo", "fail", "märchen")
URIS = ("test://one", "test://zwölf")
OF_LIBRARY = (
    *("resources/list", "resources/templates/list", "resources/read"),
    *("prompts/list", "prompts/get", "completion/complete"),
)
UNKNOWN_METHODS = ("nothing", "", 3, None, "notifications/initialized", "subscriptions/listen")


class Tools:
    """A tool that works, one that fails and one whose name is not ASCII."""

    def listing(self) -> Sequence[Mapping[str, Any]]:
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
        hints = {"title": "Echo", "readOnlyHint": True, "openWorldHint": False}
        return [
            {"name": name, "description": "Echo.", "inputSchema": schema, "outputSchema": schema, "annotations": hints}
            for name in NAMES
        ]

    def call(self, call: ToolCall) -> Mapping[str, Any]:
        if call.name not in NAMES:
            raise RpcError(INVALID_PARAMS, "Unknown tool")
        text = json.dumps(dict(call.arguments))
        failed = call.name == "fail"
        return {"content": [{"type": "text", "text": text}], "structuredContent": {"said": text}, "isError": failed}


class Shelf(Tools):
    """Two resources, a prompt and what its argument goes on as, beside the tools."""

    def resources(self, cursor: str | None) -> Mapping[str, Any]:
        if cursor not in {None, "second"}:
            raise RpcError(INVALID_PARAMS, "Unknown cursor")
        uri = URIS[cursor is not None]
        return {"resources": [{"uri": uri, "name": uri}]} | ({} if cursor else {"nextCursor": "second"})

    def templates(self) -> Sequence[Mapping[str, Any]]:
        return [{"uriTemplate": "test://{name}", "name": "any"}]

    def read(self, uri: str) -> Mapping[str, Any]:
        if uri not in URIS:
            raise ResourceMissing(uri)
        return {"contents": [{"uri": uri, "text": "It rains."}]}

    def prompts(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": "märchen", "arguments": [{"name": "a", "required": True}]}]

    def prompt(self, asked: Asked) -> Mapping[str, Any]:
        if asked.name != "märchen":
            raise RpcError(INVALID_PARAMS, "Unknown prompt")
        text = json.dumps(dict(asked.arguments))
        return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}

    def complete(self, partial: Partial) -> Mapping[str, Any]:
        if partial.of not in {"märchen", "test://{name}"}:
            raise RpcError(INVALID_PARAMS, "Unknown prompt or template")
        values = [f"{partial.begins}{each}" for each in (partial.argument, *partial.others.values())]
        return {"completion": {"values": values, "total": len(values), "hasMore": False}}


@dataclass(frozen=True)
class Case:
    """One request: its headers and its raw body, and what that body holds if it is JSON."""

    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        try:
            return json.loads(self.raw)
        except (ValueError, RecursionError):
            return None

    @property
    def version(self) -> str | None:
        return self.headers.get("mcp-protocol-version")

    @property
    def message(self) -> dict[str, Any]:
        return _object(self.body)

    @property
    def params(self) -> dict[str, Any]:
        return _object(self.message.get("params"))

    @property
    def meta(self) -> dict[str, Any]:
        return _object(self.params.get("_meta"))


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Outcome:
    """An HTTP status and what came with it: a result, an error code or nothing."""

    status: int
    code: int | None = None
    result: Any = None


Difference: TypeAlias = Callable[[Case, Outcome, Outcome], bool]

TOLERATED: dict[str, Difference] = {}


def tolerated(difference: Difference) -> Difference:
    """Note a kind of difference; its docstring says why it is one."""
    TOLERATED[difference.__name__] = difference
    return difference


@tolerated
def accept_is_not_required(case: Case, _ours: Outcome, theirs: Outcome) -> bool:
    """Bridges leave Accept out; the answer is JSON in any case."""
    return theirs.status == 406 and case.headers.get("accept") != ACCEPT


@tolerated
def an_invalid_message_is_an_invalid_request(_case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """JSON-RPC calls it -32600; the SDK's handshake eras call it -32602."""
    return (ours.status, ours.code, theirs.status, theirs.code) == (400, -32600, 400, -32602)


@tolerated
def a_malformed_id_is_no_notification(case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """The SDK's handshake eras accept a request with an impossible id as a notification and never answer it."""
    return theirs.status == 202 and ours.code == -32600 and "id" in case.message


@tolerated
def the_body_decides_the_era(case: Case, ours: Outcome, _theirs: Outcome) -> bool:
    """A stateless request with a wrong header, or none, must be refused; the SDK takes the header's word."""
    return modern.VERSION_KEY in case.meta and case.version in {None, *legacy.VERSIONS} and ours.status == 400


@tolerated
def space_around_a_header_is_trimmed(case: Case, _ours: Outcome, theirs: Outcome) -> bool:
    """RFC 9110 says it is no part of the value; the SDK compares it."""
    return theirs.code == -32020 and any(value != value.strip() for value in case.headers.values())


@tolerated
def a_batch_is_answered(case: Case, ours: Outcome, _theirs: Outcome) -> bool:
    """The revision 2025-03-26 demands it of servers; the SDK refuses."""
    return isinstance(case.body, list) and case.version in legacy.BATCH_VERSIONS and ours.status in {200, 202, 400}


@tolerated
def a_client_need_not_introduce_itself(case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """What a handshake says of the client changes nothing here, so a handshake without it is as good."""
    introduced = {"capabilities", "clientInfo"} <= case.params.keys()
    return theirs.code == INVALID_PARAMS and "protocolVersion" in _object(ours.result) and not introduced


@tolerated
def what_is_not_offered_is_not_found(case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """The SDK looks at the params of a known method first, even where the server does not offer it."""
    return (ours.code, theirs.code) == (-32601, INVALID_PARAMS) and case.message["method"] == "subscriptions/listen"


@tolerated
def the_envelope_is_checked_first(case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """The SDK asks whether the client's capabilities are an object only once it knows the headers and the method."""
    said = isinstance(case.meta.get(modern.CAPABILITIES_KEY), dict)
    return ours.code == INVALID_PARAMS and theirs.code in {-32601, -32020} and not said


@tolerated
def a_meta_without_use_is_not_checked(case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """The handshake eras' `_meta` holds nothing this server reads."""
    return theirs.code == INVALID_PARAMS and ours.result is not None and not isinstance(case.params.get("_meta"), dict)


@tolerated
def a_missing_resource_has_the_code_of_its_revision(case: Case, ours: Outcome, theirs: Outcome) -> bool:
    """The revisions with a handshake call it -32002; the SDK's handlers give all revisions the code of 2026-07-28."""
    of_handshakes = case.version in {None, *legacy.VERSIONS} and case.message.get("method") == "resources/read"
    return of_handshakes and (ours.code, theirs.code) == (RESOURCE_NOT_FOUND, INVALID_PARAMS)


async def _sdk_post(app: Starlette, case: Case) -> Outcome:
    received: list[Mapping[str, Any]] = [{"type": "http.request", "body": case.raw, "more_body": False}]
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        if not received:
            await anyio.sleep_forever()
        return received.pop()

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    headers = [(name.encode(), value.encode()) for name, value in case.headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers}
    await app(scope, cast("Any", receive), cast("Any", send))
    body = b"".join(message.get("body", b"") for message in sent)
    return _outcome(sent[0]["status"], json.loads(body) if body else None)


def _our_post(case: Case) -> Outcome:
    def receive() -> tuple[object, Shelf]:
        try:
            return parse_json(case.raw, Limits()), Shelf()
        except CairnError as error:
            raise RpcError(PARSE_ERROR, error.message) from None

    reply = answer(SERVER, "POST", case.headers, (), receive)
    return _outcome(reply.status, reply.body)


def _outcome(status: int, body: Any) -> Outcome:
    said = _object(body)
    return Outcome(status, _object(said.get("error")).get("code"), said.get("result", None if said else body))


class Requests:
    """Random requests, most of them nearly right."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a fuzz has to be repeatable

    def _mostly(self, usual: Any, *others: Any) -> Any:
        return usual if self._random.random() < 0.9 else self._random.choice(others)

    def next(self) -> Case:
        stateless = self._random.random() < 0.5
        body = self._body(stateless=stateless)
        version = "2026-07-28" if stateless else self._random.choice((None, *legacy.VERSIONS))
        headers: dict[str, Any] = {
            "content-type": self._mostly("application/json", "application/json; charset=utf-8"),
            "accept": self._mostly(ACCEPT, None, "application/json"),
            "mcp-protocol-version": self._mostly(version, None, "2025-11-25", "2026-07-28", "2027-01-01", "x"),
            "mcp-session-id": self._mostly(None, "unknown"),
        }
        if stateless:
            params = _object(body.get("params"))
            name = params.get("uri" if body.get("method") == "resources/read" else "name")
            headers["mcp-method"] = self._mostly(body.get("method"), None, "tools/list", "Tools/Call", "ping")
            mirrored = encode_header_value(name) if isinstance(name, str) else None
            headers["mcp-name"] = self._mostly(mirrored, None, "fail", " echo ", "=?base64?%?=")
        sent = {name: value for name, value in headers.items() if isinstance(value, str)}
        return Case(sent, self._raw(body))

    def _raw(self, body: Any) -> bytes:
        raw = json.dumps(self._mostly(body, [body], [], 3, None, "x")).encode()
        return self._mostly(raw, raw[:-1], b"", b"\xff", b"[" * 20_000, raw + b"x", b" " + raw)

    def _body(self, *, stateless: bool) -> dict[str, Any]:
        methods = ["tools/list", "tools/call", "tools/call", "server/discover" if stateless else "initialize", "ping"]
        method = self._mostly(self._random.choice([*methods, *OF_LIBRARY]), *UNKNOWN_METHODS)
        body: dict[str, Any] = {
            "jsonrpc": self._mostly("2.0", "1.0", 2, None),
            "id": self._mostly(self._random.choice((1, "one", 0, "")), None, [], {}, True, 1.5, 2**70),
            "method": method,
            "params": self._mostly(self._params(method, stateless=stateless), None, [], 3, "x"),
        }
        for name in ("id", "params", "jsonrpc", "method"):
            if self._random.random() < 0.04:
                del body[name]
        return body

    def _params(self, method: object, *, stateless: bool) -> dict[str, Any]:
        params: dict[str, Any] = {}
        if method == "tools/call":
            params["name"] = self._mostly(self._random.choice(NAMES), "nothing", "", 3, None)
            params["arguments"] = self._mostly({"a": 1}, None, {}, [], "x", {"a": {"b": [None, 1.5, "ü"]}})
        if method == "initialize":
            params |= CLIENT | {
                "protocolVersion": self._mostly(self._random.choice(legacy.VERSIONS), "2026-07-28", "x", 3)
            }
        params |= self._params_of_library(method)
        if method == "tools/list":
            params["cursor"] = self._mostly(None, "x", 3)
        if stateless:
            version = self._mostly("2026-07-28", "2025-11-25", "2027-01-01", 3)
            meta = {modern.VERSION_KEY: version, modern.CAPABILITIES_KEY: self._mostly({}, None, [])}
            params["_meta"] = self._mostly(meta, None, 3, {}, META | {"progressToken": 1})
        return {name: value for name, value in params.items() if self._random.random() < 0.97}

    def _params_of_library(self, method: object) -> dict[str, Any]:
        match method:
            case "resources/list":
                return {"cursor": self._mostly(None, "second", "x", 3)}
            case "resources/templates/list" | "prompts/list":
                return {"cursor": self._mostly(None, "x", 3)}
            case "resources/read":
                return {"uri": self._mostly(self._random.choice(URIS), "test://no", "", 3, None)}
            case "prompts/get":
                name = self._mostly("märchen", "nothing", "", 3, None)
                return {"name": name, "arguments": self._mostly({"a": "x"}, None, {}, [], "x", {"a": 3}, {"a": None})}
            case "completion/complete":
                refs = ({"type": "ref/prompt", "name": "märchen"}, {"type": "ref/resource", "uri": "test://{name}"})
                wrong: tuple[Any, ...] = (
                    {},
                    None,
                    3,
                    {"type": "ref/tool"},
                    {"type": "ref/prompt", "name": "no"},
                    {"type": "ref/prompt"},
                )
                argument = self._mostly(
                    {"name": "a", "value": "b"}, {}, None, 3, {"name": "a"}, {"name": 3, "value": ""}
                )
                context = self._mostly({"arguments": {"c": "d"}}, None, {}, 3, {"arguments": 3})
                ref = self._mostly(self._random.choice(refs), *wrong)
                return {"ref": ref, "argument": argument, "context": context}
            case _:
                return {}


@pytest.mark.slow
def test_the_core_answers_as_the_sdk_does() -> None:
    requests = Requests(SEED)
    cases = [requests.next() for _ in range(REQUESTS)]
    theirs = anyio.run(_sdk_outcomes, cases)
    seen: Counter[str] = Counter()
    for case, their in zip(cases, theirs, strict=True):
        our = _our_post(case)
        kinds = ["same"] if our == their else [name for name, is_it in TOLERATED.items() if is_it(case, our, their)]
        assert kinds, f"{case}\nours   {our}\ntheirs {their}"
        seen[kinds[0]] += 1
    assert seen["same"] > REQUESTS * 0.7
    assert sum(their.result is not None for their in theirs) > REQUESTS * 0.2
    assert set(TOLERATED) <= set(seen), "a tolerated difference no longer occurs"


async def _sdk_outcomes(cases: Sequence[Case]) -> list[Outcome]:
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server = sdk_server(SERVER, Shelf())
    app = server.streamable_http_app(json_response=True, stateless_http=True, transport_security=security)
    lifespan = cast("AbstractAsyncContextManager[None]", app.router.lifespan_context(app))
    async with lifespan:
        return [await _sdk_post(app, case) for case in cases]
