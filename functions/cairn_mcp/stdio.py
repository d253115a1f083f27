"""Serve the catalog over standard input and output, one message a line, for desktop clients that start their servers.

The protocol core answers, as over HTTP, so that a client waits for no event loop and no SDK to load.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from select import select
from threading import Lock, Thread
from typing import Any, cast

from cairn import wiring
from cairn.access.callers import Caller
from cairn.edge.events import parse_json
from cairn.ground.errors import CairnError
from cairn.ground.settings import Limits
from cairn.services import Services
from cairn.tool.call import Call
from cairn_mcp import jsonrpc
from cairn_mcp.apps import SESSION_HEADER
from cairn_mcp.jsonrpc import INTERNAL_ERROR, PARSE_ERROR, RequestId, RpcError
from cairn_mcp.library import Listener
from cairn_mcp.live import Client, Heard, LiveTools
from cairn_mcp.log_lines import asked_by
from cairn_mcp.profiles import PROFILES, WHOLE, Profile
from cairn_mcp.protocol import answer_message
from cairn_mcp.server import Server, Toolbox
from cairn_mcp.toolbox import server
from cairn_tools.catalog import CATALOG

_AT_ONCE = 8
_CHUNK_BYTES = 65536
_CANCELLED = b"cancelled"
_MOST_CANCELLED = 1000
"""How many ids of cancelled requests are kept: more than can be under way at once."""
_log = logging.getLogger("cairn")


def run(caller: Caller, profile: str | None = None, names: Mapping[str, str] | None = None) -> None:
    """Serve this process's services to one caller until standard input ends; KeyError for no profile's name.

    `names` stand in for arguments that are left out, as those in a request's headers do.
    """
    serve(caller, wiring.services(), WHOLE if profile is None else PROFILES[profile], names)


def serve(caller: Caller, services: Services, profile: Profile = WHOLE, names: Mapping[str, str] | None = None) -> None:
    """Serve these services to one caller until standard input ends."""
    with _standard_output() as sent:
        talk(Call(caller, services, names=names or {}), profile, sys.stdin.fileno(), sent)


def talk(call: Call, profile: Profile, received: int, sent: int) -> None:
    """Serve one caller over two descriptors until the first one ends."""
    client = Client()
    tools = LiveTools(CATALOG, call, profile, client=client)
    connection = Connection(server(profile), tools, call.services.settings.limits, received, sent)
    client.notify = connection.notify
    with _told(call.services, tools):
        connection.serve()


class Connection:
    """Reads messages and writes replies, several calls at once.

    Each thread takes the next line and answers it itself: no message waits to be handed on.
    """

    def __init__(self, server: Server, tools: Toolbox, limits: Limits, received: int, sent: int) -> None:
        """Read from one descriptor and write to another."""
        self._server = server
        self._tools = tools
        self._session: str | None = None
        self._limits = limits
        self._received = received
        self._sent = sent
        self._rest = b""
        self._lines = 0
        self._cancelled: dict[RequestId, int] = {}
        self._reading = Lock()
        self._looking = Lock()
        self._writing = Lock()

    def serve(self) -> None:
        """Answer until the input ends and every call that had begun is answered."""
        others = [Thread(target=self._listen, daemon=True, name="stdio") for _ in range(_AT_ONCE - 1)]
        for thread in others:
            thread.start()
        self._listen()
        for thread in others:
            thread.join()

    def notify(self, message: object) -> None:
        """Send a message that answers none."""
        with self._writing:
            self._send(message)

    def _listen(self) -> None:
        while (numbered := self._next_line()) is not None:
            number, line = numbered
            if line.strip() and (reply := self._reply(line)) is not None:
                self._look_ahead()
                self._write(number, reply)

    def _next_line(self) -> tuple[int, bytes] | None:
        """Return the next line and its number, None at the end of the input."""
        with self._reading:
            while b"\n" not in self._rest:
                chunk = os.read(self._received, _CHUNK_BYTES)
                if not chunk and not self._rest:
                    return None
                self._rest += chunk or b"\n"
            line, _, self._rest = self._rest.partition(b"\n")
            self._lines += 1
            if _CANCELLED in line:  # before the next line is taken, so that no reply overtakes it
                self._cancel(self._lines, line)
            return self._lines, line

    def _reply(self, line: bytes) -> object | None:
        body: object = None
        try:
            body = parse_json(line, self._limits)
            with asked_by(body):
                return self._answer(body)
        except RpcError as error:
            return jsonrpc.failure(jsonrpc.request_id(body), error)
        except CairnError as error:
            return jsonrpc.failure(None, RpcError(PARSE_ERROR, error.message))
        except Exception as error:  # noqa: BLE001 - the door: whatever failed, the client gets an answer
            _log.error("A message failed: %s", type(error).__name__)
            return jsonrpc.failure(jsonrpc.request_id(body), RpcError(INTERNAL_ERROR, "Something failed inside"))

    def _answer(self, body: object) -> object | None:
        """Return the answer to a message, and keep the session that one begins."""
        reply = answer_message(self._server, body, None, self._tools, self._session)
        self._session = reply.headers.get(SESSION_HEADER, self._session)
        return reply.body

    def _look_ahead(self) -> None:
        """Note what is cancelled in lines that nobody has taken yet, where every thread had a call to answer."""
        with self._looking:
            if not self._reading.acquire(blocking=False):
                return  # whoever reads notes it
            try:
                while self._has_input() and (chunk := os.read(self._received, _CHUNK_BYTES)):
                    self._rest += chunk
                for number, line in enumerate(self._rest.split(b"\n")[:-1], self._lines + 1):
                    if _CANCELLED in line:
                        self._cancel(number, line)
            finally:
                self._reading.release()

    def _has_input(self) -> bool:
        with suppress(OSError):  # Windows cannot tell of a pipe: there a full house answers what was cancelled
            return bool(select([self._received], [], [], 0)[0])
        return False

    def _cancel(self, number: int, line: bytes) -> None:
        """Note what request a line cancels, if it does: of its id the lines before this one are answered no more."""
        body: object = None
        with suppress(CairnError):
            body = parse_json(line, self._limits)
        for each in cast("list[object]", body) if isinstance(body, list) else [body]:
            message = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
            if message.get("method") != "notifications/cancelled" or not isinstance(message.get("params"), dict):
                continue
            cancelled = jsonrpc.request_id({"id": message["params"].get("requestId")})
            if cancelled is not None:
                if isinstance(self._tools, Listener):
                    self._tools.end(cancelled)
                with self._writing:
                    self._cancelled[cancelled] = number
                    if len(self._cancelled) > _MOST_CANCELLED:
                        del self._cancelled[next(iter(self._cancelled))]

    def _write(self, number: int, reply: object) -> None:
        """Send a line's reply, unless its client has cancelled the request meanwhile; what ran has run."""
        with self._writing:
            wanted = self._wanted(number, reply)
            if wanted is not None:
                self._send(wanted)

    def _send(self, message: object) -> None:
        line = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        with suppress(BrokenPipeError):  # whoever went away reads nothing
            while line:
                line = line[os.write(self._sent, line) :]

    def _wanted(self, number: int, reply: object) -> object | None:
        """Return what of a reply, or of a batch's replies, answers a request that was not cancelled after it came."""
        if isinstance(reply, list):
            each = [self._wanted(number, one) for one in cast("list[object]", reply)]
            return [one for one in each if one is not None] or None
        answered = jsonrpc.request_id(reply)
        return reply if answered is None or self._cancelled.get(answered, 0) <= number else None


@contextmanager
def _told(services: Services, tools: LiveTools) -> Generator[None]:
    """Tell the client meanwhile of calls and of what is logged, as far as it asks for that."""
    before, lines = services.observer, tools.client.lines
    vars(services)["observer"] = Heard(before, tools)  # in place of the one that was made at its first use
    _log.addHandler(lines)
    try:
        yield
    finally:
        _log.removeHandler(lines)
        vars(services)["observer"] = before


@contextmanager
def _standard_output() -> Generator[int]:
    """Yield standard output for the protocol alone; what else this process prints goes to standard error meanwhile."""
    sent = os.dup(1)
    os.dup2(2, 1)
    try:
        yield sent
    finally:
        os.dup2(sent, 1)
        os.close(sent)
