"""Which of the things believed a statement changes."""

from __future__ import annotations

import pytest

from cairn.ground.errors import EmbeddingFailed
from cairn.statements.features import features
from cairn.statements.heads import heads
from cairn.statements.linking import JUDGED, NEAREST, OUTDATES, Judge, Link, Saying, evidence, expanded, links

HELD = (
    "I live in a small flat in Bruges.",
    "Priya signs off our schema changes.",
    "My dog is called Tofu.",
)


def linked(said: str, *held: Saying, judge: Judge | None = None) -> Link | None:
    found = features(said)
    return next(iter(links(said, heads()["lasts"].score(found), heads()["changes"].score(found), held, judge)), None)


@pytest.mark.req("R297")
def test_a_change_is_linked_to_what_it_is_about() -> None:
    near = [Saying(HELD[0], 0.55), Saying(HELD[1], 0.1), Saying(HELD[2], 0.05)]

    found = linked("We've moved out of the flat in Bruges, it's a house in Ghent now.", *near)

    assert found is not None
    assert found.number == 0
    assert found.likelihood >= OUTDATES


@pytest.mark.req("R297")
def test_without_vectors_shared_words_link() -> None:
    found = linked("Marek signs off schema changes now, Priya left.", *(Saying(each, None) for each in HELD))

    assert found is not None
    assert found.number == 1


@pytest.mark.req("R297")
@pytest.mark.parametrize(
    "said",
    ["My sister just started at a bank in Antwerp.", "I have a meeting in Bruges on Monday.", "We also have a cat."],
)
def test_what_only_sounds_like_a_change_ends_nothing(said: str) -> None:
    found = linked(said, Saying(HELD[0], 0.3), Saying(HELD[1], 0.1), Saying(HELD[2], 0.2))

    assert found is None or found.likelihood < OUTDATES


def test_nothing_is_linked_where_nothing_is_believed() -> None:
    assert linked("We've moved to Ghent.") is None


def test_the_nearest_are_looked_at_however_much_is_believed() -> None:
    far = [Saying(f"The shed number {number} is green.", 0.01) for number in range(10 * NEAREST)]

    found = linked("We've moved out of Bruges, it's Ghent now.", *far, Saying(HELD[0], 0.6), *far)

    assert found is not None
    assert found.number == len(far)


def test_of_a_pair_counts_what_of_the_older_the_newer_does_not_name_and_how_long_both_are() -> None:
    older = "On Tuesdays I teach 24 children in Bruges with Priya."

    [(_, some)] = evidence("We meet with Priya in Ghent.", 0, 0, [Saying(older, 0.5)])
    [(_, none)] = evidence(older, 0, 0, [Saying(older, 0.5)])

    assert (some["left of the older"], none["left of the older"]) == (1.5, 0)
    assert some["length of the newer"] < some["length of the older"] == none["length of the newer"]


def test_numbers_are_standardised_bounded_and_multiplied() -> None:
    assert expanded([3.0, 1000.0], [1.0, 0.0], [2.0, 1.0]) == [1.0, 4.0, 1.0, 4.0, 16.0]


MOVED = "We've moved out of the flat in Bruges, it's a house in Ghent now."
NEAR = tuple(Saying(each, cosine) for each, cosine in zip(HELD, (0.55, 0.1, 0.05), strict=True))


@pytest.mark.req("R297")
def test_what_the_judge_says_of_a_pair_makes_a_change_likelier_or_less_likely() -> None:
    sure = linked(MOVED, *NEAR, judge=lambda _, older: 6.0 if older == HELD[0] else -6.0)
    unsure = linked(MOVED, *NEAR, judge=lambda _, __: -6.0)

    assert sure is not None
    assert unsure is not None
    assert sure.number == 0
    assert sure.likelihood > unsure.likelihood


def test_the_judge_is_asked_about_the_likeliest_few_with_the_newer_text_first() -> None:
    asked: list[tuple[str, str]] = []

    def judge(newer: str, older: str) -> float:
        asked.append((newer, older))
        return 0.0

    linked(MOVED, *(Saying(f"Our flat {number} is in Bruges.", 0.55) for number in range(6)), judge=judge)
    assert [newer for newer, _ in asked] == [MOVED] * JUDGED

    asked.clear()
    linked(MOVED, *NEAR, *(Saying(f"The shed number {number} is green.", 0.01) for number in range(5)), judge=judge)
    assert asked == [(MOVED, HELD[0])]  # by words and meaning no other is a change


def test_without_vectors_nothing_is_judged_and_a_judge_that_fails_changes_nothing() -> None:
    def broken(*_: str) -> float:
        raise EmbeddingFailed("no model")

    plain = [Saying(each, None) for each in HELD]

    assert linked(MOVED, *plain, judge=broken) == linked(MOVED, *plain)
    assert linked(MOVED, *NEAR, judge=broken) == linked(MOVED, *NEAR)
