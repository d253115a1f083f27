"""Which texts of a value are searched."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.documents.model import Index
from cairn.documents.texts import MAX_TEXT_CHARACTERS, MOST_TEXTS, check_path, texts_of
from cairn.ground.errors import InvalidArgument

VALUE: dict[str, Any] = {
    "text": "Beans grow.",
    "rows": 4,
    "kept": True,
    "none": None,
    "a": {"b": [{"c": "one", "d": "x"}, {"c": "two"}, "three"]},
}


@pytest.mark.parametrize(
    ("index", "texts"),
    [
        (None, ["Beans grow.\n4\none\nx\ntwo\nthree"]),
        (False, []),
        (("$",), ["Beans grow.\n4\none\nx\ntwo\nthree"]),
        (("text",), ["Beans grow."]),
        (("rows", "text"), ["4", "Beans grow."]),
        (("a.b[*].c",), ["one", "two"]),
        (("a.b[0]",), ["one\nx"]),
        (("a.b[-1]",), ["three"]),
        (("a.b[7]", "a.b[-4]", "text[0]", "none", "kept", "more.of.it", "text.c"), []),
        (("a.*",), ["one\nx\ntwo\nthree"]),
    ],
)
def test_a_path_leads_to_texts_and_numbers(index: Index, texts: list[str]) -> None:
    assert texts_of(VALUE, index) == texts


def test_a_long_text_is_searched_in_pieces_up_to_a_number() -> None:
    assert [len(text) for text in texts_of("x" * (MAX_TEXT_CHARACTERS + 1), None)] == [MAX_TEXT_CHARACTERS, 1]
    assert len(texts_of("x" * MAX_TEXT_CHARACTERS * 99, None)) == MOST_TEXTS


@pytest.mark.parametrize("path", ["$", "a", "a.b[*].c", "a[0][-1]", "*", "a b.ü"])
def test_a_path_may_be_of_names_places_and_wildcards(path: str) -> None:
    check_path(path, "index")


@pytest.mark.parametrize("path", [".", "a.", ".a", "a..b", "[0]", "a[]", "a[x]", "a[1", "a]b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidArgument):
        check_path(path, "index")
