"""A program's whole message is asked for as a search takes it: its beginning and end, and nothing where it is blank."""

from __future__ import annotations

from cairn.client.asking import question_of
from cairn.memories.model import MAX_QUERY_BYTES


def test_a_text_is_asked_for_as_it_is_and_a_blank_one_not_at_all() -> None:
    assert question_of("  Where are the beans?\n") == "Where are the beans?"
    assert question_of(" \n") is None
    assert question_of("half a \ud800 character") == "half a \ud800 character"


def test_of_a_long_text_its_beginning_and_end_are_asked_for() -> None:
    asked = question_of(f"Beans? {'ü' * MAX_QUERY_BYTES} Peas?")

    assert asked is not None
    assert asked.startswith("Beans?")
    assert asked.endswith("Peas?")
    assert "\ufffd" not in asked
    assert MAX_QUERY_BYTES - 8 <= len(asked.encode()) <= MAX_QUERY_BYTES
