"""What the comparison with peers is made of: planted memories, rounds, and rows for those that are missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import peers
from contenders import Contender, Missing
from mcp_wire import Failed, Server
from peer_doors import Running
from peers import Plan, Trial, table
from planted import Memory, memories, questions

PLAN = Plan(rounds=2, searches=3, stores=2, seed=7, fill_seconds=1)


class Perfect:
    """Finds every memory it was given, in a millisecond."""

    def __init__(self) -> None:
        self.kept: list[Memory] = []
        self.asked: list[str] = []
        self.server = cast("Server", Still())

    def store(self, memory: Memory) -> float:
        self.kept.append(memory)
        return 2.0

    def search(self, question: str) -> tuple[float, str]:
        self.asked.append(question)
        return 1.0, "\n".join(each.text for each in self.kept if question in each.questions)

    def fill(self, memories: Sequence[Memory]) -> None:
        self.kept.extend(memories)

    def listing(self) -> str:
        return ""


class Still:
    """A process that takes nothing."""

    def cpu_ms(self) -> float:
        return 0.0

    def peak_mb(self) -> float:
        return 1.0

    def stop(self) -> None:
        pass


def contender(name: str, start: Callable[[Path], Running], *, ranked: bool = True) -> Contender:
    return Contender(name, "somehow", name, lambda: None, start, ranked)


def test_planted_memories_differ_and_are_the_same_for_a_seed() -> None:
    planted = memories(2000, 7)

    assert len({each.text for each in planted}) == 2000
    assert planted == memories(2000, 7)
    assert planted[500:600] == memories(100, 7, 500)
    assert planted[:10] != memories(10, 8)


def test_a_question_names_its_person_and_tells_nothing_else_of_the_memory_by_heart() -> None:
    for memory in memories(2000, 7):
        person = " ".join(memory.text.split()[:2])
        said = set(re.findall(r"[a-z]{5,}", memory.text.removeprefix(person)))
        for question in memory.questions:
            assert person in question
            assert len(said & set(re.findall(r"[a-z]{5,}", question))) <= 1, (memory.text, question)


def test_no_question_is_asked_twice() -> None:
    asked = [question for number in range(PLAN.rounds) for question, _ in PLAN.asked(memories(50, 7), number)]

    assert len(asked) == len(set(asked))
    assert len(questions(memories(50, 7), 100, 1)) == 100


def test_a_round_keeps_what_no_other_round_kept_or_planted() -> None:
    kept = [memory.number for number in range(PLAN.rounds) for memory in PLAN.new(50, number)]

    assert kept == list(range(50, 50 + len(kept)))


def test_a_trial_asks_and_keeps_in_each_round_and_counts_hits(tmp_path: Path) -> None:
    planted = memories(50, 7)
    running = Perfect()
    running.fill(planted[:25])
    trial = Trial(contender("perfect", lambda _: running), tmp_path, PLAN, planted)

    for number in range(PLAN.rounds):
        trial.play(number)

    expected = [memory.number < 25 for number in range(2) for _, memory in PLAN.asked(planted, number)[4:]]
    assert trial.found.hits == expected
    assert trial.found.searches == [1.0] * 6
    assert trial.found.stores == [2.0] * 4
    assert len(set(running.asked)) == len(running.asked) == 14


@pytest.mark.parametrize("reason", [Missing("npm is not here"), Failed("ended")])
def test_one_that_fails_is_a_row_that_says_so_and_is_left_alone(tmp_path: Path, reason: Exception) -> None:
    def fails(_: Path) -> Running:
        raise reason

    planted = memories(50, 7)
    lost = Trial(contender("lost", fails), tmp_path, PLAN, planted)
    found = Trial(contender("found", lambda _: Perfect()), tmp_path, PLAN, planted)
    for trial in (lost, found):
        trial.attempt(lambda trial=trial: trial.play(0))
    lost.attempt(lambda: pytest.fail("it is tried again"))

    missing, measured = table([lost.contender, found.contender], {"lost": lost.found, "found": found.found}, 50).rows
    assert missing[0] == "lost"
    assert missing[-1] == str(reason)
    assert set(missing[1:-1]) == {None}
    assert measured[-1] == "somehow"


def test_a_fill_that_takes_too_long_is_told_and_goes_on_in_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "HOME", tmp_path)
    running = Perfect()
    slow = contender("slow", lambda _: running)
    planted = memories(250, 7)

    with pytest.raises(Missing, match="0 of 250 kept so far"):
        peers.filled(slow, planted, replace(PLAN, fill_seconds=0), tmp_path)
    directory = peers.filled(slow, planted, PLAN, tmp_path)

    assert running.kept == planted
    assert peers.filled(slow, planted, PLAN, tmp_path) == directory
    assert running.kept == planted


def test_cairn_is_held_to_the_fastest_that_ranks(tmp_path: Path) -> None:
    def took(store: float, search: float) -> Any:
        trial = Trial(contender("any", lambda _: Perfect()), tmp_path, PLAN, memories(50, 7))
        trial.play(0)
        trial.found.stores, trial.found.searches = [store] * 3, [search] * 3
        return trial.found

    chosen = [
        contender(name, lambda _: Perfect(), ranked=name != "blind") for name in ("cairn", "slow", "quick", "blind")
    ]
    found = {"cairn": took(2, 2), "slow": took(4, 40), "quick": took(8, 10), "blind": took(0.1, 0.1)}

    found["cairn"].hits, found["quick"].hits = [True, True, True, False], [True, False]
    note = table(chosen, found, 50).note
    assert "cairn to the fastest ranked peer: 0.50, 0.50, 0.20, 0.20" in note
    assert "found 75.0 %, quick 50.0 %" in note
