"""`cairn doctor`: well only where agents are connected, the server takes the key, and the newest turns arrived."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest
from click.testing import Result

from cairn.ground.codec import rfc3339
from cairn.local.connect.agent import Machine
from cairn.local.doctor.examination import examine
from cairn.local.hook.event import Event
from cairn.local.hook.journal import Journal
from cairn.local.hook.spool import Spool
from support.connecting import cairn, client, furnished
from support.loopback import LoopbackServer, serving

pytestmark = pytest.mark.enable_socket

NOW = datetime.now(UTC)
PROMPTED = NOW - timedelta(minutes=10)
CONNECTED = NOW - timedelta(hours=1)
STATE = ".local/state/cairn"


class Asked(NamedTuple):
    """What the server was asked."""

    path: str
    key: str
    project: str


class Memory(LoopbackServer[Asked]):
    """A server that has these sessions, by their ids with their newest turn, or refuses."""

    def __init__(self) -> None:
        super().__init__(_Exchange, None)
        self.sessions: dict[str, datetime] = {}
        self.status = 200
        self.body = b""


class _Exchange(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Memory)
        project = self.headers["X-Cairn-Project"]
        server.asked.append(Asked(self.path, self.headers["Authorization"], project))
        known = server.sessions.items() if project == "garden" else ()
        sessions = [{"session_id": name, "newest": rfc3339(at)} for name, at in known]
        begun = int(dict(parse_qsl(urlsplit(self.path).query)).get("cursor", 0))
        page, rest = sessions[begun : begun + 10], sessions[begun + 10 :]
        body = json.dumps({"sessions": page, "cursor": str(begun + 10) if rest else None}).encode()
        body = server.body or body
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Say nothing."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return furnished(tmp_path, monkeypatch)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with serving() as run:
        yield run(Memory())


@pytest.fixture
def connected(home: Path, memory: Memory) -> Callable[..., None]:
    """Return a function that connects agents to the server, an hour ago."""

    def connect(*names: str) -> None:
        assert cairn("connect", *names, "--port", str(memory.server_address[1]), "--yes").exit_code == 0
        record = home / STATE / "connect.json"
        kept = json.loads(record.read_bytes())
        record.write_text(json.dumps({**kept, "agents": dict.fromkeys(names, rfc3339(CONNECTED))}), encoding="utf-8")

    return connect


def doctor(exit_code: int) -> str:
    result: Result = cairn("doctor")
    assert result.exit_code == exit_code, result.output
    return result.output


def line(told: str, subject: str) -> str:
    [found] = [each for each in told.splitlines() if f" {subject}: " in each]
    return found


def claude_code(home: Path, begun: datetime, prompted: datetime) -> None:
    entries = [
        {"type": "user", "message": {"content": "Hello"}, "timestamp": _at(begun), "cwd": str(home / "garden")},
        {"type": "assistant", "message": {"stop_reason": "end_turn"}, "timestamp": _at(begun)},
        {"type": "user", "message": {"content": [{"type": "text", "text": "Plant beans"}]}, "timestamp": _at(prompted)},
        {"type": "assistant", "message": {"stop_reason": "tool_use"}, "timestamp": _at(prompted)},
        {"type": "user", "message": {"content": [{"type": "tool_result"}]}, "timestamp": _at(NOW)},
        {"type": "assistant", "message": {"stop_reason": "end_turn"}, "timestamp": _at(NOW)},
        {"type": "user", "message": {"content": "No answer yet"}, "timestamp": _at(NOW)},
    ]
    _write(home / ".claude/projects/-garden/monday.jsonl", entries)


def codex(home: Path, begun: datetime, prompted: datetime) -> None:
    entries = [
        {"type": "session_meta", "timestamp": _at(begun), "payload": {"id": "monday", "cwd": str(home / "garden")}},
        {"type": "event_msg", "timestamp": _at(prompted), "payload": {"item": {"type": "UserMessage"}}},
        {"type": "event_msg", "timestamp": _at(NOW), "payload": {"type": "task_complete", "last_agent_message": "Yes"}},
    ]
    _write(home / ".codex/sessions/2026/11/26/rollout-2026-11-26-monday.jsonl", entries)


def gemini(home: Path, begun: datetime, prompted: datetime) -> None:
    entries = [
        {"sessionId": "monday", "startTime": _at(begun), "kind": "main"},
        {"type": "user", "timestamp": _at(prompted), "content": [{"text": "Plant beans"}]},
        {"type": "gemini", "timestamp": _at(NOW), "content": "Yes"},
        {"$set": {"lastUpdated": _at(NOW)}},
    ]
    _write(home / ".gemini/tmp/garden/chats/session-2026-11-26-monday.jsonl", entries)
    (home / ".gemini/tmp/garden/.project_root").write_text(str(home / "garden"), encoding="utf-8")


every_transcript = pytest.mark.parametrize(
    ("name", "subject", "write"),
    [("claude-code", "Claude Code", claude_code), ("codex", "Codex", codex), ("gemini", "Gemini CLI", gemini)],
)
Writer = Callable[[Path, datetime, datetime], None]


@every_transcript
def test_all_is_well_where_the_newest_turn_is_in_memory(  # noqa: PLR0913 - fixtures
    *, home: Path, memory: Memory, connected: Callable[..., None], name: str, subject: str, write: Writer
) -> None:
    connected(name)
    write(home, PROMPTED - timedelta(minutes=5), PROMPTED)
    memory.sessions["monday"] = PROMPTED + timedelta(seconds=1)

    told = doctor(0)

    assert line(told, "Server").startswith("ok")
    assert line(told, subject).endswith("arrived; looked at: 1")
    assert {each.key for each in memory.asked} == {f"Bearer {client(home)['key']}"}
    assert "garden" in {each.project for each in memory.asked}


@every_transcript
@pytest.mark.parametrize("newest", [None, PROMPTED - timedelta(minutes=5)])
def test_a_newest_turn_that_is_not_in_memory_is_told_with_its_time_and_session(  # noqa: PLR0913 - fixtures
    *,
    home: Path,
    memory: Memory,
    connected: Callable[..., None],
    name: str,
    subject: str,
    write: Writer,
    newest: datetime | None,
) -> None:
    connected(name)
    write(home, PROMPTED - timedelta(minutes=5), PROMPTED)
    memory.sessions |= {"monday": newest} if newest else {}

    told = line(doctor(1), subject)

    assert told.startswith("WRONG")
    assert f"turns of 1 did not arrive, since {PROMPTED:%Y-%m-%d %H:%M} UTC" in told
    assert "monday" in told
    assert "the last event arrived: never" in told


@every_transcript
def test_sessions_from_before_and_turns_under_way_are_not_missed(
    home: Path, connected: Callable[..., None], name: str, subject: str, write: Writer
) -> None:
    connected(name)
    write(home, CONNECTED - timedelta(minutes=1), PROMPTED)
    assert "no turn of it has ended since" in line(doctor(0), subject)

    write(home, PROMPTED, NOW - timedelta(seconds=1))
    found = {each.subject: each for each in examine(Machine(home, {}), lambda: NOW)}
    assert (found[subject].is_well, "no turn of it has ended since" in found[subject].said) == (True, True)


def test_no_server_is_told_and_no_agent_is_well_then(home: Path, connected: Callable[..., None]) -> None:
    connected("claude-code", "codex")
    assert cairn("connect", "claude-code", "codex", "--port", "9", "--yes").exit_code == 0

    told = doctor(1)

    assert "gives no answer" in line(told, "Server")
    assert all(each.startswith("WRONG") for each in told.splitlines())
    assert client(home)["key"] not in told


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "refuses the key"), (403, "does not let this key into"), (500, "status 500"), (204, "status 204")],
)
def test_a_server_that_refuses_is_told(memory: Memory, connected: Callable[..., None], status: int, said: str) -> None:
    connected("codex")
    memory.status = status

    told = doctor(1)

    assert said in line(told, "Server")
    assert line(told, "Codex").startswith("WRONG")


def test_an_outage_is_over_in_a_folder_once_a_newer_session_of_it_arrived(
    home: Path, memory: Memory, connected: Callable[..., None]
) -> None:
    connected("codex")
    folder = home / ".codex/sessions/2026/11/26"
    codex(home, PROMPTED, PROMPTED)
    lost = (folder / "rollout-2026-11-26-monday.jsonl").rename(folder / "rollout-lost.jsonl")
    lost.write_text(lost.read_text().replace("monday", "lost"), encoding="utf-8")
    os.utime(lost, (NOW.timestamp() - 60, NOW.timestamp() - 60))
    assert line(doctor(1), "Codex").startswith("WRONG")

    codex(home, PROMPTED, PROMPTED + timedelta(minutes=1))
    memory.sessions["monday"] = NOW
    assert "its newest sessions arrived, of 1 before turns are missing" in line(doctor(0), "Codex")

    lost.write_text(lost.read_text().replace("garden", "orchard"), encoding="utf-8")
    os.utime(lost, (NOW.timestamp() - 60, NOW.timestamp() - 60))
    assert line(doctor(1), "Codex").startswith("WRONG")


def test_where_no_event_of_codex_ever_arrived_its_trust_is_asked_for(
    home: Path, connected: Callable[..., None]
) -> None:
    connected("codex")
    codex(home, PROMPTED, PROMPTED)

    assert "trust" in line(doctor(1), "Codex")


def test_a_session_behind_many_newer_ones_of_its_project_is_found_and_older_ones_are_not_asked_for(
    home: Path, memory: Memory, connected: Callable[..., None]
) -> None:
    connected("codex")
    codex(home, PROMPTED, PROMPTED)
    memory.sessions |= {f"newer {number}": NOW for number in range(25)}
    memory.sessions |= {"monday": PROMPTED}
    memory.sessions |= {f"older {number}": CONNECTED for number in range(25)}

    assert line(doctor(0), "Codex").startswith("ok")
    assert len([each for each in memory.asked if each.project == "garden"]) == 3


def test_what_answers_without_being_cairn_is_told(memory: Memory, connected: Callable[..., None]) -> None:
    connected("codex")
    memory.sessions = {"monday": NOW}
    memory.body = b'{"hello": "world"}'
    assert "does not answer as Cairn does" in line(doctor(1), "Server")

    memory.body = b"<html>"
    assert "does not answer as Cairn does" in line(doctor(1), "Server")


def test_events_that_wait_and_the_last_error_are_told(home: Path, connected: Callable[..., None]) -> None:
    connected("claude-code", "codex")
    url, state = client(home)["url"], home / STATE
    event = Event("claude-code", "garden", None, {"hook_event_name": "Stop", "session_id": "monday"})
    for moment in ("2026-11-26T10:00:00.000Z", "2026-11-26T11:00:00.000Z"):
        Spool(state).add(moment, url, event)
        Journal(state, lambda at=moment: at).failed(event, "127.0.0.1:8787 gave no answer: ConnectionRefusedError")

    told = doctor(1)

    agent = line(told, "Claude Code")
    assert "2 events wait since 2026-11-26T10:00:00.000Z" in agent
    assert "not delivered since it failed, last at 2026-11-26T11:00:00.000Z: Stop" in agent
    assert agent.endswith("2026-11-26T11:00:00.000Z Stop: 127.0.0.1:8787 gave no answer: ConnectionRefusedError")
    assert line(told, "Codex").startswith("ok")


def test_events_that_wait_for_another_server_are_told(home: Path, connected: Callable[..., None]) -> None:
    connected("codex")
    Spool(home / STATE).add("2026-11-26T10:00:00.000Z", "https://old.example.com", Event("codex", "garden", None, {}))

    assert (
        "1 events wait since 2026-11-26T10:00:00.000Z for https://old.example.com, which is not the server any more"
        in (line(doctor(1), "Codex"))
    )


def test_what_failed_and_was_delivered_since_is_well(home: Path, connected: Callable[..., None]) -> None:
    connected("codex")
    event = Event("codex", "garden", None, {"hook_event_name": "Stop"})
    Journal(home / STATE, lambda: "2026-11-26T10:00:00.000Z").failed(event, "the server answered with status 503")
    Journal(home / STATE, lambda: "2026-11-26T11:00:00.000Z").happened("delivered", [event])

    assert "the last event arrived at 2026-11-26T11:00:00.000Z" in line(doctor(0), "Codex")


def test_hooks_of_another_program_or_none_are_told(home: Path, connected: Callable[..., None]) -> None:
    connected("claude-code", "codex")
    path = home / ".claude/settings.json"
    path.write_text(path.read_text().replace("cairn hook", "cairn-gone hook"), encoding="utf-8")
    (home / ".codex/hooks.json").write_text("{}", encoding="utf-8")

    told = doctor(1)

    for subject, name in (("Claude Code", "claude-code"), ("Codex", "codex")):
        assert f"is not as it should be for this program: run cairn connect {name}" in line(told, subject)


def test_a_configuration_that_is_broken_is_told(home: Path, connected: Callable[..., None]) -> None:
    connected("codex")
    (home / ".codex/config.toml").write_text("nonsense", encoding="utf-8")

    assert "no valid TOML" in doctor(1)


def test_what_is_not_known_of_an_agent_is_not_claimed(connected: Callable[..., None]) -> None:
    connected("zed", "opencode")

    told = doctor(0)

    assert "without hooks: its model decides what is kept" in line(told, "Zed")
    assert "whether its turns arrive cannot be told from here" in line(told, "OpenCode")


@pytest.mark.usefixtures("home")
def test_where_nothing_is_connected_nothing_is_well() -> None:
    assert "cairn connect" in doctor(1)


def test_transcripts_that_make_no_sense_are_passed_over(home: Path, connected: Callable[..., None]) -> None:
    connected("claude-code", "codex", "gemini")
    for name in (
        ".claude/projects/a/b.jsonl",
        ".codex/sessions/a/rollout-b.jsonl",
        ".gemini/tmp/a/chats/session-b.jsonl",
    ):
        _write(home / name, [[], {"type": "user"}, {"type": "session_meta"}, {"sessionId": 1}, {"message": 1}])
        with (home / name).open("a", encoding="utf-8") as file:
            file.write('{"type": "us')

    assert doctor(0).count("no turn of it has ended since") == 3


def test_a_long_history_is_looked_at_in_part(home: Path, memory: Memory, connected: Callable[..., None]) -> None:
    connected("claude-code")
    for number in range(30):
        claude_code(home, PROMPTED, PROMPTED)
        (home / ".claude/projects/-garden/monday.jsonl").rename(home / f".claude/projects/-garden/{number}.jsonl")
        memory.sessions[str(number)] = PROMPTED

    assert "looked at: 5" in line(doctor(0), "Claude Code")


def _at(moment: datetime) -> str:
    return rfc3339(moment)


def _write(path: Path, entries: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in entries), encoding="utf-8")
