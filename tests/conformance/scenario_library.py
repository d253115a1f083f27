"""The resources and prompts that the official conformance suite asks for by name, beside its tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenario_tools import PNG, ScenarioTools, asked_for, embedded, said_in, text

from cairn_mcp.jsonrpc import INVALID_PARAMS, ResourceMissing, RpcError
from cairn_mcp.library import Asked, Partial

_TEMPLATE = "test://template/{id}/data"
_BEFORE, _AFTER = _TEMPLATE.split("{id}")
_RESOURCES: Mapping[str, Mapping[str, Any]] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
}
_ASK = "test_input_required_result_prompt"


def _user(content: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _simple(_: Asked) -> Sequence[Mapping[str, Any]]:
    return [_user(text("This is a simple prompt for testing."))]


def _with_arguments(asked: Asked) -> Sequence[Mapping[str, Any]]:
    one, other = (asked.arguments.get(name, "") for name in ("arg1", "arg2"))
    return [_user(text(f"Prompt with arguments: arg1='{one}', arg2='{other}'"))]


def _with_resource(asked: Asked) -> Sequence[Mapping[str, Any]]:
    uri = asked.arguments.get("resourceUri", "")
    return [
        _user(embedded(uri, "text/plain", "Embedded resource content for testing.")),
        _user(text("Please process the embedded resource above.")),
    ]


def _with_image(_: Asked) -> Sequence[Mapping[str, Any]]:
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    return [_user(image), _user(text("Please analyze the image above."))]


_PROMPTS: Mapping[str, tuple[Sequence[str], Callable[[Asked], Sequence[Mapping[str, Any]]]]] = {
    "test_simple_prompt": ((), _simple),
    "test_prompt_with_arguments": (("arg1", "arg2"), _with_arguments),
    "test_prompt_with_embedded_resource": (("resourceUri",), _with_resource),
    "test_prompt_with_image": ((), _with_image),
    _ASK: ((), lambda asked: [_user(text(f"Use the context {said_in(asked.params, 'user_context', 'context')}."))]),
}


class ScenarioLibrary(ScenarioTools):
    """All that the suite asks for."""

    def resources(self, cursor: str | None) -> Mapping[str, Any]:
        """Return them in one page."""
        if cursor is not None:
            raise RpcError(INVALID_PARAMS, "Unknown cursor")
        return {
            "resources": [{"uri": uri, "name": uri, "mimeType": each["mimeType"]} for uri, each in _RESOURCES.items()]
        }

    def templates(self) -> Sequence[Mapping[str, Any]]:
        """Return the only one."""
        return [{"uriTemplate": _TEMPLATE, "name": "template", "mimeType": "application/json"}]

    def read(self, uri: str) -> Mapping[str, Any]:
        """Return a resource, or what the template makes of an id."""
        if uri in _RESOURCES:
            return {"contents": [{"uri": uri, **_RESOURCES[uri]}]}
        if not uri.startswith(_BEFORE) or not uri.endswith(_AFTER):
            raise ResourceMissing(uri)
        made = {"id": uri.removeprefix(_BEFORE).removesuffix(_AFTER), "templateTest": True}
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(made)}]}

    def prompts(self) -> Sequence[Mapping[str, Any]]:
        """Return every prompt in a fixed order."""
        return [
            {
                "name": name,
                "description": f"The conformance suite's {name}.",
                "arguments": [{"name": each, "description": "Any text.", "required": True} for each in arguments],
            }
            for name, (arguments, _) in _PROMPTS.items()
        ]

    def prompt(self, asked: Asked) -> Mapping[str, Any]:
        """Return its messages, or ask for what it needs."""
        if asked.name not in _PROMPTS:
            raise RpcError(INVALID_PARAMS, "Unknown prompt")
        if asked.name == _ASK and "inputResponses" not in asked.params:
            return asked_for("user_context", "What context should the prompt use?", "context")
        return {"messages": _PROMPTS[asked.name][1](asked)}

    def complete(self, partial: Partial) -> Mapping[str, Any]:
        """Return what the suite's example goes on as."""
        found = [each for each in ("paris", "park", "party") if each.startswith(partial.begins)]
        return {"completion": {"values": found, "total": len(found), "hasMore": False}}
