"""What recall says in words of what it holds."""

from __future__ import annotations

from typing import Any

import pytest

from support.memories import Notebook, index

BEANS = "Where do the runner beans grow?"


def told(notebook: Notebook) -> Notebook:
    for number in range(12):
        notebook.talk.say(f"The weather was fine on day {number}.", reply="", turn_id=f"w{number}")
    notebook.talk.say("The runner beans grow by the south wall.", reply="", turn_id="beans")
    return notebook


@pytest.mark.req("R292")
def test_an_empty_memory_says_so_whatever_is_asked(notebook: Notebook) -> None:
    assert notebook.recall(BEANS).says == "nothing is stored yet"
    assert notebook.recall(BEANS).likelihood == 0
    assert notebook.recall().says == "nothing is stored yet"
    assert notebook.recall().likelihood is None
    assert notebook.recall().by == "time"


@pytest.mark.req("R292")
def test_where_nothing_fits_recall_says_that_none_likely_answers(notebook: Notebook) -> None:
    answer = told(notebook).recall("Was the fine for the parking ticket ever paid to the council?")

    assert answer.found
    assert answer.says.endswith(", none likely to answer this")
    assert answer.says.startswith(f"{len(answer.found) + answer.more} related text")
    assert answer.likelihood is not None
    assert answer.likelihood < (told(notebook).recall(BEANS).likelihood or 0)


@pytest.mark.req("R292")
def test_where_something_fits_recall_says_how_much_of_it_is_likely(notebook: Notebook) -> None:
    answer = told(notebook).recall(BEANS)

    assert "likely to answer this, of" in answer.says
    assert "none" not in answer.says
    assert "somebody else" not in answer.says
    assert "south wall" in answer.found[0].content


def test_nothing_related_is_told_from_nothing_stored_and_from_what_filters_leave_out(notebook: Notebook) -> None:
    told(notebook)

    assert notebook.recall("Xylophone?").says.startswith("nothing related to this among 1")
    assert notebook.recall(BEANS, type="risk").says == "nothing stored passes these filters"


def test_without_a_question_it_says_how_much_there_is(notebook: Notebook) -> None:
    notebook.keep("Beans like lime.")

    assert notebook.recall().says == "1 text, the newest first"


@pytest.mark.req("R293")
def test_a_cold_process_says_what_a_warm_one_says_from_the_tail_and_from_a_segment(notebook: Notebook) -> None:
    told(notebook)
    first = notebook.recall(BEANS)
    said: list[Any] = [
        (each.recall(BEANS).says, each.recall(BEANS).likelihood) for each in (notebook, notebook.other())
    ]
    index(notebook, "u:ada")
    indexed = notebook.other().recall(BEANS)

    assert said == [(first.says, first.likelihood)] * 2
    assert indexed.says == first.says
    assert indexed.likelihood == pytest.approx(first.likelihood)
