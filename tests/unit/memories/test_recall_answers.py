"""An answer of recall: its pages, how long it is, what it says of the rest, and why each is in it."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import pytest

from cairn.conversation import token_count as tokens
from cairn.conversation.items import message
from cairn.memories import recall
from cairn.memories.model import RecalledItem
from cairn.memories.recall import MOST_TOKENS
from support.memories import Notebook, index
from support.recall import ToyEmbedder

START = Callable[..., Any]


def pages(notebook: Notebook, query: str, limit: int, **fields: Any) -> list[list[RecalledItem]]:
    found: list[list[RecalledItem]] = []
    while True:
        told = sum(map(len, found))
        page = notebook.recall(query, skip=told, limit=limit, **fields)
        found.append(list(page.found))
        if not page.more:
            return found
        assert page.found, "a page that tells of more tells something"


@pytest.mark.parametrize("query", ["beans", ""])
def test_pages_go_on_without_gaps_or_doubles_until_all_was_told(notebook: Notebook, clock: Any, query: str) -> None:
    for number in range(12):
        notebook.keep(f"Beans of row {number}.")
        notebook.talk.say(f"I saw beans in row {number}.")
        clock.advance(minutes=1)
    index(notebook, "u:ada")
    notebook.talk.say("I saw more beans.")
    whole = notebook.recall(query, limit=50)

    told = pages(notebook.other(), query, 7)

    assert whole.more == 0
    assert [each.id for page in told for each in page] == [each.id for each in whole.found]
    assert len({each.id for each in whole.found}) == len(whole.found) == (38 if query else 12)
    assert [len(page) for page in told[:-1]] == [7] * (len(told) - 1)
    assert notebook.recall(query, skip=len(whole.found) + 3).found == ()
    assert notebook.recall(query, skip=len(whole.found) + 3).more == 0


@pytest.mark.parametrize("query", ["beans", ""])
def test_an_answer_takes_so_much_of_a_model_s_context_and_the_rest_comes_on_the_next_page(
    notebook: Notebook, query: str
) -> None:
    for number in range(12):
        notebook.keep(f"Beans {number} {'and peas ' * 190}")

    told = pages(notebook, query, 50)

    assert all(sum(tokens.count(each.content) for each in page) <= MOST_TOKENS for page in told)
    assert len(told) > 1
    assert len({each.id for page in told for each in page}) == 12


def test_one_is_told_however_long_it_is(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "MOST_TOKENS", 1)
    notebook.keep("Beans go north.")
    notebook.keep("Beans go south.")

    assert [len(page) for page in pages(notebook, "beans", 50)] == [1, 1]


def test_that_nothing_is_stored_is_told_from_that_nothing_matches(notebook: Notebook, start: START) -> None:
    for query in ("beans", ""):
        empty = notebook.recall(query)
        assert (empty.found, empty.more, empty.searched) == ((), 0, 0)

    notebook.talk.say("I live in Oslo.")
    notebook.keep("Gates are green.")

    unmatched = notebook.recall("zeppelin")
    assert (unmatched.found, unmatched.more, unmatched.searched) == ((), 0, 4)
    assert notebook.recall("zeppelin", type="turn").searched == 2
    assert notebook.recall("zeppelin", type="risk").searched == 0
    assert Notebook(start("tuesday"), "bob").recall("zeppelin").searched == 0


@pytest.mark.parametrize("embedder", [None, ToyEmbedder()], ids=["words", "vectors"])
def test_the_reasons_of_what_is_found_add_up_to_its_score(notebook: Notebook, embedder: Any) -> None:
    notebook.talk.say("Where do beans grow best?", reply="Beans grow best by a warm wall.")
    notebook.talk.say(message("user", "My beans grow tall.") | {"name": "Marta"})
    notebook.keep("Beans go north.", type="decision")
    notebook.talk.say("I live in Oslo.")

    found = notebook.with_embedder(embedder).find("Where did Marta's beans grow?", explain=True)

    assert len(found) > 3
    assert all(each.why is None for each in notebook.find("beans"))
    for one in found:
        assert one.why is not None
        assert sum(one.why.signals.values()) == pytest.approx(sum(one.why.features.values()), abs=1e-4)
        for other in found:
            assert other.why is not None
            apart = sum(one.why.signals.values()) - sum(other.why.signals.values())
            assert log(one.score / other.score) == pytest.approx(apart, abs=1e-3)
    ranks = [each.why.rank for each in found if each.why]
    assert ranks == sorted(set(ranks))
    assert ranks[0] == 1


def test_the_scores_of_all_that_is_found_add_up_to_one(notebook: Notebook) -> None:
    notebook.talk.say("Beans go north.", reply="")
    for number in range(5):
        notebook.keep(f"Gate {number} is green.")
    notebook.keep("Beans go south.")

    found = notebook.recall("beans", limit=50)

    assert found.more == 0
    assert sum(each.score for each in found.found) == pytest.approx(1, abs=1e-4)
    assert all(0 < each.score <= 1 for each in found.found)
