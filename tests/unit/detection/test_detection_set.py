from __future__ import annotations

import pytest

from cairn.detection.detector import scan
from detection import figures, right
from detection_set import Half, cases
from support.processor import is_within, seconds_of

FLOOR = 0.98


def test_the_labelled_set_is_large_and_broad() -> None:
    both = cases("development") + cases("held-out")
    positives = [case for case in both if case.secret is not None]

    assert len(positives) >= 400
    assert len(both) - len(positives) >= 400
    assert len({case.kind for case in positives}) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("half", ["development", "held-out"])
def test_the_detector_finds_what_it_must_and_leaves_the_rest(half: Half) -> None:
    reached = figures(cases(half))
    wrong = [case.kind for case in cases(half) if not right(case)]

    assert reached["recall"] >= FLOOR, wrong
    assert reached["precision"] >= FLOOR, wrong
    assert min(good / total for good, total in reached["kinds"].values()) >= 0.6, wrong


@pytest.mark.parametrize(
    "text",
    [
        "a" * 64,
        "0" * 64,
        "d41d8cd98f00b204e9800998ecf8427e",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "cascade://e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "550e8400-e29b-41d4-a716-446655440000",
        "CamelCaseIdentifierThatIsVeryLongAndHasNumber123",
        "seq 10 4111 1111 1111 1111",
        "task-sk-a" + "b7" * 3 + " desk-" + "c8" * 12,
    ],
)
def test_a_hash_an_id_and_a_pointer_are_no_keys(text: str) -> None:
    assert scan({"value": text, "said": f"it was {text} then"}) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed",
    [
        "a",
        "1 ",
        "=",
        "%41",
        "\\n",
        "a\u200b",
        "4111 ",
        "a@",
        "a@b.",
        "@a.",
        "ghp_",
        "xoxb-",
        "-----BEGIN PRIVATE KEY-----",
        "password=",
        "password='",
        "passwordpassword",
        "api_key=",
        "://a:b",
        "eyJaaaaaaaaaa.",
        "cookie: a=",
        "authorization: ",
        "export A",
        "phone: 1",
        "+1 2",
        " 1 Aa Aa ",
        "QUFB",
        "68656c6c6f20776f726c6421 ",
        "A B C D E F G H ",
        "a@b.co ",
        "sk-",
        "key key ",
        "pw=a(",
        "pw=_ _",
        'api_key "',
        "== password ",
        'name="token" ',
        "password for the thing ",
        "password: |\n ",
        "token,",
        "a-",
        "s.",
    ],
)
def test_time_grows_with_the_length_alone(seed: str) -> None:
    def text(length: int) -> object:
        return {"text": (seed * length)[:length]}

    assert is_scanned_in_line(text(240_000), text(60_000))


def is_scanned_in_line(value: object, quarter: object) -> bool:
    """Tell whether four times as much takes about four times as long."""
    return is_within(lambda: scan(value), lambda: 10 * seconds_of(lambda: scan(quarter)) + 0.1, 0.1)


def many(kind: str, count: int) -> object:
    return {
        "addresses as keys": {f"ada{number}@mail.net": 1 for number in range(count)},
        "beginnings of keys": ["AKIA"] * count,
        "short fields": {f"key{number}": "ab" for number in range(count)},
        "passwords": {"passwords": ["tiger-7"] * count},
    }[kind]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["addresses as keys", "beginnings of keys", "short fields", "passwords"])
def test_time_grows_with_the_number_of_fields_alone(kind: str) -> None:
    assert is_scanned_in_line(many(kind, 20_000), many(kind, 5_000))
