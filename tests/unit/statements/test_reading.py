"""Which sentences tell something lasting. The sentences are none that anything was fitted on."""

from __future__ import annotations

import pytest

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


def read(said: str) -> list[Statement]:
    return list(statements([("e1", said)]))


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
