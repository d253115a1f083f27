"""Abstracts and overviews of directories: how long they are, and when they are told anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from cairn.files import contents
from cairn.files.summaries import MAX_OVERVIEW_WORDS, directories

START = Callable[..., Any]
ROOT = "/memory/monday"


@pytest.mark.req("R083")
def test_every_directory_has_an_abstract_and_an_overview_after_the_first_turn(start: START) -> None:
    talk = start()
    talk.say("I live in Berlin.")

    listed = talk.list()

    assert "/memory/monday/events/raw/2026/03/01" in [each.path for each in listed]
    assert all(each.abstract and each.has_overview for each in listed)


@pytest.mark.slow
@pytest.mark.req("R083")
def test_abstracts_and_overviews_are_bounded(start: START) -> None:
    talk = start()
    for number in range(60):
        talk.say(f"I like kind {number} of tea, and Anna Lopez must try number {number} by Friday, we decided. " * 4)
    head = contents.head_of(talk.services, talk.session)
    assert head is not None
    held = contents.read(talk.services, talk.session, head)

    abstracts = [directory.abstract() for directory in directories(ROOT, held)]
    overviews = [directory.overview() for directory in directories(ROOT, held)]

    assert max(len(text.split()) for text in abstracts) == 200
    assert 1000 < max(len(text.split()) for text in overviews) <= MAX_OVERVIEW_WORDS


@pytest.mark.slow
def test_a_long_session_s_abstract_says_that_it_is_about_its_newest_part(start: START) -> None:
    talk = start()
    for number in range(151):
        talk.say(f"Row {number} sprouted.")

    assert "The rest is about the newest 300 texts." in talk.list("", 0)[0].abstract


@pytest.mark.req("R029")
def test_a_stored_abstract_gives_way_to_what_was_said_or_lapsed_since(start: START, clock: Any) -> None:
    clock.time = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    talk = start(summary_refresh_interval_minutes=60 * 48)
    talk.say("I live in Berlin. Today I need to buy stamps.")
    clock.advance(minutes=1)
    talk.maintain()
    assert "home: Berlin" in talk.list("", 0)[0].abstract

    clock.advance(minutes=1)
    talk.say("Beans grow well.")
    assert talk.list("", 0)[0].abstract.startswith("2 turns with 4 items")
    talk.say("I live in Munich.")
    assert "home: Munich" in talk.list("", 0)[0].abstract
    assert not re.search(r"home: Berlin", " ".join(each.abstract for each in talk.list()))
    clock.advance(days=1)
    talk.other().maintain()
    assert "today task" in talk.list("indexes", 0)[0].abstract
    clock.time = datetime(2026, 3, 3, tzinfo=UTC)
    assert "today task" not in talk.list("indexes", 0)[0].abstract
