"""A server behind the same class: how it is asked, and that its errors are those of this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Unpack

import pytest

from cairn import Memory
from cairn.client.failures import raised
from cairn.client.names import Names
from cairn.client.remote import Remote
from cairn.edge import problems
from cairn.ground import errors
from cairn.ground.errors import CairnError
from support.doubles import FakeClock
from support.loopback import LoopbackServer, Run, serving

pytestmark = pytest.mark.enable_socket

KEY = "cairn_0123456789abcdef_secret"
TREE = [
    errors.InvalidArgument("limit", "is wrong", ("query", "is long")),
    errors.Unauthenticated("no key"),
    errors.PermissionDenied("no", {"namespace": "garden", "operation": "read"}),
    errors.NotFound("not there", {"path": "x"}),
    errors.Conflict("another payload"),
    errors.PayloadTooLarge("too large", {"limit": 7}),
    errors.SecretDetected("a secret", {"rules": ["aws"]}),
    errors.QuotaExceeded("full", {"limit": 7}),
    errors.PersonalDataDetected("personal", {"redacted_fields": ["value"]}),
    errors.RateLimited("slow down", {"retry_after_ms": 1500}),
    errors.ResourceBusy("busy"),
    errors.Disabled("off", {"tool": "recall"}),
    errors.Unavailable("try again"),
    errors.KeyUnusable("the key is off", {"reason": "DisabledException"}),
    errors.NewerStore(9, 3),
    errors.InternalError("inside", {"request_id": "r"}),
    errors.CorruptData("a segment"),
]


@pytest.mark.parametrize("error", TREE, ids=lambda error: type(error).__name__)
def test_an_error_over_http_is_the_one_that_this_process_would_raise(error: CairnError) -> None:
    body = json.dumps(problems.envelope(error)).encode()

    found = raised(problems.http_status(error), problems.headers(error), body)

    assert type(found) is type(error)
    assert (found.code, found.message, str(found), found.retryable) == (
        error.code,
        error.message,
        str(error),
        error.retryable,
    )
    assert found.details == error.details


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (502, b"<html>Bad Gateway</html>", errors.Unavailable),
        (503, b'{"message": "Service Unavailable"}', errors.Unavailable),
        (429, b'{"message": "Too Many Requests"}', errors.RateLimited),
        (401, b'{"message": "Unauthorized"}', errors.Unauthenticated),
        (403, b'{"message": "Forbidden"}', errors.PermissionDenied),
        (404, b"<html>", errors.NotFound),
        (302, b"", errors.NotFound),
        (413, b"", errors.PayloadTooLarge),
        (500, b'{"type": "error", "error": {"code": 1}}', errors.Unavailable),
    ],
)
def test_what_a_gateway_or_a_proxy_answers_in_its_place_is_told_by_its_status(
    status: int, body: bytes, kind: type[CairnError]
) -> None:
    assert type(raised(status, {}, body)) is kind


def test_a_header_says_when_to_come_again_too() -> None:
    assert raised(429, {"retry-after": "3"}, b"").details == {"retry_after_ms": 3000}
    assert raised(429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"").details == {}


class Exchange(BaseHTTPRequestHandler):
    """Answers what the server was given to answer, and notes what it was asked."""

    protocol_version = "HTTP/1.1"
    server: Scripted  # pyright: ignore[reportIncompatibleVariableOverride] - the one that this handler is made by

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.asked.append((self.path, dict(self.headers), json.loads(body)))
        status, headers, answer = self.server.answers.pop(0)
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(answer))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the handler names it
        """Stay silent."""


class Scripted(LoopbackServer[tuple[str, dict[str, str], dict[str, object]]]):
    """A server with answers to give, one after another."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes]) -> None:
        super().__init__(Exchange, None)
        self.answers = list(answers)
        self.daemon_threads = True


STORED = json.dumps({"events_written": 1, "facts_written": 0, "facts_superseded": 0, "replayed": False}).encode()
BUSY = json.dumps(problems.envelope(errors.ResourceBusy("busy"))).encode()
NAMELESS = json.dumps(problems.envelope(errors.InvalidArgument("session_id", "is required"))).encode()
NOTHING = json.dumps({"count": 0, "memories": [], "more": 0, "cursor": None, "searched": 0, "by": "time"}).encode()


@pytest.fixture
def run() -> Iterator[Run]:
    with serving() as running:
        yield running


def memory_of(server: Scripted, clock: FakeClock, path: str = "", **names: Unpack[Names]) -> Memory:
    return Memory.through(Remote(server.url + path, KEY), clock, **names)


@pytest.mark.parametrize("path", ["", "/", "/mcp", "/mcp/agent", "/v1/tools"])
def test_a_tool_is_asked_at_its_path_with_the_key_whichever_address_was_pasted(
    run: Run, clock: FakeClock, path: str
) -> None:
    server = run(Scripted((200, {}, STORED)))

    with memory_of(server, clock, path, user="ada", project="garden") as memory:
        memory.add("I grow beans.", session="monday", turn_id="turn-1")

    ((where, headers, body),) = server.asked
    assert where == "/v1/tools/memory_after_turn"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert {name: body[name] for name in ("project", "session_id", "user_id", "turn_id")} == {
        "project": "garden",
        "session_id": "monday",
        "user_id": "ada",
        "turn_id": "turn-1",
    }


def test_a_project_that_nobody_named_is_left_to_the_key(run: Run, clock: FakeClock) -> None:
    server = run(Scripted((200, {}, NOTHING)))

    with memory_of(server, clock, user="ada") as memory:
        memory.search("beans")

    assert "project" not in server.asked[0][2]


def test_what_a_server_refuses_for_a_while_is_sent_again_as_it_was(run: Run, clock: FakeClock) -> None:
    server, began = (
        run(Scripted((409, {}, BUSY), (503, {"retry-after": "2"}, b"<html>"), (200, {}, STORED))),
        clock.now(),
    )

    with memory_of(server, clock, user="ada") as memory:
        memory.add("I grow beans.")

    assert server.asked[0] == server.asked[1] == server.asked[2]
    assert (clock.now() - began).total_seconds() >= 2


def test_a_server_is_asked_once_whether_its_key_is_some_user_s(run: Run, clock: FakeClock) -> None:
    bound = run(Scripted((200, {}, NOTHING), (200, {}, STORED), (200, {}, STORED)))
    unbound = run(Scripted((400, {}, NAMELESS)))

    with memory_of(bound, clock) as memory:
        memory.add("I grow beans.")
        memory.add("I grow peas.")
    with memory_of(unbound, clock) as memory:
        for _ in range(2):
            with pytest.raises(errors.InvalidArgument, match="user is required"):
                memory.add("I grow beans.")

    assert len(unbound.asked) == 1
    assert [where for where, _, _ in bound.asked] == ["/v1/tools/recall", *["/v1/tools/memory_after_turn"] * 2]
    assert "user_id" not in bound.asked[1][2]


def test_a_server_that_is_not_there_is_unavailable_after_some_tries(clock: FakeClock) -> None:
    with memory_of_nobody(clock) as memory, pytest.raises(errors.Unavailable, match="gave no answer"):
        memory.search("beans")


def memory_of_nobody(clock: FakeClock) -> Memory:
    with serving() as running:
        server = running(Scripted())
    return memory_of(server, clock, user="ada")


def test_what_answers_no_json_is_no_answer(run: Run) -> None:
    server = run(Scripted((200, {}, b"<html>Welcome</html>")))

    with pytest.raises(errors.Unavailable, match="no JSON"):
        Remote(server.url, KEY).call("recall", {})


def test_the_key_is_shown_to_nobody_and_a_closed_client_asks_nobody(run: Run, clock: FakeClock) -> None:
    door = Remote(run(Scripted()).url, KEY)
    memory = Memory.through(door, clock, user="ada")
    memory.close()

    assert KEY not in repr(memory)
    assert KEY not in repr(door)
    with pytest.raises(RuntimeError, match="closed"):
        memory.search("beans")


@pytest.mark.parametrize(
    "url", ["ftp://example.com", "https://", "https://ada:pw@example.com", "https://example.com?x=1"]
)
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(errors.InvalidArgument, match="store"):
        Memory(url, key=KEY)


def test_an_address_needs_a_key_and_one_without_tls_is_warned_of() -> None:
    with pytest.raises(errors.InvalidArgument, match="key"):
        Memory("https://example.com")
    with pytest.warns(RuntimeWarning, match="without encryption"):
        Memory("http://memory.example.com", key=KEY).close()
