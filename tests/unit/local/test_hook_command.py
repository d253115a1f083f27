"""`cairn hook` as agents run it: a process that reads an event and prints an answer, whatever the server does."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from cairn.local.hook.client_file import Client, write
from cairn.local.hook.spool import Spool
from support.loopback import LoopbackServer, certified, serving

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

KEY = "cairn_0123456789abcdef_secret"
CALL = [sys.executable, "-c", "from cairn.local.start import main; main()", "hook"]
CONTEXT = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "The shed is red: 🏡."}}
PATIENCE_SECONDS = 20.0


class Asked(NamedTuple):
    """What a server was asked."""

    path: str
    headers: dict[str, str]
    event: dict[str, Any]

    @property
    def prompt(self) -> str:
        return self.event["prompt"]


class Exchange(BaseHTTPRequestHandler):
    """Notes an event and answers it as the test says."""

    def do_POST(self) -> None:
        server = cast("Server", self.server)
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, event)
        server.asked.append(asked)
        with suppress(OSError):
            server.answer(self, asked)

    def say(self, answer: object, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


Answer = Callable[[Exchange, Asked], object]


class Server(LoopbackServer[Asked]):
    """A server of one test."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(Exchange, None)
        self.answer = answer


class Machine:
    """A home directory with a client file, and the hooks that run there."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / ".local/state/cairn"
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        kept = {name: value for name, value in kept.items() if not name.startswith(("CAIRN_", "XDG_", "CLAUDE_"))}
        self.environment = {**kept, "HOME": str(home)}

    def connect(self, url: str, project: str | None = "garden", user: str | None = None) -> None:
        write(Client(url, KEY, project, user), self.environment)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own
            [*CALL, *(arguments or ("claude-code",))],
            cwd=self.home,
            env={**self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def hook(self, event: object, *arguments: str, **environment: str) -> object:
        """Run a hook to its end and return its answer; its exit status is 0 and it says nothing else."""
        running = self.start(*arguments, **environment)
        given = event if isinstance(event, bytes) else json.dumps(event).encode()
        answer, complained = running.communicate(given, timeout=PATIENCE_SECONDS)
        assert (running.returncode, complained) == (0, b"")
        assert answer.endswith(b"}\n")
        return json.loads(answer)

    def log(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in (self.state / "hooks.log").read_text(encoding="utf-8").splitlines()]

    def waiting(self) -> list[str]:
        path = self.state / "hooks.spool"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line)["event"]["prompt"] for line in lines]

    def times(self) -> dict[str, Any]:
        return json.loads((self.state / "hooks.json").read_bytes())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    with serving() as run:
        yield lambda answer: run(Server(answer))


@pytest.fixture
def dead() -> str:
    """Return an address at which no server is."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def prompted(prompt: str = "Which colour?", session: str = "monday", **more: object) -> dict[str, object]:
    return {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt, **more}


def give(running: subprocess.Popen[bytes], event: object) -> None:
    assert running.stdin is not None
    running.stdin.write(json.dumps(event).encode())
    running.stdin.close()


def said(running: subprocess.Popen[bytes]) -> object:
    assert running.stdout is not None
    return json.loads(running.stdout.read())


def takes(exchange: Exchange, _asked: Asked) -> None:
    exchange.say({})


def repeats(exchange: Exchange, asked: Asked) -> None:
    exchange.say({"prompt": asked.prompt})


def busy(exchange: Exchange, _asked: Asked) -> None:
    exchange.say({}, 503)


def refuses(exchange: Exchange, _asked: Asked) -> None:
    exchange.say({}, 401)


def hangs(exchange: Exchange, _asked: Asked) -> None:
    cast("Server", exchange.server).ended.wait(PATIENCE_SECONDS)


def test_the_answer_of_the_server_is_that_of_the_hook(machine: Machine, serve: Callable[[Answer], Server]) -> None:
    server = serve(lambda exchange, _asked: exchange.say(CONTEXT))
    machine.connect(f"{server.url}/stage/", user="ada")

    assert machine.hook(prompted(odd="\ud800 é")) == CONTEXT

    (asked,) = server.asked
    assert (asked.path, asked.event) == ("/stage/v1/hooks/claude-code", prompted(odd="\ud800 é"))
    named = {name: asked.headers.get(name) for name in ("authorization", "x-cairn-project", "x-cairn-user")}
    assert named == {"authorization": f"Bearer {KEY}", "x-cairn-project": "garden", "x-cairn-user": "ada"}
    assert set(machine.times()["claude-code"]["UserPromptSubmit"]) == {"delivered"}
    assert not (machine.state / "hooks.log").exists()


def test_a_user_whose_name_no_header_holds_is_named_in_the_query(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(takes)
    machine.connect(server.url, user="Łukasz")

    machine.hook(prompted())

    (asked,) = server.asked
    assert (asked.path, "x-cairn-user" in asked.headers) == ("/v1/hooks/claude-code?user=%C5%81ukasz", False)


@pytest.mark.parametrize("folder", [{"CLAUDE_PROJECT_DIR": "{home}/shed"}, {}])
def test_the_project_is_that_of_the_folder_the_agent_was_started_in(
    machine: Machine, serve: Callable[[Answer], Server], folder: dict[str, str]
) -> None:
    server = serve(takes)
    machine.connect(server.url, project=None)
    environment = {name: value.format(home=machine.home) for name, value in folder.items()}

    machine.hook(prompted(cwd=str(machine.home / "garden")), **environment)

    assert server.asked[0].headers["x-cairn-project"] == ("shed" if folder else "garden")


@pytest.mark.req("R311")
def test_what_found_no_server_is_sent_in_order_by_the_next_hook_that_finds_one(
    machine: Machine, serve: Callable[[Answer], Server], dead: str
) -> None:
    machine.connect(dead)
    began = time.monotonic()
    assert machine.hook(prompted("one")) == machine.hook(prompted("two"), "codex") == {}
    assert time.monotonic() - began < 2.5
    assert machine.waiting() == ["one", "two"]
    assert {(line["agent"], line["event"], line["session"]) for line in machine.log()} == {
        ("claude-code", "UserPromptSubmit", "monday"),
        ("codex", "UserPromptSubmit", "monday"),
    }
    assert set(machine.times()["codex"]["UserPromptSubmit"]) == {"failed"}

    server = serve(repeats)
    spool = machine.state / "hooks.spool"
    spool.write_text(spool.read_text(encoding="utf-8").replace(dead, server.url), encoding="utf-8")
    machine.connect(server.url)

    assert machine.hook(prompted("three"), "gemini") == {"prompt": "three"}
    assert [(asked.path.rpartition("/")[2], asked.prompt) for asked in server.asked] == [
        ("claude-code", "one"),
        ("codex", "two"),
        ("gemini", "three"),
    ]
    assert machine.waiting() == []
    assert set(machine.times()["codex"]["UserPromptSubmit"]) == {"failed", "delivered"}


def test_what_waits_is_sent_to_no_other_server_than_the_one_it_was_for(
    machine: Machine, serve: Callable[[Answer], Server], dead: str
) -> None:
    machine.connect(dead)
    machine.hook(prompted("of the first"))
    server = serve(takes)
    machine.connect(server.url)

    machine.hook(prompted("of the second"))

    assert [asked.prompt for asked in server.asked] == ["of the second"]
    assert machine.waiting() == ["of the first"]


@pytest.mark.req("R311")
def test_a_server_that_hangs_delays_the_agent_by_at_most_the_hook_s_time(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(hangs)
    machine.connect(server.url)
    began = time.monotonic()

    assert machine.hook(prompted("one"), "claude-code", "--timeout", "1") == {}
    assert time.monotonic() - began < 1.9
    assert machine.waiting() == ["one"]

    server.answer = takes
    machine.hook(prompted("two"))
    assert [asked.prompt for asked in server.asked] == ["one", "one", "two"]


@pytest.mark.req("R311")
def test_a_server_that_was_waited_for_in_vain_is_waited_for_briefly_for_a_minute(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(hangs)
    machine.connect(server.url)
    machine.hook(prompted("one"), "claude-code", "--timeout", "1.2")
    late = machine.state / "hooks.late"
    first = late.stat().st_mtime_ns

    began = time.monotonic()
    machine.hook(prompted("two"))
    assert time.monotonic() - began < 2.0
    assert late.stat().st_mtime_ns == first

    a_minute_ago = time.time() - 61
    os.utime(late, (a_minute_ago, a_minute_ago))
    machine.hook(prompted("three"), "claude-code", "--timeout", "1.5")
    assert late.stat().st_mtime_ns > first

    server.answer = takes
    machine.hook(prompted("four"))
    assert not late.exists()
    assert machine.waiting() == []


@pytest.mark.req("R311")
def test_a_server_that_answers_bit_by_bit_delays_the_agent_no_longer(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    def trickle(exchange: Exchange, _asked: Asked) -> None:
        ended, given_up = cast("Server", exchange.server).ended, time.monotonic() + PATIENCE_SECONDS
        exchange.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while time.monotonic() < given_up and not ended.wait(0.05):
            exchange.wfile.write(b"x")

    machine.connect(serve(trickle).url)
    began = time.monotonic()

    assert machine.hook(prompted("one"), "claude-code", "--timeout=1") == {}
    assert time.monotonic() - began < 1.9
    assert machine.waiting() == ["one"]


@pytest.mark.req("R311")
def test_a_prompt_is_answered_in_its_time_though_the_server_hangs_on_what_waits(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    def hangs_on_one(exchange: Exchange, asked: Asked) -> None:
        if asked.prompt == "one":
            hangs(exchange, asked)
        exchange.say({"prompt": asked.prompt})

    server = serve(hangs_on_one)
    machine.connect(server.url)
    machine.hook(prompted("one"), "claude-code", "--timeout", "0.6")

    assert machine.hook(prompted("two"), "claude-code", "--timeout", "1.6") == {"prompt": "two"}
    assert machine.waiting() == ["one"]


@pytest.mark.req("R311")
def test_an_agent_that_ends_its_hook_loses_nothing(machine: Machine, serve: Callable[[Answer], Server]) -> None:
    server = serve(hangs)
    machine.connect(server.url)
    with machine.start() as running:
        give(running, prompted("one"))
        given_up = time.monotonic() + PATIENCE_SECONDS
        while not server.asked and time.monotonic() < given_up:
            running.poll()

        running.send_signal(signal.SIGTERM)

        assert said(running) == {}
        assert running.wait(PATIENCE_SECONDS) == 0
    assert machine.waiting() == ["one"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_what_was_refused_is_logged_without_the_key_and_not_sent_again(
    machine: Machine, serve: Callable[[Answer], Server], status: int
) -> None:
    machine.connect(serve(lambda exchange, _asked: exchange.say({"key": KEY}, status)).url)

    assert machine.hook(prompted("a secret plan")) == {}

    (line,) = machine.log()
    assert line["problem"] == f"the server answered with status {status}"
    assert machine.waiting() == []
    kept = b"".join(path.read_bytes() for path in machine.state.iterdir())
    assert KEY.encode() not in kept
    assert b"a secret plan" not in kept


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        (500, {}, True),
        (503, {}, True),
        (429, {}, True),
        (200, {"X-Cairn-Refused": "503"}, True),
        (200, {"X-Cairn-Refused": "409"}, True),
        (200, {"X-Cairn-Refused": "400"}, False),
        (302, {"Location": "/elsewhere"}, False),
    ],
)
@pytest.mark.req("R311")
def test_what_cannot_be_taken_at_present_waits(
    machine: Machine, serve: Callable[[Answer], Server], status: int, headers: dict[str, str], *, waits: bool
) -> None:
    machine.connect(serve(lambda exchange, _asked: exchange.say({}, status, headers)).url)

    assert machine.hook(prompted("one")) == {}

    assert machine.waiting() == (["one"] if waits else [])
    assert len(machine.log()) == 1


def test_an_event_that_the_server_cannot_take_holds_up_its_own_session_alone(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(busy)
    machine.connect(server.url)
    for prompt, session in (("one", "monday"), ("two", "monday"), ("three", "tuesday"), ("bad", "friday")):
        machine.hook(prompted(prompt, session))
    server.asked.clear()

    def answer(exchange: Exchange, asked: Asked) -> None:
        refused = {"one": "500", "bad": "400"}.get(asked.prompt)
        exchange.say({}, 200, {"X-Cairn-Refused": refused} if refused else {})

    server.answer = answer
    machine.hook(prompted("four", "friday"))

    assert [asked.prompt for asked in server.asked] == ["one", "three", "bad", "four"]
    assert machine.waiting() == ["one", "two"]
    assert machine.log()[-1]["problem"] == "Cairn refused the event with status 400"


def test_where_no_event_is_taken_at_present_one_that_waits_is_tried_alone(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(busy)
    machine.connect(server.url)
    for session in ("monday", "tuesday", "friday"):
        machine.hook(prompted(session, session))
    server.asked.clear()

    machine.hook(prompted("four", "sunday"))

    assert [asked.prompt for asked in server.asked] == ["monday", "four"]
    assert machine.waiting() == ["monday", "tuesday", "friday", "four"]


@pytest.mark.req("R311")
def test_what_another_hook_is_sending_is_not_sent_twice_nor_waited_for(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(busy)
    machine.connect(server.url)
    machine.hook(prompted("one"))
    server.asked.clear()
    server.answer = repeats

    with Spool(machine.state).sender() as is_sender:
        assert is_sender
        assert machine.hook(prompted("two")) == {"prompt": "two"}

    assert [asked.prompt for asked in server.asked] == ["two"]
    assert machine.waiting() == ["one"]


def test_what_waits_is_kept_while_the_key_is_refused(machine: Machine, serve: Callable[[Answer], Server]) -> None:
    server = serve(busy)
    machine.connect(server.url)
    machine.hook(prompted("one"))
    server.answer = refuses

    machine.hook(prompted("two"))

    assert machine.waiting() == ["one"]


def test_an_event_that_is_too_large_keeps_what_was_said_whole(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(takes)
    machine.connect(server.url)
    words = "What I said. " * 10_000

    machine.hook(prompted(words, tool_response={"stdout": "x" * 3_000_000, "code": 0}))

    (asked,) = server.asked
    assert asked.prompt == words
    assert asked.event["tool_response"] == {"stdout": "x" * 3999 + "…", "code": 0}


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'{"a":' + b"1" * 5000 + b"}", b'"text"']
)
def test_what_is_no_event_changes_nothing(machine: Machine, serve: Callable[[Answer], Server], given: bytes) -> None:
    server = serve(takes)
    machine.connect(server.url)

    assert machine.hook(given) == {}
    assert server.asked == []
    assert machine.log()[0]["problem"].startswith("the event is no JSON")


@pytest.mark.parametrize("answer", [b"<html>", b"[1]", b"", b"\xff", b"1" * 5000, b'{"a":"' + b"x" * 1_100_000 + b'"}'])
def test_what_is_no_answer_changes_nothing(machine: Machine, serve: Callable[[Answer], Server], answer: bytes) -> None:
    machine.connect(serve(lambda exchange, _asked: exchange.say(answer)).url)

    assert machine.hook(prompted()) == {}
    assert machine.log()[0]["problem"] == "the server answered something that is no JSON object"


@pytest.mark.req("R311")
def test_of_two_hooks_at_once_each_is_answered_and_what_waits_is_sent_once(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(busy)
    machine.connect(server.url)
    for prompt in ("one", "two", "three"):
        machine.hook(prompted(prompt))
    server.asked.clear()
    server.answer = repeats

    with machine.start() as first, machine.start() as second, machine.start() as third:
        hooks = [first, second, third]
        for number, hook in enumerate(hooks):
            give(hook, prompted(f"at once {number}"))
        answers = list(map(said, hooks))

    assert answers == [{"prompt": f"at once {number}"} for number in range(3)]
    waited = [asked.prompt for asked in server.asked if not asked.prompt.startswith("at once")]
    assert waited[:3] == ["one", "two", "three"]
    assert machine.waiting() == []


@pytest.mark.req("R311")
def test_hooks_at_once_without_a_server_lose_no_event_of_each_other(machine: Machine, dead: str) -> None:
    machine.connect(dead)
    hooks = [machine.start() for _ in range(6)]
    for number, hook in enumerate(hooks):
        hook.communicate(json.dumps(prompted(str(number))).encode(), timeout=PATIENCE_SECONDS)

    assert sorted(machine.waiting()) == list("012345")
    assert len(machine.log()) == 6


def test_without_a_client_file_nothing_is_kept_but_a_line_that_says_so(machine: Machine) -> None:
    assert machine.hook(prompted()) == {}

    (line,) = machine.log()
    assert line["problem"] == f"{machine.home}/.config/cairn/client.json is missing: `cairn connect` writes it"
    assert machine.waiting() == []


def test_a_client_file_that_others_can_read_is_used_and_told_of_once(
    machine: Machine, serve: Callable[[Answer], Server]
) -> None:
    server = serve(takes)
    machine.connect(server.url)
    (machine.home / ".config/cairn/client.json").chmod(0o644)

    machine.hook(prompted())
    machine.hook(prompted())

    (line,) = machine.log()
    assert "is open to others; run: chmod 600" in line["problem"]
    assert len(server.asked) == 2


@pytest.mark.parametrize("arguments", [("--timeout", "soon"), ("claude-code", "codex"), ("claude-code", "--timeout")])
def test_a_hook_that_is_called_wrongly_says_how_and_lets_the_agent_go_on(
    machine: Machine, arguments: tuple[str, ...]
) -> None:
    running = machine.start(*arguments)

    answer, complained = running.communicate(b"{}", timeout=PATIENCE_SECONDS)

    assert (running.returncode, answer) == (0, b"{}\n")
    assert b"cairn hook --help" in complained
    assert len(machine.log()) == 1


def test_whatever_is_wrong_the_agent_gets_an_answer_and_goes_on(tmp_path: Path) -> None:
    broken = "from cairn.local.hook import command; command.Exchange = None; command.main(['codex'])"

    done = subprocess.run([sys.executable, "-c", broken], capture_output=True, check=False, cwd=tmp_path)  # noqa: S603

    assert (done.returncode, done.stdout) == (0, b"{}\n")
    assert done.stderr == b"cairn hook failed: TypeError\n"


def test_the_answer_comes_though_nothing_can_be_kept(machine: Machine, serve: Callable[[Answer], Server]) -> None:
    server = serve(lambda exchange, _asked: exchange.say(CONTEXT))
    machine.connect(server.url)
    machine.state.parent.mkdir(parents=True)
    machine.state.write_text("a file in the way", encoding="utf-8")

    running = machine.start()
    answer, complained = running.communicate(json.dumps(prompted()).encode(), timeout=PATIENCE_SECONDS)

    assert (running.returncode, json.loads(answer)) == (0, CONTEXT)
    assert complained.startswith(b"cairn hook could not keep")


def test_what_hooks_keep_only_their_owner_reads(machine: Machine, dead: str) -> None:
    machine.connect(dead)

    machine.hook(prompted())

    kept = {path.name: path.stat().st_mode & 0o777 for path in machine.state.iterdir()}
    assert set(kept) >= {"hooks.log", "hooks.json", "hooks.spool"}
    assert set(kept.values()) == {0o600}


def test_a_certificate_that_the_system_does_not_know_is_refused(machine: Machine, tmp_path: Path) -> None:
    with serving() as run:
        server = LoopbackServer[Asked](Exchange, certified(tmp_path / "certificate.pem"))
        machine.connect(run(server).url)

        assert machine.hook(prompted("one")) == {}

    assert server.asked == []
    assert machine.log()[0]["problem"].endswith("gave no answer: SSLCertVerificationError")


def test_a_proxy_is_asked_for_servers_elsewhere(machine: Machine) -> None:
    machine.connect("https://memory.example.com")
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(PATIENCE_SECONDS)
        running = machine.start(HTTPS_PROXY=f"http://ada:pass@127.0.0.1:{proxy.getsockname()[1]}")
        give(running, prompted())
        taken, _ = proxy.accept()
        with taken, running:
            asked = taken.recv(4096)
            taken.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")

    assert asked.startswith(b"CONNECT memory.example.com:443 ")
    assert b"Proxy-Authorization: Basic YWRhOnBhc3M=" in asked
    assert machine.waiting() == ["Which colour?"]
