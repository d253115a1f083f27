"""What somebody says is cut into units that say one thing each."""

from __future__ import annotations

import pytest

from cairn.statements.units import units


def said(text: str) -> list[str]:
    return [unit.said for unit in units(text)]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("I work in Porto. My sister lives in Lagos now.", ["I work in Porto.", "My sister lives in Lagos now."]),
        ("We moved! It's Ghent now, and it rains.", ["We moved! It's Ghent now, and it rains."]),
        ("The deadline has slipped. Sorry.", ["The deadline has slipped. Sorry."]),
        ("Any news? We have moved to Ghent.", ["Any news?", "We have moved to Ghent."]),
        ("Ok", ["Ok"]),
        ("", []),
    ],
)
def test_a_very_short_sentence_goes_with_its_neighbour(text: str, cut: list[str]) -> None:
    assert said(text) == cut


def test_a_unit_knows_its_place_in_the_text() -> None:
    text = "Hello there, my friend!  \u201cMy\u201d dog isn\u2019t well today."

    assert [text[unit.start : unit.end] for unit in units(text)] == [
        "Hello there, my friend!",
        "\u201cMy\u201d dog isn\u2019t well today.",
    ]


@pytest.mark.parametrize(
    "text",
    ['"I live in a castle by the sea."', "> I have moved to Rome last week", "```\nI = work(at='Acme')\n```"],
)
def test_what_is_quoted_or_pasted_is_no_unit(text: str) -> None:
    assert said(text) == []


def test_sentences_are_not_joined_into_long_ones() -> None:
    long = " ".join(["word"] * 29)

    assert said(f"Well then. {long}.") == ["Well then.", f"{long}."]
