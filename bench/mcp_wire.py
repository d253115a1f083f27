"""An MCP client with nothing in it but JSON: over standard input and output, and over HTTP on this machine.

It waits for one answer at a time, so that what a call takes is the server's time and the wire's, not an event loop's.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

_PROTOCOL = "2025-06-18"
_PROC = Path("/proc")
_TICKS_PER_MS = os.sysconf("SC_CLK_TCK") / 1000
_STOP_SECONDS = 10


class Failed(Exception):
    """The server went away, or answered with an error."""


class Server:
    """A process that is measured: its lines in and out, the processor time it took, the most memory it had."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], log: Path, *, ends_with_input: bool = True
    ) -> None:
        """Start it; what it writes to standard error goes to the log."""
        self._grace = _STOP_SECONDS if ends_with_input else 0
        with log.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - programs that the bench pins
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=log.parent
            )
        self._log = log

    def read_line(self) -> bytes:
        """Return the next line; Failed, with the last words, where there is none."""
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line:
            raise Failed(f"ended: {self._log.read_text('utf-8', 'replace').strip()[-200:]}")
        return line

    def write_line(self, line: bytes) -> None:
        """Send a line."""
        if self._process.stdin:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def cpu_ms(self) -> float:
        """Return the processor time of all its threads so far; 0 where the system does not tell."""
        with suppress(OSError):
            fields = (_PROC / str(self._process.pid) / "stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / _TICKS_PER_MS
        return 0.0

    def peak_mb(self) -> float:
        """Return the most memory it has had; 0 where the system does not tell."""
        with suppress(OSError, IndexError):
            status = (_PROC / str(self._process.pid) / "status").read_text()
            return int(status.partition("VmHWM:")[2].split()[0]) / 1000
        return 0.0

    def stop(self) -> None:
        """End its input, as a client that goes does, and it where that is not enough."""
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(self._grace)
        except subprocess.TimeoutExpired:
            self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


class Wire(Protocol):
    """Carries one JSON-RPC message and brings its answer."""

    def ask(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request, nothing for a notification."""
        ...


class Stdio:
    """Lines on standard input and output."""

    def __init__(self, server: Server) -> None:
        """Speak to this process."""
        self._server = server

    def ask(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request; what a server says unasked is passed over."""
        self._server.write_line(json.dumps(message).encode())
        while "id" in message:
            with suppress(ValueError):
                answer: dict[str, Any] = json.loads(self._server.read_line())
                if answer.get("id") == message["id"]:
                    return answer
        return {}


class Http:
    """POST on a connection that is kept."""

    def __init__(self, url: str, key: str) -> None:
        """Connect with an API key."""
        place = urlsplit(url)
        self._path = place.path
        self._connection = HTTPConnection(place.hostname or "", place.port, timeout=60)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def ask(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request, nothing for a notification."""
        self._connection.request("POST", self._path, json.dumps(message).encode(), self._headers)
        body = self._connection.getresponse().read()
        return json.loads(body) if body else {}


class Client:
    """One session with an MCP server."""

    def __init__(self, wire: Wire) -> None:
        """Shake hands."""
        self._wire = wire
        self._asked = 0
        info = {"name": "bench", "version": "1"}
        self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": info})
        wire.ask({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tools(self) -> list[Any]:
        """Return what tools/list sends."""
        return self._ask("tools/list", {})["tools"]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[float, str]:
        """Return the milliseconds a call took and the text of its answer, which is what a model reads."""
        started = time.perf_counter()
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        milliseconds = (time.perf_counter() - started) * 1000
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise Failed(text[:200])
        return milliseconds, text

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._asked += 1
        answer = self._wire.ask({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        if "result" not in answer:
            raise Failed(json.dumps(answer.get("error"))[:200])
        return cast("dict[str, Any]", answer["result"])
