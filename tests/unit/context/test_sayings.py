"""What says nothing is told from what does, and near-duplicates from what differs in a number or a "not"."""

from __future__ import annotations

import pytest

from cairn.context.excerpts import Asked, excerpt
from cairn.context.sayings import Sayings, form, is_filler

LONG = " ".join(f"Sentence {number} speaks of the weather and of nothing else at all." for number in range(40))


@pytest.mark.req("R291")
@pytest.mark.parametrize(
    "text", ["Ok.", "Lovely!", "Thank you so much!", "👍", "Sounds great!", "...", "Danke schön!", "That's wonderful."]
)
def test_fillers_say_nothing(text: str) -> None:
    assert is_filler(text)


@pytest.mark.parametrize(
    "text", ["I like tea.", "Yes.", "No!", "42", "Oslo", "Love it", "The great one is Ada.", "Good Friday", "茶が好き"]
)
def test_short_texts_that_say_something_are_no_fillers(text: str) -> None:
    assert not is_filler(text)


@pytest.mark.req("R291")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("I live in Berlin.", "i LIVE in berlin!", True),
        ("Great, I live in Berlin", "I live in Berlin.", True),
        ("The beans in row 1 sprouted.", "The beans in row 2 sprouted.", False),
        ("I like tea.", "I don't like tea.", False),
        ("I fly from Paris to Rome.", "I fly from Rome to Paris.", False),
        (
            "I fly with my sister Clara and her two small dogs from Paris to Rome next Monday.",
            "I fly with my sister Clara and her two small dogs from Rome to Paris next Monday.",
            False,
        ),
        ("Ok.", "Lovely!", False),
        (
            "My sister Clara plays the cello in the city orchestra near the old harbour bridge.",
            "My sister Clara plays the cello in the city orchestra near that old harbour bridge!",
            True,
        ),
    ],
)
def test_near_duplicates_differ_in_form_alone(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - drawn
    assert Sayings([form(other)]).have(form(one)) is same


@pytest.mark.parametrize("count", [11, 20, 29, 30, 40])
def test_whichever_tenth_of_its_words_a_longer_text_lacks_it_says_the_same(count: int) -> None:
    said = tuple("abcdefghij"[at % 10] * (1 + at // 3) for at in range(count))
    for at in range(count):
        left_out = {said[(at + more) % count] for more in range(count // 10)}
        lacking = tuple(word for word in said if word not in left_out)

        assert Sayings([said]).have(lacking)
        assert Sayings([lacking]).have(said)
        assert not Sayings([said]).have(lacking[:-1])


@pytest.mark.req("R291")
def test_a_long_text_is_cut_to_the_sentences_that_match_with_gaps_marked() -> None:
    text = f"{LONG} My passport number ends in seven. {LONG}"

    cut = excerpt(text, 60, Asked("What does my passport end in?", lambda _: 6.0))

    assert "My passport number ends in seven." in cut
    assert "…" in cut
    assert len(cut) < 60 * 6


def test_a_text_that_is_little_longer_stays_whole() -> None:
    text = "word " * 80

    assert excerpt(text, 100, Asked("word?", lambda _: 1.0)) == text


@pytest.mark.parametrize("text", ["x" * 9000, "単語" * 900, "- point\n" * 400, "", "." * 900])
def test_any_text_is_cut_to_about_what_may_be_placed(text: str) -> None:
    assert len(excerpt(text, 60, Asked("単語 point?", lambda _: 1.0))) <= 700
