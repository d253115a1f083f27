"""Serve the catalog over standard input and output, one message a line, for desktop clients that start their servers.

The protocol core answers, as over HTTP, so that a client waits for no event loop and no SDK to load.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Lock, Thread

from cairn import wiring
from cairn.access.callers import Caller
from cairn.edge.events import parse_json
from cairn.ground.errors import CairnError
from cairn.ground.settings import Limits
from cairn.services import Services
from cairn.tool.call import Call
from cairn_mcp import jsonrpc
from cairn_mcp.jsonrpc import INTERNAL_ERROR, PARSE_ERROR, RpcError
from cairn_mcp.profiles import PROFILES, WHOLE, Profile
from cairn_mcp.protocol import answer_message
from cairn_mcp.server import Server, Toolbox
from cairn_mcp.toolbox import SERVER, CatalogTools
from cairn_tools.catalog import CATALOG

_AT_ONCE = 8
_CHUNK_BYTES = 65536
_log = logging.getLogger("cairn")


def run(caller: Caller, profile: str | None = None) -> None:
    """Serve this process's services to one caller until standard input ends; KeyError for no profile's name."""
    serve(caller, wiring.services(), WHOLE if profile is None else PROFILES[profile])


def serve(caller: Caller, services: Services, profile: Profile = WHOLE) -> None:
    """Serve these services to one caller until standard input ends."""
    tools = CatalogTools(CATALOG, Call(caller, services), profile)
    with _standard_output() as sent:
        Connection(SERVER, tools, services.settings.limits, sys.stdin.fileno(), sent).serve()


class Connection:
    """Reads messages and writes replies, several calls at once.

    Each thread takes the next line and answers it itself: no message waits to be handed on.
    """

    def __init__(self, server: Server, tools: Toolbox, limits: Limits, received: int, sent: int) -> None:
        """Read from one descriptor and write to another."""
        self._server = server
        self._tools = tools
        self._limits = limits
        self._received = received
        self._sent = sent
        self._rest = b""
        self._reading = Lock()
        self._writing = Lock()

    def serve(self) -> None:
        """Answer until the input ends and every call that had begun is answered."""
        others = [Thread(target=self._listen, daemon=True, name="stdio") for _ in range(_AT_ONCE - 1)]
        for thread in others:
            thread.start()
        self._listen()
        for thread in others:
            thread.join()

    def _listen(self) -> None:
        while (line := self._next_line()) is not None:
            if line.strip() and (reply := self._reply(line)) is not None:
                self._write(reply)

    def _next_line(self) -> bytes | None:
        """Return the next line, None at the end of the input."""
        with self._reading:
            while b"\n" not in self._rest:
                chunk = os.read(self._received, _CHUNK_BYTES)
                if not chunk:
                    line, self._rest = self._rest, b""
                    return line or None
                self._rest += chunk
            line, _, self._rest = self._rest.partition(b"\n")
            return line

    def _reply(self, line: bytes) -> object | None:
        body: object = None
        try:
            body = parse_json(line, self._limits)
            return answer_message(self._server, body, None, self._tools).body
        except RpcError as error:
            return jsonrpc.failure(jsonrpc.request_id(body), error)
        except CairnError as error:
            return jsonrpc.failure(None, RpcError(PARSE_ERROR, error.message))
        except Exception as error:  # noqa: BLE001 - the door: whatever failed, the client gets an answer
            _log.error("A message failed: %s", type(error).__name__)
            return jsonrpc.failure(jsonrpc.request_id(body), RpcError(INTERNAL_ERROR, "Something failed inside"))

    def _write(self, reply: object) -> None:
        line = memoryview(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
        with self._writing, suppress(BrokenPipeError):  # whoever went away reads no answer
            while line:
                line = line[os.write(self._sent, line) :]


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
