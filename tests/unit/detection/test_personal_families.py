from __future__ import annotations

import random

import pytest

from cairn.detection.detector import mask, scan
from detection_national_ids import NATIONAL_IDS
from detection_personal_families import FAMILIES, HALVES, Half, detected, figures, naive
from support.processor import is_within, seconds_of

RECALL, PRECISION = 0.95, 0.98


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_is_found_in_the_forms_of_many_countries_and_little_else(family: str, half: Half) -> None:
    recall, precision, wrong = figures(detected, family, half)

    assert recall >= RECALL, wrong
    assert precision >= PRECISION, wrong
    assert recall > figures(naive(family), family, half)[0]


@pytest.mark.parametrize("country", sorted(NATIONAL_IDS))
def test_a_national_id_is_known_by_its_check_when_its_name_stands_near(country: str) -> None:
    make, label = NATIONAL_IDS[country]
    value = make(random.Random(country))  # noqa: S311  repeatable

    found = scan(f"{label}, which you asked about, is {value}")

    assert found
    assert {each.rule for each in found} != {"national_id"}, "the check was not computed"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("charge 36148900647913 today", "charge [redacted:card_number] today"),
        ("charge 4222222222222 today", "charge [redacted:card_number] today"),
        ("ring 206.269.0743x9150 now", "ring [redacted:phone] now"),
        ("Musterstraße 12, 12345 Berlin", "[redacted:postal_address]"),
        ("at 12 rue de la Paix, 75002 Paris.", "at [redacted:postal_address]."),
        ("he lives at 4 Privet Drive, Little Whinging.", "he lives at [redacted:postal_address]."),
        ('{"homeAddress": "Calle Mayor 5, Madrid"}', '{"homeAddress": "[redacted:postal_address]"}'),
        ("PESEL 44051401359.", "PESEL [redacted:polish_pesel]."),
        ("mein Steuer-ID ist 36 574 261 809", "mein Steuer-ID ist [redacted:german_tax_id]"),
        ("driver's license: D1234567", "driver's license: [redacted:driving_licence]"),
        ("Reisepassnummer: C01X00T47", "Reisepassnummer: [redacted:passport]"),
    ],
)
def test_the_value_is_masked_and_the_words_around_it_stay(text: str, left: str) -> None:
    assert mask(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "order 8762 1797 8491 2015 came",
        "ticket 44051401359",
        "EAN 4006381333931",
        "build 251102-1022",
        "sin 30 is 0.5",
        "Boeing 747, 40000 Feet",
        "meet at 10 Main",
        "I live in Berlin",
        "5 street dogs",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed",
    [
        "1 ",
        " 1 Aa Aa ",
        "12 Elm ",
        "address: A 1",
        "Aa 1\n",
        "a 1, 12345 Aa ",
        "live at 1 A,",
        "calle A 1 ",
        "12-34-56 ",
        "4 1 1 1 ",
        "ssn 12 ",
        "0 12 ",
        "call +",
        "1ext",
        "\u4e001",
        "1\u05d0 ",
        "AB1 ",
        "nationalId ",
    ],
)
def test_four_times_the_text_takes_about_four_times_as_long(seed: str) -> None:
    def scanned(length: int) -> object:
        return scan({"text": (seed * length)[:length]})

    scanned(1_000)

    assert is_within(lambda: scanned(120_000), lambda: 10 * seconds_of(lambda: scanned(30_000)) + 0.1, 0.1)
