from __future__ import annotations

from datetime import date

import pytest

from cairn.domain.recall.dates import Span, spans

TODAY = date(2024, 5, 15)  # a Wednesday
YEARS = range(2023, 2025)


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
        ("What did I do last Tuesday?", date(2024, 5, 14), date(2024, 5, 14)),
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


@pytest.mark.parametrize("question", ["Where do I live?", "May I ask something?", ""])
def test_a_question_without_a_date_speaks_of_no_days(question: str) -> None:
    assert spans(question, TODAY, YEARS) == ()


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
