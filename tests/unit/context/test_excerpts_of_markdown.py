"""An excerpt of a long reply keeps whole sentences and none of the marks of what it leaves out."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.context.excerpts import GAP, Asked, excerpt

pytestmark = pytest.mark.req("R291")

WEATHER = "The weather was fine and nothing else is to be said of that day or of any other."
FILL = "\n\n".join([WEATHER] * 12)
ASKED = Asked("Which beans go north, and what is the passport's code?", lambda term: 3.0 if term == "north" else 6.0)


def cut(text: str, most: int = 65) -> str:
    assert len(text) > 5 * most
    return excerpt(text, most, ASKED)


@pytest.mark.parametrize("bare", ["-", "*", "2.", "2)", "•", "---", "***", "- [ ]", "**2.**", "|---|:--|", "> -"])
def test_a_mark_of_a_list_with_nothing_behind_it_is_left_out(bare: str) -> None:
    text = f"{bare}\n1. {WEATHER}\n{bare}\nBeans go north.\n{bare}\n{FILL}\n{bare}"

    kept = cut(text)

    assert "Beans go north." in kept
    assert bare not in kept.replace("- ", "").split()


def test_the_number_of_a_point_stays_with_its_sentence() -> None:
    points = "\n".join(f"{number}. {WEATHER} It was a day." for number in range(1, 12))

    kept = cut(f"{points}\n12. Beans go north. They like it.\n**13.** The passport ends in 7.")

    assert "12. Beans go north." in kept
    assert "**13.** The passport ends in 7." in kept
    assert not re.search(r"\b\d+\. (?:…|$|\d+\.)", kept)


def test_a_number_that_answers_is_no_mark() -> None:
    assert "42." in cut(f"The passport's code is:\n\n42.\n\n{FILL}").split()


def test_a_heading_is_kept_with_something_under_it_alone() -> None:
    empty = ("## Beans of the north", "### Beans go north", "## Rest")
    text = (
        f"# Plan\n\n{empty[0]}\n\n## Passport\n\nThe passport ends in 7.\n\n{empty[1]}\n\n{empty[2]}\n\n# End\n{FILL}"
    )

    kept = cut(text)

    assert "## Passport The passport ends in 7." in kept
    assert not [each for each in empty if each in kept]


def test_a_fence_is_kept_with_code_in_it_alone() -> None:
    code = "```python\nbeans = plant(passport)\n```"
    text = f"{FILL}\n```sh\n{WEATHER}\n```\n{code}\nBeans go north.\n```\n```"

    kept = cut(text)

    assert "```python beans = plant(passport)" in kept or "```" not in kept
    assert "```sh" not in kept
    assert not re.search(r"`{3}\w*(?: …)* `{3}", kept.replace("plant(passport) ```", ""))


def test_what_marks_alone_make_room_for_is_used() -> None:
    heads = "\n".join(f"## Beans go north {number}" for number in range(30))

    kept = cut(f"{heads}\n\n{FILL}\n\nThe passport ends in 7.")

    assert "The passport ends in 7." in kept
    assert kept.count("##") <= 1
    assert WEATHER in kept


def test_of_headings_alone_some_are_kept_and_of_marks_alone_a_gap() -> None:
    assert "# Beans go north" in cut("# Beans go north\n" * 40)
    assert cut("-\n" * 400) == GAP


_LINES = st.sampled_from(
    [
        "-",
        "2.",
        "*",
        "# Beans",
        "## North",
        "```",
        "```py",
        "Beans go north.",
        "Is it? Yes.",
        WEATHER,
        "1. Dig. Sow.",
        "x = 1",
    ]
)


@given(st.lists(_LINES, min_size=20, max_size=80), st.integers(20, 90))
def test_an_excerpt_is_made_of_whole_sentences_in_their_order(lines: list[str], most: int) -> None:
    text = "\n".join(["1. Dig.", *lines])
    kept = excerpt(text, most, ASKED)
    if kept == text:
        return
    pieces = [piece.strip() for piece in kept.split(GAP)]
    plain = " ".join(text.split())
    at = 0
    for piece in filter(None, pieces):
        for word in piece.split():
            at = plain.index(word, at) + len(word)
    assert not [one for one, other in pairwise(kept.split()) if one == other == GAP]
    assert not re.search(r"(?:^|… )[-*](?: |$)|(?:^| )2\.(?: |$)", kept)
