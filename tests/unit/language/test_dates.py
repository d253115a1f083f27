from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TypedDict

import pytest

from cairn.language import dates
from cairn.language.dates import spans
from cairn.language.span import Span
from cairn.language.terms import fold

TODAY = date(2024, 5, 15)  # a Wednesday
YEARS = range(2023, 2025)


class _Said(TypedDict):
    """By language, how that is said which the same words in English mean, and what is said without a date."""

    same: dict[str, dict[str, str]]
    no_date: dict[str, list[str]]


SAID: _Said = json.loads(Path(__file__).with_name("said_dates.json").read_text("utf-8"))
TABLE: dict[str, dict[str, dict[str, str] | list[str]]] = json.loads(
    Path(dates.__file__).with_name("date_words.json").read_text("utf-8")
)
SAME = [(language, *pair) for language, said in SAID["same"].items() for pair in said.items()]
NO_DATE = [(language, said) for language, each in SAID["no_date"].items() for said in each]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did I buy on 7 May 2023?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What did I buy on the 7th of May, 2023?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What did I buy on May 7th, 2023?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What did I buy on 2023-05-07?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What did I plant in March 2023?", date(2023, 3, 1), date(2023, 3, 31)),
        ("What did I plant in December 2023?", date(2023, 12, 1), date(2023, 12, 31)),
        ("Where was I in 2023?", date(2023, 1, 1), date(2023, 12, 31)),
        ("What did I do yesterday?", date(2024, 5, 14), date(2024, 5, 14)),
        ("What did I do 3 days ago?", date(2024, 5, 12), date(2024, 5, 12)),
        ("What did I do last Wednesday?", date(2024, 5, 8), date(2024, 5, 8)),
        ("What did I do the week before last?", date(2024, 4, 29), date(2024, 5, 6)),
        ("What did I do in the last three weeks?", date(2024, 4, 24), date(2024, 5, 15)),
        ("What did I do half a year ago?", date(2023, 9, 16), date(2024, 1, 14)),
        ("What did I do exactly 3 days ago?", date(2024, 5, 12), date(2024, 5, 12)),
        ("What did I do the day before yesterday?", date(2024, 5, 13), date(2024, 5, 13)),
        ("What did I do on Wednesday of last week?", date(2024, 5, 8), date(2024, 5, 8)),
        ("What did I do last March?", date(2024, 3, 1), date(2024, 3, 31)),
        ("What did I do last June?", date(2023, 6, 1), date(2023, 6, 30)),
        ("What did I do last May?", date(2023, 5, 1), date(2023, 5, 31)),
        ("What did I do in March of last year?", date(2023, 3, 1), date(2023, 3, 31)),
        ("What did I do in the autumn of last year?", date(2023, 9, 1), date(2023, 12, 2)),
        ("What did I do on 12th May last year?", date(2023, 5, 12), date(2023, 5, 12)),
        ("What did I do in spring?", date(2024, 3, 1), date(2024, 6, 1)),
        ("What did I do in the summer?", date(2023, 6, 1), date(2023, 9, 1)),
        ("What did I do the summer before last?", date(2022, 6, 1), date(2022, 9, 1)),
        ("What did I do in 2023, or on 7 May 2024?", date(2024, 5, 7), date(2024, 5, 7)),
        ("What did I do this month?", date(2024, 5, 1), date(2024, 5, 31)),
        ("What did I do last week?", date(2024, 5, 6), date(2024, 5, 13)),
        ("What did I do last weekend?", date(2024, 5, 10), date(2024, 5, 13)),
        ("What did I do last month?", date(2024, 4, 1), date(2024, 4, 30)),
        ("What did I do last year?", date(2023, 1, 1), date(2023, 12, 31)),
        ("What did I do last summer?", date(2023, 6, 1), date(2023, 9, 1)),
        ("What did I do last spring?", date(2024, 3, 1), date(2024, 6, 1)),
    ],
)
def test_a_question_speaks_of_these_days(question: str, first: date, last: date) -> None:
    (found,) = spans(question, TODAY, YEARS)

    assert (found.first, found.last) == (first, last)


def test_a_day_without_a_year_is_meant_in_any_year_that_there_are_texts_of() -> None:
    found = spans("What happened on 3 June?", TODAY, YEARS)

    assert [span.first for span in found] == [date(2023, 6, 3), date(2024, 6, 3)]


def test_a_last_weekday_that_was_this_week_may_be_last_week_s() -> None:
    assert [span.first.day for span in spans("What did I do last Tuesday?", TODAY, YEARS)] == [14, 7]
    assert [span.first.day for span in spans("What did I do last Friday?", TODAY, YEARS)] == [10]


def test_the_last_season_is_one_that_is_mostly_over() -> None:
    (in_april,) = spans("What did I plant last spring?", date(2024, 4, 1), YEARS)
    (in_june,) = spans("What did I plant last spring?", date(2024, 6, 1), YEARS)

    assert (in_april.first.year, in_june.first.year) == (2023, 2024)


def test_a_winter_of_a_year_is_at_either_end_of_it() -> None:
    found = spans("Where was I in the winter of 2023?", TODAY, YEARS)

    assert [span.first for span in found] == [date(2022, 12, 1), date(2023, 12, 1)]


@pytest.mark.parametrize(("language", "meaning", "question"), SAME)
def test_a_date_means_the_same_in_every_language(language: str, meaning: str, question: str) -> None:
    found = spans(question, TODAY, YEARS)

    assert found
    assert found == spans(meaning, TODAY, YEARS), language


@pytest.mark.parametrize(("language", "question"), NO_DATE)
def test_a_question_without_a_date_speaks_of_no_days(language: str, question: str) -> None:
    assert spans(question, TODAY, YEARS) == (), language


@pytest.mark.parametrize("language", TABLE)
def test_no_word_of_a_language_has_two_meanings(language: str) -> None:
    parts = TABLE[language].values()
    told = [pair for part in parts for pair in (part.items() if isinstance(part, dict) else enumerate(part))]
    every = [word for name, said in told if name != "also other words" for word in fold(said).split()]

    assert len(every) == len(set(every))


@pytest.mark.parametrize("question", ["99999999 years ago", "0 days ago", "in 1900", "2024-13-40"])
def test_a_date_out_of_reach_is_no_error(question: str) -> None:
    spans(question, TODAY, YEARS)


def test_a_single_day_fades_over_the_days_around_it() -> None:
    span = Span(TODAY, TODAY)

    scores = [span.score(date(2024, 5, day)) for day in (15, 16, 18, 30)]

    assert scores[0] == 1
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < 0.05


def test_what_is_said_in_the_month_after_counts_a_little_as_that_month_s() -> None:
    (march,) = spans("What did I plant in March 2023?", TODAY, YEARS)

    assert march.score(date(2023, 3, 31)) == 1
    assert march.score(date(2023, 2, 28)) == 0
    assert 0 < march.score(date(2023, 4, 10)) < 1
    assert march.score(date(2023, 5, 10)) == 0
