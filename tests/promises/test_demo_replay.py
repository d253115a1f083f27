"""The local server and the demo, run for real: started, killed, started again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters

from cairn.access.api_keys import Grant
from cairn.embedded.table import SqliteTable
from cairn.ground.table import Key, Put
from cairn.local.demo.client import CommitResult, Lost, MemoryClient, RecalledContext, connected
from cairn.local.demo.conversation import Conversation, SceneTurn, shipped
from cairn.local.demo.replay import ReplayTally, digest, forge, replay, send_again
from cairn.local.demo.server_process import DEMO_SETTINGS, ServerProcess
from cairn.local.store import LOCAL_TENANT, operator_services

pytestmark = [pytest.mark.slow, pytest.mark.enable_socket]

SETTINGS = {**DEMO_SETTINGS, "CAIRN_MEMORY_GUARD_LEASE_SECONDS": "1"}
KILL_AFTER = 6


def short() -> Conversation:
    """The shipped conversation's first two sessions, cut to eight turns each."""
    whole = shipped()
    sessions = tuple(
        type(session)(session.session_id, session.title, session.turns[:8]) for session in whole.sessions[:2]
    )
    return Conversation(whole.user_id, whole.title, sessions)


@dataclass
class Killer:
    """An audience that has the server killed a moment after it saw so many turns: in the midst of a later call."""

    server: ServerProcess
    delay: float
    seen: int = 0
    timers: list[Timer] = field(default_factory=list[Timer])

    def turn(self, turn: SceneTurn, recalled: RecalledContext | None, stored: CommitResult) -> None:
        del turn, recalled, stored
        self.seen += 1
        if self.seen == KILL_AFTER:
            self.timers.append(Timer(self.delay, self.server.kill))
            self.timers[0].start()

    def question(self, turn: SceneTurn, recalled: RecalledContext) -> None:
        """See nothing."""


class Nobody:
    """An audience that looks away."""

    def turn(self, turn: SceneTurn, recalled: RecalledContext | None, stored: CommitResult) -> None:
        """See nothing."""

    def question(self, turn: SceneTurn, recalled: RecalledContext) -> None:
        """See nothing."""


def new_key(store: Path) -> str:
    return operator_services(store, {}).credentials.create(LOCAL_TENANT, Grant()).text


@contextmanager
def running(store: Path) -> Generator[ServerProcess]:
    store.mkdir(mode=0o700, exist_ok=True)
    server = ServerProcess(store, SETTINGS)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server for tests that leave it running; each has a project of its own."""
    with running(tmp_path_factory.mktemp("served") / "store") as server:
        yield server


async def replayed(server: ServerProcess, key: str, audience: Killer | Nobody) -> ReplayTally:
    tally = ReplayTally()
    conversation = short()
    for session in conversation.sessions:
        async with connected(server.url, key, "demo") as memory:
            await replay(memory, conversation.user_id, session, tally, audience)
    return tally


async def final_state(server: ServerProcess, key: str) -> tuple[str, list[str], Counter[str]]:
    """Return the digest, the turns that were not stored, and how often each utterance is stored."""
    conversation = short()
    async with connected(server.url, key, "demo") as memory:
        told: Counter[str] = Counter()
        for session in conversation.sessions:
            told.update((await memory.before_turn(session.session_id, conversation.user_id, ("What?",))).recent)
        return (
            await digest(memory, (conversation,)),
            await send_again(memory, conversation.user_id, conversation.turns),
            told,
        )


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a replay that nothing disturbed."""
    store = tmp_path_factory.mktemp("uninterrupted")
    with running(store) as server:
        key = new_key(store)
        anyio.run(replayed, server, key, Nobody())
        state, lost, _ = anyio.run(final_state, server, key)
    assert lost == []
    return state


@pytest.mark.req("R038")
@pytest.mark.req("R047")
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03])
def test_a_server_killed_half_way_and_a_replay_from_the_start_leave_the_state_of_an_undisturbed_run(
    tmp_path: Path, uninterrupted: str, delay: float
) -> None:
    with running(tmp_path / "store") as server:
        key = new_key(server.store)
        killer = Killer(server, delay)
        with pytest.raises(Lost):
            anyio.run(replayed, server, key, killer)
        killer.timers[0].join()
        assert killer.seen < len(short().turns)
        server.start()
        tally = anyio.run(replayed, server, key, Nobody())
        state, lost, told = anyio.run(final_state, server, key)
    assert KILL_AFTER <= tally.replays_ignored <= killer.seen + 1
    assert lost == []
    assert state == uninterrupted
    assert told == Counter(text for _, turn in short().turns for text in (*turn.user, *turn.assistant))


@pytest.mark.req("R265")
def test_the_same_turn_with_other_words_is_a_conflict_and_changes_nothing(served: ServerProcess) -> None:
    async def forgery(server: ServerProcess, key: str) -> tuple[list[str], list[str], RecalledContext]:
        session, turn = shipped().turns[1]
        async with connected(server.url, key, "forged") as memory:
            await memory.after_turn(session.session_id, "u", turn)
            forged = await forge(memory, "u", session, turn)
            doubled = await send_again(memory, "u", [(session, turn)])
            return forged, doubled, await memory.before_turn(session.session_id, "u", ("Where do I live?",))

    forged, doubled, recalled = anyio.run(forgery, served, new_key(served.store))
    assert (forged, doubled) == ([], [])
    assert recalled.recent == (*shipped().turns[1][1].user, *shipped().turns[1][1].assistant)


@pytest.mark.req("R262")
def test_the_demo_keeps_its_promises_within_its_time(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cairn.local", "demo", "--store", str(tmp_path / "store")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - our own program
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "was killed with SIGKILL" in ended.stdout
    assert ended.stdout.count("✔") == 6
    assert max(map(len, ended.stdout.splitlines())) <= 100


@pytest.mark.req("R100")
def test_the_api_key_is_printed_at_the_first_start_only_and_is_in_no_file(tmp_path: Path) -> None:
    first, url = started_and_stopped(tmp_path / "store")
    second, _ = started_and_stopped(tmp_path / "store")
    (key,) = keys_in(first)
    assert url.startswith("http://127.0.0.1:")
    assert keys_in(second) == set()
    for file in (tmp_path / "store").rglob("*"):
        assert not file.is_file() or key.split("_", 2)[2].encode() not in file.read_bytes()


def test_a_start_at_which_no_key_opens_anything_prints_another(tmp_path: Path) -> None:
    store = tmp_path / "store"
    issued = operator_services(store, {}).credentials.create(LOCAL_TENANT, Grant())
    assert keys_in(started_and_stopped(store)[0]) == set()
    operator_services(store, {}).credentials.revoke(issued.credential.id)
    assert len(keys_in(started_and_stopped(store)[0])) == 1


def keys_in(text: str) -> set[str]:
    return set(re.findall(r"cairn_[0-9a-f]{16}_[\w-]{43}", text))


def started_and_stopped(store: Path) -> tuple[str, str]:
    """Return what a server printed and its URL; it must end well when asked to."""
    command = [sys.executable, "-m", "cairn.local", "serve", "--port", "0", "--data", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own program
        assert server.stdout
        lines = [server.stdout.readline()]
        url = lines[0].split()[-1]
        assert httpx2.get(url.replace("/mcp", "/healthz"), timeout=20).status_code == 200
        server.terminate()
        lines.append(server.stdout.read())
        assert server.wait(20) == 0
    return "".join(lines), url


def test_a_start_sweeps_away_what_has_expired(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    past = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())
    for name, expiry in (("old", past), ("new", 2**40)):
        SqliteTable(store / "table.sqlite3").put(Put({"pk": LOCAL_TENANT, "sk": name, "expires_at": expiry}))
    started_and_stopped(store)
    table = SqliteTable(store / "table.sqlite3")
    assert table.get(Key(LOCAL_TENANT, "old")) is None
    assert table.get(Key(LOCAL_TENANT, "new")) is not None


def test_a_body_of_ten_megabytes_is_refused_clearly_and_the_server_lives_on(served: ServerProcess) -> None:
    headers = {"X-Api-Key": new_key(served.store)}
    big = httpx2.post(served.url, content=b"x" * 10_000_000, headers=headers)
    assert (big.status_code, json.loads(big.content)["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert httpx2.get(served.url.replace("/mcp", "/healthz")).status_code == 200


def test_the_same_memory_is_served_over_standard_input_and_output(served: ServerProcess) -> None:
    async def ask(server: ServerProcess, key: str) -> RecalledContext:
        async with connected(server.url, key, "both") as memory:
            await memory.after_turn("s", "u", shipped().turns[1][1])
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "cairn.local", "stdio", "--data", str(server.store)],
            env={**os.environ, **SETTINGS},
        )
        async with Client(command) as client:
            return await MemoryClient(client, "both").before_turn("s", "u", ("Where do I live?",))

    recalled = anyio.run(ask, served, new_key(served.store))
    (home,) = recalled.facts
    assert home.startswith("home: Porto (User, ")


def test_a_taken_port_is_told_plainly(tmp_path: Path, served: ServerProcess) -> None:
    port = served.url.split(":")[2].split("/")[0]
    command = [sys.executable, "-m", "cairn.local", "serve", "--port", port, "--data", str(tmp_path / "other")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env=dict(os.environ))  # noqa: S603 - our own program
    assert ended.returncode == 2
    assert "cannot listen" in ended.stderr
    assert "Traceback" not in ended.stderr
