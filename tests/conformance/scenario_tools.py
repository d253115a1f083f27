"""The tools that the official conformance suite calls by name; Cairn's own answer through the same protocol core.

Some of them ask the client for input and go on in the next call. Cairn's tools never do, but the core has to pass such
results through untouched, and the suite checks that a server keeps no state of its own for it: what a tool needs to
remember travels signed in `requestState`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.server import ToolCall
from cairn_mcp.stateless import CAPABILITIES_KEY

MISSING_CAPABILITY = -32021
_SIGNING_KEY = b"known to the fixture alone"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
_RICH_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
    "properties": {
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

Result = Mapping[str, Any]


def text(said: str) -> dict[str, Any]:
    """Return a text as content."""
    return {"type": "text", "text": said}


def _says(*content: Mapping[str, Any], error: bool = False) -> Result:
    return {"content": list(content), "isError": error}


def embedded(uri: str, mime_type: str, said: str) -> dict[str, Any]:
    """Return a resource as content."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": said}}


def _elicitation(message: str, field: str, kind: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def _sampling(question: str) -> dict[str, Any]:
    asked = [{"role": "user", "content": text(question)}]
    return {"method": "sampling/createMessage", "params": {"messages": asked, "maxTokens": 100}}


_ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}
_CONFIRM = {"confirm": _elicitation("Please confirm", "ok", "boolean")}


def _ask(requests: Mapping[str, Any], state: str | None = None) -> Result:
    result: dict[str, Any] = {"resultType": "input_required", "inputRequests": requests}
    return result if state is None else result | {"requestState": f"{state}.{_signature(state)}"}


def asked_for(key: str, question: str, name: str) -> Result:
    """Return the result that asks the user for a text."""
    return _ask({key: _elicitation(question, name, "string")})


def said_in(params: Mapping[str, Any], key: str, name: str) -> object:
    """Return what the user answered to what was asked under a key."""
    return _object(_object(_object(params.get("inputResponses")).get(key)).get("content")).get(name)


def _signature(state: str) -> str:
    return hmac.new(_SIGNING_KEY, state.encode(), hashlib.sha256).hexdigest()


def _state(call: ToolCall) -> str | None:
    """Return the state of an earlier round, None in the first; RpcError where it was tampered with."""
    signed = call.params.get("requestState")
    if signed is None:
        return None
    state, _, signature = str(signed).partition(".")
    if not hmac.compare_digest(signature, _signature(state)):
        raise RpcError(INVALID_PARAMS, "requestState is not what this server gave out")
    return state


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _responses(call: ToolCall) -> Mapping[str, Mapping[str, Any]]:
    """Return the usable answers to what was asked, by key."""
    given = _object(call.params.get("inputResponses"))
    return {key: answer for key, value in given.items() if (answer := _object(value))}


def _name(call: ToolCall) -> Result:
    name = said_in(call.params, "user_name", "name")
    if not isinstance(name, str):
        return _ask({"user_name": _elicitation("What is your name?", "name", "string")})
    return _says(text(f"Hello, {name}!"))


def _once(requests: Mapping[str, Any], *, signed: bool = False) -> Callable[[ToolCall], Result]:
    """Return a tool that asks for all of `requests` and then shows what it was told."""

    def run(call: ToolCall) -> Result:
        state, told = _state(call), _responses(call)
        if not requests.keys() <= told.keys() or (signed and state is None):
            return _ask(requests, "round-1" if signed else None)
        return _says(text(f"state-ok {json.dumps(told)}"))

    return run


def _two_rounds(call: ToolCall) -> Result:
    match _state(call):
        case "round-1" if "step1" in _responses(call):
            return _ask({"step2": _elicitation("Step 2: What is your favorite color?", "color", "string")}, "round-2")
        case "round-2" if "step2" in _responses(call):
            return _says(text("Both steps are done"))
        case _:
            return _ask({"step1": _elicitation("Step 1: What is your name?", "name", "string")}, "round-1")


def _capabilities(call: ToolCall) -> Mapping[str, Any]:
    return call.params.get("_meta", {}).get(CAPABILITIES_KEY, {})


def _what_the_client_can(call: ToolCall) -> Result:
    possible = {"sampling": _sampling("Hello?"), "elicitation": _elicitation("Name?", "name", "string")}
    return _ask({name: request for name, request in possible.items() if name in _capabilities(call)})


def _needs_sampling(call: ToolCall) -> Result:
    if "sampling" not in _capabilities(call):
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise RpcError(MISSING_CAPABILITY, "This tool needs the sampling capability", needed)
    return _says(text("The client can sample"))


def _always(*content: Mapping[str, Any], error: bool = False) -> Callable[[ToolCall], Result]:
    return lambda _: _says(*content, error=error)


_IMAGE: dict[str, Any] = {"type": "image", "data": PNG, "mimeType": "image/png"}
_ASK = "test_input_required_result_"
_TOOLS: dict[str, Callable[[ToolCall], Result]] = {
    "test_simple_text": _always(text("This is a simple text response for testing.")),
    "test_image_content": _always(_IMAGE),
    "test_audio_content": _always({"type": "audio", "data": _WAV, "mimeType": "audio/wav"}),
    "test_embedded_resource": _always(
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": _always(
        text("Multiple content types test:"),
        _IMAGE,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_error_handling": _always(text("This tool intentionally returns an error for testing"), error=True),
    "test_streaming_elicitation": _always(text("A JSON answer has no stream to ask on")),
    "test_logging_tool": _always(text("Nothing is logged to a client that did not ask")),
    "test_missing_capability": _needs_sampling,
    "json_schema_2020_12_tool": _always(text("The schema is the point")),
    f"{_ASK}elicitation": _name,
    f"{_ASK}sampling": _once({"capital_question": _sampling("What is the capital of France?")}),
    f"{_ASK}list_roots": _once({"client_roots": _ROOTS}),
    f"{_ASK}request_state": _once(_CONFIRM, signed=True),
    f"{_ASK}tampered_state": _once(_CONFIRM, signed=True),
    f"{_ASK}multiple_inputs": _once(
        {
            "user_name": _elicitation("What is your name?", "name", "string"),
            "greeting": _sampling("Generate a greeting"),
            "client_roots": _ROOTS,
        },
        signed=True,
    ),
    f"{_ASK}multi_round": _two_rounds,
    f"{_ASK}capabilities": _what_the_client_can,
}


class ScenarioTools:
    """The conformance suite's tools as a toolbox of the protocol core."""

    def listing(self) -> Sequence[Mapping[str, Any]]:
        """Return every tool in a fixed order."""
        return [
            {
                "name": name,
                "description": f"The conformance suite's {name}.",
                "inputSchema": _RICH_SCHEMA if name == "json_schema_2020_12_tool" else _NOTHING,
            }
            for name in _TOOLS
        ]

    def call(self, call: ToolCall) -> Result:
        """Run one of them."""
        if call.name not in _TOOLS:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {call.name}")
        return _TOOLS[call.name](call)
