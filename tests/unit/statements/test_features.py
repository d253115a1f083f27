"""What the heads weigh of a unit."""

from __future__ import annotations

import pytest

from cairn.statements.features import BUCKETS, cues, features, names


def marks(said: str) -> dict[str, float]:
    return dict(zip(names(), features(said).marks, strict=True))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("I don't work there any more.", "no more"),
        ("Wenn ich umziehe, sage ich es dir.", "supposes"),
        ("Ma sœur habite à Lyon.", "kin"),
        ("De ahora en adelante, respóndeme en español.", "now"),
        ("What is the capital?", "asks at the end"),
        ("Call me on 0171.", "number"),
        ("def main() -> None:", "code"),
    ],
)
def test_cues_and_form_are_marked_in_several_languages(said: str, name: str) -> None:
    assert marks(said)[name] > 0


def test_a_cue_is_a_whole_word_or_phrase() -> None:
    assert marks("Iffy weather.")["supposes"] == 0
    assert marks("They stopped by.")["no more"] == 1


def test_numbers_count_as_one_word_whatever_they_are() -> None:
    assert features("We are 12 people.").places == features("We are 47 people.").places


def test_places_are_few_and_each_counts_alike() -> None:
    found = features("We use plain SQL, and no ORM.")

    assert all(0 <= place < BUCKETS for place in found.places)
    assert found.share**2 * len(found.places) == pytest.approx(1)


@pytest.mark.parametrize("said", ["Das ist nur Spaß.", "SPASS muss sein.", "My mother-in-law is here."])
def test_cues_are_found_however_they_are_written(said: str) -> None:
    assert marks(said)["kin" if "mother" in said else "jokes"] == 1


def test_every_cue_can_be_found() -> None:
    for phrases in cues().values():
        assert all(0 < len(phrase.split()) <= 3 for phrase in phrases)
