"""The local server's HTTP: a head too long, headers too many or a sender too slow end the connection, and no other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from cairn.local.server.bounded_http import BODY_SECONDS, HEAD_SECONDS, MOST_HEAD_BYTES, MOST_HEADERS, BoundedHttp

START = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n"


class Timer:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.is_over = seconds, call, False

    def cancel(self) -> None:
        self.is_over = True


class Loop:
    """Keeps timers and tasks, and runs neither by itself."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []
        self.asked = 0

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def create_task(self, work: Coroutine[Any, Any, None], **_: Any) -> Any:
        work.close()
        self.asked += 1

        class Task:
            def add_done_callback(self, call: object) -> None:
                """Never end."""

        return Task()

    def running(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.is_over]


class Transport:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False

    def get_extra_info(self, name: str) -> Any:
        return {"sockname": ("127.0.0.1", 8787), "peername": ("127.0.0.1", 50000)}.get(name)

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        """Do nothing."""

    def resume_reading(self) -> None:
        """Do nothing."""


class Connection:
    def __init__(self) -> None:
        async def app(_scope: object, _receive: object, _send: object) -> None:
            """Answer nothing."""

        self.loop, self.transport = Loop(), Transport()
        loop: Any = self.loop
        transport: Any = self.transport
        config: Any = uvicorn.Config(app, lifespan="off")
        self.http = BoundedHttp(config, ServerState(), {}, loop)
        self.http.connection_made(transport)

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            if not self.transport.closed:
                self.http.data_received(piece)

    @property
    def status(self) -> str:
        return self.transport.written.decode().split(" ")[1] if self.transport.written else ""


@pytest.fixture
def connection() -> Connection:
    return Connection()


def test_a_usual_request_is_answered_and_leaves_no_timer(connection: Connection) -> None:
    connection.send(START + b"content-length: 2\r\n\r\n", b"{}")

    assert (connection.loop.asked, connection.transport.closed) == (1, False)
    assert connection.loop.running() == []


@pytest.mark.parametrize("pieces", [1, 400])
def test_more_headers_than_anybody_needs_are_refused(connection: Connection, pieces: int) -> None:
    head = START + b"".join(b"x-%d: 1\r\n" % number for number in range(8000)) + b"\r\n"
    size = -(-len(head) // pieces)
    connection.send(*(head[at : at + size] for at in range(0, len(head), size)))

    assert (connection.status, connection.transport.closed, connection.loop.asked) == ("431", True, 0)
    assert len(connection.http.headers) <= MOST_HEADERS


def test_a_header_without_end_is_refused_long_before_it_fills_the_memory(connection: Connection) -> None:
    sent = 0
    connection.send(START + b"x-long: ")
    while not connection.transport.closed:
        connection.send(b"a" * 4096)
        sent += 4096

    assert (connection.status, connection.loop.asked) == ("431", 0)
    assert sent <= MOST_HEAD_BYTES + 2 * 4096


def test_a_long_header_in_one_piece_is_refused(connection: Connection) -> None:
    connection.send(START + b"x-long: " + b"a" * MOST_HEAD_BYTES + b"\r\n\r\n")

    assert (connection.status, connection.loop.asked) == ("431", 0)


def test_a_large_body_is_not_taken_for_a_head(connection: Connection) -> None:
    body = b"a" * (4 * MOST_HEAD_BYTES)
    connection.send(START + b"content-length: %d\r\n\r\n" % len(body) + body[:100], body[100:])

    assert (connection.loop.asked, connection.transport.closed) == (1, False)


@pytest.mark.parametrize(
    ("sent", "seconds", "asked"),
    [
        ((), HEAD_SECONDS, 0),
        ((START,), HEAD_SECONDS, 0),
        ((START + b"content-length: 9\r\n\r\n", b"{"), BODY_SECONDS, 1),
    ],
)
def test_a_sender_that_is_too_slow_is_told_so_and_cut_off(
    connection: Connection, sent: tuple[bytes, ...], seconds: float, asked: int
) -> None:
    connection.send(*sent)
    (timer,) = connection.loop.running()
    timer.call()

    assert (timer.seconds, connection.status, connection.transport.closed) == (seconds, "408", True)
    assert connection.loop.asked == asked


def test_a_sender_whose_body_is_not_being_read_is_waited_for(connection: Connection) -> None:
    connection.send(START + b"content-length: 900000\r\n\r\n", b"a" * 100_000)
    assert connection.http.flow.read_paused
    (timer,) = connection.loop.running()
    timer.cancel()
    timer.call()

    assert not connection.transport.closed
    assert [each.seconds for each in connection.loop.running()] == [BODY_SECONDS]


def test_a_second_request_has_bounds_of_its_own(connection: Connection) -> None:
    connection.send(START + b"content-length: 2\r\n\r\n{}")
    connection.http.cycle.response_complete = True
    connection.send(START)
    (timer,) = connection.loop.running()
    timer.call()

    assert (connection.status, connection.transport.closed) == ("408", True)


def test_a_connection_that_is_lost_stops_its_clock(connection: Connection) -> None:
    connection.send(START)
    connection.http.connection_lost(None)

    assert connection.loop.running() == []
