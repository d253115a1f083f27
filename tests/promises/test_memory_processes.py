"""Several processes on one directory through Memory: nothing is lost or doubled, after a fork either."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cairn import Memory

pytestmark = pytest.mark.slow

TURNS = 12
WRITER = f"""
import sys
from cairn import Memory
with Memory(sys.argv[1], user="ada", session="monday") as memory:
    print("open", flush=True)
    sys.stdin.readline()
    for number in range({TURNS}):
        memory.add(f"Bed {{number}} has beans.", turn_id=f"turn-{{number}}")
"""
FORKING = """
import os, sys
from cairn import Memory
memory = Memory(sys.argv[1], user="ada", session="monday")
memory.add("Said before the fork.", turn_id="parent-1")
child = os.fork()
if child == 0:
    memory.add("Said by the child.", turn_id="child-1")
    told = [each.content for each in memory.history()]
    memory.close()
    sys.exit(0 if "Said by the child." in told and "Said before the fork." in told else 1)
_, status = os.waitpid(child, 0)
memory.add("Said after the fork.", turn_id="parent-2")
print(os.waitstatus_to_exitcode(status), *(each.content for each in memory.history()), sep="|")
memory.close()
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")


def started(program: str, directory: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own
        [sys.executable, "-c", program, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )


@pytest.mark.req("R286")
def test_two_processes_that_tell_the_same_at_once_store_each_turn_once(tmp_path: Path) -> None:
    writers = [started(WRITER, tmp_path / "store") for _ in range(2)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n", writer.communicate()[1]
    ended = [writer.communicate("go\n", timeout=120) for writer in writers]

    assert [each.returncode for each in writers] == [0, 0], ended
    with Memory(tmp_path / "store", user="ada") as memory:
        told = [each.content for each in memory.history(session="monday")]
    assert sorted(told) == sorted(f"Bed {number} has beans." for number in range(TURNS))


def test_a_forked_process_opens_the_directory_for_itself(tmp_path: Path) -> None:
    program = started(FORKING, tmp_path / "store")

    told, errors = program.communicate(timeout=120)

    assert told.strip().split("|") == ["0", "Said before the fork.", "Said by the child.", "Said after the fork."], (
        errors
    )


def test_a_program_that_ends_without_closing_loses_nothing_and_says_nothing(tmp_path: Path) -> None:
    program = "import sys; from cairn import Memory; Memory(sys.argv[1], user='ada').add('I grow beans.', session='m')"

    told = started(program, tmp_path / "store").communicate(timeout=120)

    assert told == ("", "")
    with Memory(tmp_path / "store", user="ada") as memory:
        assert [each.content for each in memory.history(session="m")] == ["I grow beans."]
