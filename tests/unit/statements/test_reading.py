"""Which sentences tell something lasting. The sentences are none that anything was fitted on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ports import Reader
from cairn.statements import reading
from cairn.statements.features import features
from cairn.statements.heads import heads
from cairn.statements.reading import Statement, statements

LASTING = [
    "My daughter started school in Bergen, so I drive her there every morning.",
    "We use plain SQL in this project, no ORM.",
    "Our team ships a release every second Tuesday.",
    "I've been a nurse at the children's clinic since March.",
    "From now on, please answer me in metric units.",
    "Wir sind nach Kiel gezogen, mein Mann arbeitet jetzt im Hafen.",
    "Je travaille maintenant chez un boulanger à Rennes.",
    "Mi hermana vive conmigo desde enero.",
]
PASSING = [
    "Can you shorten this paragraph?",
    "What is the boiling point of ethanol?",
    "Thanks, that looks great!",
    "If I lived in Rome, would I need a car?",
    "Kannst du mir den Satz übersetzen?",
    "Why does this query time out?",
    "Give me five names for a bakery.",
]


def read(said: str, reader: Reader | None = None) -> list[Statement]:
    return list(statements([("e1", said)], reader))


class SureReader:
    """Says of every sentence that it lasts and changes something, or that it does neither; counts what it reads."""

    def __init__(self, score: float) -> None:
        self.score = score
        self.asked: list[str] = []

    def read(self, text: str) -> Sequence[float]:
        self.asked.append(text)
        return [self.score] * 13

    def judge(self, newer: str, older: str) -> float:
        raise AssertionError(f"nothing is judged here: {newer} {older}")


class BrokenReader:
    """Has no model."""

    def read(self, text: str) -> Sequence[float]:
        raise EmbeddingFailed(f"{len(text)} characters are not read")

    def judge(self, newer: str, older: str) -> float:
        raise EmbeddingFailed(f"{len(newer)} and {len(older)} characters are not judged")


@pytest.mark.req("R296")
@pytest.mark.parametrize("said", LASTING)
def test_a_sentence_that_tells_something_lasting_is_a_statement(said: str) -> None:
    assert [found.unit.said for found in read(said)] == [said]


@pytest.mark.req("R296")
@pytest.mark.parametrize("said", PASSING)
def test_what_is_of_the_moment_is_none(said: str) -> None:
    assert read(said) == []


@pytest.mark.req("R296")
def test_a_statement_names_its_event_its_kind_and_its_words() -> None:
    [found] = statements([("t1-in-0", "Hello!"), ("t2-in-0", "From now on, please answer me in metric units.")])

    assert (found.event_id, found.kind) == ("t2-in-0", "instruction")
    assert found.unit.said == "From now on, please answer me in metric units."


def test_of_a_pasted_text_the_beginning_and_the_end_are_read() -> None:
    lines = [f"My cousin number {number} works at the harbour in Kiel." for number in range(200)]

    begun = ["We use plain SQL in this project, no ORM.", *lines]
    ended = [*lines, "We use plain SQL in this project, no ORM."]

    assert begun[0] in [each.unit.said for each in read("\n".join(begun))]
    assert ended[-1] in [each.unit.said for each in read("\n".join(ended))]


def test_of_many_statements_in_a_turn_the_likeliest_are_kept_in_their_order() -> None:
    found = read(" ".join(LASTING[:5] + LASTING))

    assert len(found) == 5
    assert [each.unit.start for each in found] == sorted(each.unit.start for each in found)


def test_a_sentence_that_is_too_long_to_keep_is_no_statement() -> None:
    assert read(f"I work at the harbour in Kiel with {'very ' * 200}nice people.") == []


@pytest.mark.req("R296")
def test_a_reader_decides_with_the_words_and_an_unlikely_sentence_is_not_read() -> None:
    for_it, against_it = SureReader(9.0), SureReader(-9.0)

    [found] = read(LASTING[0], for_it)
    [alone] = read(LASTING[0])

    assert (found.lasts, found.changes) > (alone.lasts, alone.changes)
    assert read(LASTING[0], against_it) == []
    assert read(PASSING[1], for_it) == []
    assert (for_it.asked, against_it.asked) == ([LASTING[0]], [LASTING[0]])


@pytest.mark.req("R296")
def test_what_ends_with_a_question_has_to_last_surely_and_is_less_of_a_change() -> None:
    said = "We keep the spare keys with Priya, right"
    neutral, sure = SureReader(0.0), SureReader(9.0)

    [asked] = read(f"{said}?", sure)
    mix = json.loads(Path(reading.__file__).with_name("reading.json").read_text("utf-8"))["changes"]
    by_words = heads()["changes"].score(features(f"{said}?"))

    assert [len(read(f"{said}{end}", neutral)) for end in ".?"] == [1, 0]
    assert asked.changes == pytest.approx(mix["words"] * by_words + mix["read"] * 9 + mix["asks"] + mix["constant"])
    assert mix["asks"] < 0


def test_where_the_reader_fails_sentences_are_read_by_their_words() -> None:
    assert read(LASTING[0], BrokenReader()) == read(LASTING[0])
