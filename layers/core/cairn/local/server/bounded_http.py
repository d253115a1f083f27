"""HTTP with bounds: how long the head of a request may be, how many headers it has, and how long a sender takes.

uvicorn's protocol has none. Without them one connection can fill the memory, or keep the loop that all share busy.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

MOST_HEAD_BYTES = 32 * 1024
"""How long the request line and headers may be together; API Gateway takes 10 KB."""
MOST_HEADERS = 128
HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
_REFUSALS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


class BoundedHttp(HttpToolsProtocol):
    """Ends a connection whose request is too long in its head, or too slow to come."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Wait for the first request."""
        super().__init__(*args, **kwargs)
        self._head = 0
        """How many bytes have come since the head began that is under way."""
        self._fields = 0
        """How many bytes its headers have."""
        self._in_body = False
        self._timer: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as in uvicorn
        """Give the first request its time."""
        super().connection_made(transport)
        self._wait(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has come, unless it makes the head too long."""
        if not self._in_body:
            if self._timer is None:
                self._wait(HEAD_SECONDS)
            self._head += len(data)
            # What comes with the end of a head may be a body's beginning: the parser is to say, of one piece at most.
            if self._head - len(data) > MOST_HEAD_BYTES:
                self._refuse(431)
                return
        super().data_received(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, unless it is one too many or too long."""
        self._fields += len(name) + len(value)
        if len(self.headers) >= MOST_HEADERS or self._fields > MOST_HEAD_BYTES:
            self._refuse(431)
        else:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Let the application answer, and give the body its time."""
        if self.transport.is_closing():
            return
        self._in_body = True
        self._wait(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the clock, which the next request starts again."""
        self._in_body, self._head, self._fields = False, 0, 0
        self._stop()
        if not self.transport.is_closing():
            super().on_message_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        if not self.transport.is_closing():
            super().on_body(body)

    def _wait(self, seconds: float) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, self._late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        # Where this side has stopped reading, since all threads are busy, the sender is not the one that is late.
        if self._in_body and self.flow.read_paused:
            self._wait(BODY_SECONDS)
        else:
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        """Answer where nobody has yet, and close."""
        self._stop()
        if self.transport.is_closing():
            return
        # There is no cycle before the first request, whatever uvicorn's types say.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is None or cycle.response_complete or not cycle.response_started:
            line = b"HTTP/1.1 %d %s\r\n" % (status, _REFUSALS[status])
            self.transport.write(line + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()
