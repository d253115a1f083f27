"""What is told to one agent the next session knows, be it another agent's; however hooks and servers fail."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from statistics import quantiles
from threading import Thread
from typing import Any

import pytest

from support.desk import CAIRN, Desk
from support.hooks import answered, prompted, started, used

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
AGENTS = ("claude-code", "codex", "gemini")
PNPM = "We use pnpm in this project, never npm. Please remember that."
ASKED = "Which package manager does this project use?"
HOOK_SECONDS, BRIEF_SECONDS = 5.0, 1.5
RUNS = 20


@pytest.mark.req("R311")
@pytest.mark.parametrize("second", AGENTS)
@pytest.mark.parametrize("first", AGENTS)
def test_what_one_session_was_told_the_next_knows(desk: Desk, first: str, second: str) -> None:
    desk.agent(first).says(PNPM)
    other = desk.agent(second)
    desk.model.asked.clear()

    other.says(ASKED)

    assert desk.model.was_told("never npm")
    assert desk.stored() == [("user", PNPM), ("assistant", "Noted."), ("user", ASKED), ("assistant", "Noted.")]


@pytest.mark.req("R311")
@pytest.mark.req("R312")
@pytest.mark.parametrize("name", AGENTS)
def test_hooks_that_run_twice_and_a_server_killed_in_a_turn_store_each_turn_once(desk: Desk, name: str) -> None:
    agent = desk.agent(name)
    agent.double_hooks()
    desk.model.before_answer = desk.server.kill
    agent.says(PNPM)
    desk.model.before_answer = lambda: None
    desk.server.start()

    agent.says(ASKED)
    agent.says("Thanks, that is all.")

    said = [text for _, text in desk.stored()]
    assert sorted(said) == sorted([PNPM, ASKED, "Thanks, that is all.", *["Noted."] * 3])


@pytest.mark.req("R311")
@pytest.mark.parametrize("name", AGENTS)
def test_a_dead_server_delays_nothing_and_what_was_said_meanwhile_arrives_later(desk: Desk, name: str) -> None:
    agent = desk.agent(name)
    usual = agent.says("Good morning.")
    desk.server.kill()

    alone = agent.says(PNPM)

    assert alone < usual + HOOK_SECONDS
    desk.server.start()
    agent.says(ASKED)
    assert ("user", PNPM) in desk.stored()


@pytest.mark.req("R311")
@pytest.mark.parametrize("name", AGENTS)
def test_a_server_that_hangs_delays_a_turn_by_no_more_than_the_time_of_its_hooks(desk: Desk, name: str) -> None:
    agent = desk.agent(name)
    usual = agent.says("Good morning.")
    desk.server.kill()

    with hanging(desk.server.port):
        began = time.perf_counter()
        agent.says(PNPM)

    # The session's begin, and Gemini's connection to the tools; then a hook waits for a second.
    assert time.perf_counter() - began < usual + 2 * HOOK_SECONDS + 4 * BRIEF_SECONDS
    desk.server.start()
    agent.says(ASKED)
    assert ("user", PNPM) in desk.stored()


@contextmanager
def hanging(port: int) -> Generator[None]:
    """Take connections at a port of this machine and never answer."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", port), backlog=32) as listener:

        def take() -> None:
            while True:
                try:
                    taken.append(listener.accept()[0])
                except OSError:
                    return

        Thread(target=take, daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
    for each in taken:
        each.close()


def test_what_a_hook_costs(desk: Desk, times: list[str]) -> None:
    agent = desk.agent("claude-code")
    turn = min(agent.says(f"Good morning, number {number}.") for number in range(3))
    events: Mapping[str, Callable[[int], dict[str, Any]]] = {
        "SessionStart": lambda number: started(f"s{number}"),
        "UserPromptSubmit": lambda number: prompted(f"p{number}", f"{ASKED} {number}"),
        "PostToolBatch": lambda number: used(f"p{number}", f"t{number}", "pnpm test", "42 passed"),
        "Stop": lambda number: answered(f"p{number}", "pnpm."),
    }
    for name, make in events.items():
        spent = [seconds(desk, make(number)) for number in range(RUNS)]
        half, most = quantiles(spent, n=20)[9], quantiles(spent, n=20)[18]
        times.append(f"{name:18} p50 {half * 1000:5.0f} ms  p95 {most * 1000:5.0f} ms  {half / turn:5.1%} of a turn")
        assert most < 1.0
    times.append(f"a whole turn of Claude Code with a model that answers at once: {turn * 1000:.0f} ms")


def seconds(desk: Desk, event: Mapping[str, Any]) -> float:
    """Return how long a hook's process runs, from its start to its end."""
    began = time.perf_counter()
    agent = desk.agent("claude-code")
    subprocess.run(  # noqa: S603 - the program under test
        [str(CAIRN), "hook", "claude-code"],
        input=json.dumps(event).encode(),
        env=agent.environment,
        cwd=agent.repository,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - began
