"""Where nothing is likely an answer, what introduces the user is told without unpacking all that is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn.context.offering import Candidates
from cairn.conversation.items import message
from cairn.ground.adapters import Adapters
from cairn.log.memories import Memory
from cairn.log.stretch import Tail
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.recall import answer
from cairn.recall.answer import Hit
from cairn.recall.likelihood import Likelihood
from cairn.recall.ranker import Ranking
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.services import services_over
from support.turns import SESSION, turn

ASKED = "Which harbour did the whalers of Nantucket sail their ships from in the year of the great storm?"


@pytest.fixture
def ask(adapters: Adapters, placed: Callable[..., dict[str, Any]]) -> Callable[[], list[str]]:
    """Return a function that asks, in a new process, what none of twelve notes that share a word with it answers."""
    clock: Any = adapters.clock
    commit(services_over(adapters), SESSION, turn("t1", "My name is Ada Lovelace."))
    for number in range(12):
        clock.advance(days=1)
        note = Note(content=f"Great idea number {number}: paint the shed.", confidence=0.5 + number % 4 / 10)
        remember(services_over(adapters), SESSION, note)

    def read() -> list[str]:
        prepared = prepare(services_over(adapters), SESSION, Preparation(current=(message("user", ASKED),)))
        return [fact["value"] for fact in placed(prepared)["facts"]]

    return read


def test_only_the_surest_of_what_is_kept_is_unpacked_and_all_the_same_introduces(
    ask: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    memory = Tail.memory

    def counted(tail: Tail, doc: int) -> Memory:
        read.append(doc)
        return memory(tail, doc)

    def unlikely(_ranking: Ranking, _size: int) -> Likelihood:
        return Likelihood(0.01)

    def everything(_candidates: Candidates, hits: list[Hit]) -> list[Hit]:
        return hits

    monkeypatch.setattr(answer, "likelihood", unlikely)
    monkeypatch.setattr(Tail, "memory", counted)
    found = ask()
    surest = sorted(set(read))
    monkeypatch.setattr(Candidates, "_that_may_introduce", everything)

    assert found == ask()
    assert found == ["Ada Lovelace"]
    assert (surest, sorted(set(read))) == ([3, 6, 7, 10, 11], list(range(12)))
