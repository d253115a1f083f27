"""Send subsegments to the X-Ray daemon in its documented format: one JSON document in one UDP datagram."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Final, Self

from cairn.ground.errors import CairnError, InternalError, Unavailable

DAEMON: Final = "AWS_XRAY_DAEMON_ADDRESS"
_HEADER: Final = '{"format": "json", "version": 1}\n'
_FAULTS: Final = frozenset({InternalError.code, Unavailable.code})
_parent: ContextVar[str | None] = ContextVar("cairn_span", default=None)


class Subsegment(AbstractContextManager["Subsegment"]):
    """A span below the span around it, or below Lambda's own segment."""

    def __init__(self, header: str, name: str, annotations: Mapping[str, str]) -> None:
        """Take what Lambda says of the trace: "Root=...;Parent=...;Sampled=1"."""
        self._trace = dict(part.split("=", 1) for part in header.split(";") if "=" in part)
        self._name = name
        self._annotations = annotations
        self._id = secrets.token_hex(8)
        self._start = 0.0
        self._outer: Token[str | None] | None = None

    def __enter__(self) -> Self:
        """Start the time."""
        self._start = time.time()
        self._outer = _parent.set(self._id)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send the span; an error is told by its code."""
        if self._outer is not None:
            _parent.reset(self._outer)
        status = "OK" if error is None else error.code if isinstance(error, CairnError) else InternalError.code
        _send(self._document(status))

    def _document(self, status: str) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": self._name,
            "id": self._id,
            "trace_id": self._trace.get("Root", ""),
            "parent_id": _parent.get() or self._trace.get("Parent", ""),
            "type": "subsegment",
            "start_time": self._start,
            "end_time": time.time(),
            "annotations": {**self._annotations, "status": status},
        }
        return document if status == "OK" else {**document, "fault" if status in _FAULTS else "error": True}


def _send(document: Mapping[str, Any]) -> None:
    """Hand the document to the daemon, or lose it; nobody waits, not even for a name to be looked up."""
    host, _, port = os.environ.get(DAEMON, "").rpartition(":")
    datagram = (_HEADER + json.dumps(document)).encode()
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        (*_, address) = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM, flags=numeric)[0]
        sender.setblocking(False)
        sender.sendto(datagram, address)
