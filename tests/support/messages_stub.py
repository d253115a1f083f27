"""A Messages API on loopback whose model uses one tool after another, as a script says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from support.loopback import LoopbackServer


@dataclass
class Script:
    """What the model does: it uses the tool `memory` with each of these inputs, and is told the results."""

    inputs: Sequence[Mapping[str, Any]]
    told: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """The text of each result, and whether it was an error."""
    tools: list[Any] = field(default_factory=list[Any])

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the next message of the model, and keep what the request tells of the tool before."""
        self.tools = body.get("tools", self.tools)  # a thread names them once
        last: Any = body["messages"][-1]["content"]
        if not isinstance(last, str):
            results: list[Any] = [each for each in last if each["type"] == "tool_result"]
            self.told += [(_text(each["content"]), bool(each.get("is_error"))) for each in results]
        number = len(self.told)
        content: list[dict[str, Any]] = [{"type": "text", "text": "Done."}]
        if number < len(self.inputs):
            content = [
                {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": dict(self.inputs[number])}
            ]
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5-5",
            "content": content,
            "stop_reason": "tool_use" if number < len(self.inputs) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


def messages_server(script: Script) -> LoopbackServer[Any]:
    """Return a server that plays a script."""

    class Exchange(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = json.dumps(script.answer(body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Write nothing."""

    return LoopbackServer(Exchange, None)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(each["text"] for each in content)
