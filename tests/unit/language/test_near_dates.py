from __future__ import annotations

from datetime import date

import pytest

from cairn.language.dates import spans
from cairn.language.holidays import easter, holiday
from support.processor import is_within, seconds_of

TODAY = date(2024, 5, 15)  # a Wednesday
ONE_YEAR = range(2023, 2024)


def said(question: str, years: range = ONE_YEAR) -> list[tuple[str, str]]:
    return [(f"{each.first:%Y-%m-%d}", f"{each.last:%Y-%m-%d}") for each in spans(question, TODAY, years)]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What happened on 21/01/2024?", "2024-01-21"),
        ("What happened on 1/21/2024?", "2024-01-21"),
        ("What happened on 1/21/24?", "2024-01-21"),
        ("What happened on 21-01-2024?", "2024-01-21"),
        ("What happened on 2024-01-21?", "2024-01-21"),
        ("What happened on 2024/1/21?", "2024-01-21"),
        ("What happened at 2024-01-21T10:00?", "2024-01-21"),
        ("What happened on 21.1.2024?", "2024-01-21"),
        ("What happened on 3.4.2024?", "2024-04-03"),
        ("Who came on 3/4/2024?", "2024-03-04 2024-04-03"),
        ("Who came on 3-4-2024?", "2024-03-04 2024-04-03"),
        ("Who came on 4/4/2024?", "2024-04-04"),
        ("Who came on 1/21?", "2023-01-21"),
        ("Who came on the 21/01?", "2023-01-21"),
        ("Who came on 3/4?", "2023-03-04 2023-04-03"),
        ("Who came on 29/2?", ""),
        ("Wer kam am 21.01.?", "2023-01-21"),
        ("Wer kam am 21.1.2024 zu mir?", "2024-01-21"),
        ("Wer war vor dem 3.11. da?", "2023-11-03"),
        ("Qui est venu le 21/01/2024 ?", "2024-01-21"),
        ("Qui est venu le 3/4 ?", "2023-03-04 2023-04-03"),
        ("¿Quién vino el 21/01/2024?", "2024-01-21"),
        ("¿Quién vino el 21-1-2024?", "2024-01-21"),
        ("¿Quién vino el 21/01?", "2023-01-21"),
    ],
)
def test_a_date_in_digits_is_read_in_every_order_that_it_may_have(question: str, days: str) -> None:
    assert said(question) == [(day, day) for day in days.split()]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did I do in the last week of August 2023?", "2023-08-25", "2023-08-31"),
        ("What did I do in the first week of May?", "2023-05-01", "2023-05-07"),
        ("What did I do in the 2nd week of May 2024?", "2024-05-08", "2024-05-14"),
        ("What did I do on the last weekend of August 2023?", "2023-08-25", "2023-08-28"),
        ("What did I do on the first weekend in June?", "2023-06-02", "2023-06-05"),
        ("What did I do on the last day of February 2024?", "2024-02-29", "2024-02-29"),
        ("What did I do on the first of March?", "2023-03-01", "2023-03-01"),
        ("Is it the twenty-first of September?", "2023-09-21", "2023-09-21"),
        ("What did I do in mid-March?", "2023-03-11", "2023-03-20"),
        ("What did I do in early June?", "2023-06-01", "2023-06-10"),
        ("What did I do in late June 2022?", "2022-06-21", "2022-06-30"),
        ("What did I do at the end of February?", "2023-02-21", "2023-02-28"),
        ("What did I do in late March of last year?", "2023-03-21", "2023-03-31"),
        ("What did I do in early 2022?", "2022-01-01", "2022-04-30"),
        ("What did I do between March and May?", "2023-03-01", "2023-05-31"),
        ("What did I do between March and May (2024)?", "2024-03-01", "2024-05-31"),
        ("What did I do from 3 to 9 July?", "2023-07-03", "2023-07-09"),
        ("What did I do from the 3rd to the 9th of July 2022?", "2022-07-03", "2022-07-09"),
        ("What did I do 3-9 July?", "2023-07-03", "2023-07-09"),
        ("What did I do 3 \u2013 9 July?", "2023-07-03", "2023-07-09"),
        ("What did I do on July 3-9, 2022?", "2022-07-03", "2022-07-09"),
        ("What did I do from July 3 to 9?", "2023-07-03", "2023-07-09"),
        ("What did I do from 28 June until 3 July 2024?", "2024-06-28", "2024-07-03"),
        ("What did I do between November 2022 and February 2023?", "2022-11-01", "2023-02-28"),
        ("What did I do between November and February?", "2022-11-01", "2023-02-28"),
        ("What did I do from 21/01/2024 to 25/01/2024?", "2024-01-21", "2024-01-25"),
        ("What did I do from June to August 2022?", "2022-06-01", "2022-08-31"),
        ("What did I do June to August?", "2023-06-01", "2023-08-31"),
        ("What did I do between Christmas and New Year's Eve?", "2023-12-25", "2023-12-31"),
        ("What did I do between Christmas and New Year's?", "2022-12-25", "2023-01-01"),
        ("What did I do on the weekend of 12 May?", "2023-05-12", "2023-05-15"),
        ("What did I do on the weekend of May 11th, 2024?", "2024-05-10", "2024-05-13"),
        ("What did I do in the week of 12 May 2024?", "2024-05-06", "2024-05-13"),
        ("What did I do on Thanksgiving weekend?", "2023-11-24", "2023-11-27"),
        ("Where was I in summer 2023?", "2023-06-01", "2023-09-01"),
        ("Where was I in autumn of 2022?", "2022-09-01", "2022-12-02"),
        ("What did I earn in Q3 2023?", "2023-07-01", "2023-09-30"),
        ("What did I earn in Q4?", "2023-10-01", "2023-12-31"),
        ("What did I earn in the first quarter of 2022?", "2022-01-01", "2022-03-31"),
        ("What did I do the day before 3 June 2023?", "2023-06-02", "2023-06-02"),
        ("What did I do the day after 31 December 2022?", "2023-01-01", "2023-01-01"),
        ("What did I do the day after 21/01/2024?", "2024-01-22", "2024-01-22"),
        ("What did I do a week before 15 June 2023?", "2023-06-06", "2023-06-10"),
        ("What did I do 3 days after Christmas?", "2023-12-28", "2023-12-28"),
        ("What did I do two weeks before May 15th?", "2023-04-29", "2023-05-03"),
        ("What did I do the week before Christmas?", "2023-12-18", "2023-12-24"),
        ("What did I do the weekend after Easter?", "2023-04-14", "2023-04-17"),
        ("Was war zwei Tage vor Weihnachten?", "2023-12-23", "2023-12-23"),
        ("Was war am Tag nach Ostern?", "2023-04-10", "2023-04-10"),
        ("Qu'ai-je fait trois jours avant No\u00ebl ?", "2023-12-22", "2023-12-22"),
        ("¿Qué hice dos días después de Navidad?", "2023-12-27", "2023-12-27"),
    ],
)
def test_a_stretch_of_days_that_is_said_by_other_dates_is_found(question: str, first: str, last: str) -> None:
    assert said(question) == [(first, last)]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did I do at Christmas?", "2023-12-25"),
        ("What did I do at Christmas 2021?", "2021-12-25"),
        ("What did I do on Christmas Eve?", "2023-12-24"),
        ("What did I do last Christmas?", "2023-12-25"),
        ("What did I do on Christmas two years ago, last Halloween?", "2023-12-25 2023-10-31"),
        ("What did I do last Easter?", "2024-03-31"),
        ("What did I do this Easter?", "2024-03-31"),
        ("What did I do at Easter of last year?", "2023-04-09"),
        ("What did I do on New Year\u2019s Eve?", "2023-12-31"),
        ("What did I do on New Year's Day 2024?", "2024-01-01"),
        ("What did I do on Valentine's Day?", "2023-02-14"),
        ("Who came on Halloween 2022?", "2022-10-31"),
        ("Who came on Thanksgiving 2023?", "2023-11-23"),
        ("What did I buy on Black Friday in 2024?", "2024-11-29"),
        ("How was the visit at Christmas, in 2022?", "2022-12-25"),
        ("What was on Good Friday?", "2023-04-07"),
        ("Wer kam an Weihnachten?", "2023-12-25"),
        ("Wer kam letztes Weihnachten?", "2023-12-25"),
        ("Wer kam an Heiligabend 2022?", "2022-12-24"),
        ("Wer kam an Silvester?", "2023-12-31"),
        ("Wer kam zu Ostern?", "2023-04-09"),
        ("Wer kam am Valentinstag?", "2023-02-14"),
        ("Qui est venu \u00e0 No\u00ebl ?", "2023-12-25"),
        ("Qui est venu \u00e0 No\u00ebl 2022 ?", "2022-12-25"),
        ("Qui est venu No\u00ebl dernier ?", "2023-12-25"),
        ("Qui est venu \u00e0 P\u00e2ques ?", "2023-04-09"),
        ("Qui est venu au jour de l'An ?", "2023-01-01"),
        ("Qui est venu \u00e0 la Saint-Valentin ?", "2023-02-14"),
        ("¿Quién vino en Navidad?", "2023-12-25"),
        ("¿Quién vino en Nochebuena de 2022?", "2022-12-24"),
        ("¿Quién vino en Nochevieja?", "2023-12-31"),
        ("¿Quién vino la Navidad pasada?", "2023-12-25"),
        ("¿Quién vino en Semana Santa?", "2023-04-09"),
    ],
)
def test_a_holiday_is_its_day(question: str, day: str) -> None:
    assert said(question) == [(each, each) for each in day.split()]


@pytest.mark.parametrize(
    "question",
    [
        "What is new in version 3.11?",
        "What is new in 3.11.",
        "What changed from 3.11 to 3.12?",
        "What changed from 3.11. to 3.12?",
        "Is the shop open 24/7?",
        "Do I need 1/2 cup of sugar?",
        "Is it 3/16 inch?",
        "How I May go",
        "What is in chapter 12-14?",
        "Do chapters 12-14 may help?",
        "Did 10-11 people come?",
        "Was it in room 21/01?",
        "Was it 31/31/2024?",
        "Is it at 10.1.2024.7 or 10-1-2024-7?",
        "What did I do the day before?",
        "What did I do the week after that?",
        "What did I do a day before the party?",
        "Who is Noel?",
        "What did you buy for Christmas?",
        "Was plante ich für Weihnachten?",
        "Qui a choisi le cadeau pour Noël ?",
        "What did Valentine's sister say to Noel, a friend?",
        "What was after Christmas?",
        "Is it my first march to the sea?",
        "Who was first, second and third?",
        "Is it between 3 and 9?",
        "Did I walk from 3 to 9 miles?",
        "Is it late? Is it too early?",
        "What did the third quarter cost?",
        "The first week of the course?",
        "Kam jemand vor dem Tag?",
        "Qui est venu avant ?",
        "Wie hoch ist Raum 21/01?",
        "¿Cuántas son 10-11 personas?",
    ],
)
def test_what_only_looks_like_a_date_is_none(question: str) -> None:
    assert said(question) == []


def test_a_range_that_passes_a_year_s_end_is_meant_in_each_year_that_there_are_texts_of() -> None:
    assert said("between December and January", range(2023, 2025)) == [
        ("2022-12-01", "2023-01-31"),
        ("2023-12-01", "2024-01-31"),
    ]


def test_easter_moves_with_the_moon() -> None:
    # The earliest and latest of three centuries, and both exceptions of the computus.
    days = [easter(year) for year in (1818, 1943, 1954, 1981, 2024, 2038, 2076)]

    assert [f"{day:%m-%d}" for day in days] == ["03-22", "04-25", "04-18", "04-19", "03-31", "04-25", "04-19"]
    assert all(easter(year).weekday() == 6 for year in range(1900, 2100))


def test_thanksgiving_is_the_fourth_thursday_of_november() -> None:
    assert [holiday("thanksgiving", year).day for year in (2018, 2019, 2023)] == [22, 28, 23]


@pytest.mark.parametrize(
    "part",
    [
        *(
            "1/",
            "1-",
            "1.",
            "on 1/2",
            "3-9 ",
            "on 1.1.",
            "F",
            "from ",
            "from the ",
            "the ",
            "may ",
            "march to ",
            "3 may ",
            "1/2/2024 ",
        ),
        *(
            "first week of ",
            "week before ",
            "christmas ",
            "noel a ",
            "to ",
            "between march and ",
            "ostern vor ",
            "\u2013",
            "1 - ",
        ),
    ],
)
def test_reading_takes_time_in_line_with_the_length_of_a_text(part: str) -> None:
    def read(length: int) -> object:
        return spans((part * length)[:length], TODAY, range(2020, 2025))

    # Four times the length: sixteen times the time would be by its square.
    assert is_within(lambda: read(40_000), lambda: 8 * max(seconds_of(lambda: read(10_000)), 0.002), 8 * 0.002)
