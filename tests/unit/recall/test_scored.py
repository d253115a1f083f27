"""What was weighed for a question with its raw scores, beside what matches with its shares."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

import numpy as np
import pytest

from cairn.log.entries import Chunk
from cairn.recall.answer import Answer, Hit
from cairn.recall.searching import Search
from cairn.sessions.open_logs import open_logs, visibility_of
from support.memories import Notebook

ASKED = "Where do the beans grow?"


@contextmanager
def answered(notebook: Notebook, query: str) -> Generator[Answer]:
    services, visibility = notebook.talk.services, visibility_of(notebook.talk.services, notebook.talk.session, None)
    owners = open_logs(services, visibility, ())
    with services.searcher.answering(visibility, Search(query=query, texts=owners)) as answer:
        yield answer


@pytest.fixture
def told(notebook: Notebook) -> Notebook:
    notebook.user = None
    notebook.talk.say("The beans grow by the wall.", reply="", turn_id="t1")
    notebook.talk.other("tuesday").say("Ada plays the oboe.", reply="")
    for number in range(4):
        notebook.talk.say(f"Rain in the evening of day {number}.", reply="", turn_id=f"r{number}")
    return notebook


def test_everything_weighed_is_told_best_first_with_raw_scores(told: Notebook) -> None:
    with answered(told, ASKED) as answer:
        scored, hits = list(answer.scored()), list(answer.hits())

        assert len(scored) == answer.searched > len(hits) == answer.matched
        assert [each.score for each in scored] == sorted((each.score for each in scored), reverse=True)
        assert [each.score for each in scored] == pytest.approx(answer.ranking.scores.tolist())
        assert sum(each.score for each in hits) == pytest.approx(1)
        assert {each.place for each in hits} <= {each.place for each in scored}
        assert "by the wall" in str(answer.read(scored[0]))


def found_and_related(answer: Answer) -> tuple[set[str], set[str]]:
    """Return what is found, and what has to do with the question by its words, as it was said."""

    def said(hits: Iterable[Hit]) -> set[str]:
        return {found.text for found in map(answer.read, hits) if isinstance(found, Chunk)}

    return said(answer.hits()), said(hit for hit in answer.scored() if answer.is_related(hit))


def test_where_an_answer_is_likely_what_shares_no_word_but_is_nearly_as_good_is_found_too(told: Notebook) -> None:
    for number, said in enumerate(("Clara comes in May.", "Is she allergic?", "Peanuts, badly.", "Then no cake.")):
        told.talk.say(said, reply="", turn_id=f"c{number}")

    with answered(told, "What is Clara allergic to?") as answer:
        found, related = found_and_related(answer)

        assert answer.likelihood.is_likely
        assert "Then no cake." in found - related
        assert related < found


def test_where_no_answer_is_likely_only_what_is_related_is_found(told: Notebook) -> None:
    for number in range(12):
        told.talk.say(f"The weather was fine on day {number}.", reply="", turn_id=f"w{number}")

    with answered(told, "Was the fine for the parking ticket ever paid to the council?") as answer:
        found, related = found_and_related(answer)
        nearly = answer.ranking.with_the_nearly_best(np.ones(len(answer.corpus), np.bool_))

        assert not answer.likelihood.is_likely
        assert found == related
        assert len(found) == answer.matched < nearly.matched.sum()


def test_where_nothing_is_stored_nothing_is_weighed(notebook: Notebook) -> None:
    with answered(notebook, ASKED) as answer:
        assert list(answer.scored()) == []
