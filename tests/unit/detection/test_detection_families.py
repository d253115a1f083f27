from __future__ import annotations

from typing import Any, Final

import pytest

from cairn.detection.detector import mask, scan
from detection import figures, naively, right
from detection_families import families
from detection_set import Half

LEAST_RECALL: Final = 0.95
LEAST_PRECISION: Final = 0.98
HALVES: Final[tuple[Half, ...]] = ("development", "held-out")


@pytest.mark.slow
@pytest.mark.req("R186")
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("family", families("development"))
def test_each_family_of_secrets_is_found_and_what_looks_like_it_is_left(family: str, half: Half) -> None:
    cases = families(half)[family]
    reached = figures(cases)
    wrong = [case.value["text"] for case in cases if not right(case)][:20]

    assert reached["recall"] >= LEAST_RECALL, wrong
    assert reached["precision"] >= LEAST_PRECISION, wrong


def test_one_regular_expression_does_worse_in_every_family() -> None:
    for cases in families("held-out").values():
        naive = figures(cases, naively)
        assert min(naive["recall"], naive["precision"]) < LEAST_RECALL


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD=kT9$vLq2%Zr8&Wm4", "kT9$vLq2%Zr8&Wm4"),
        ("password: a{b}c<d>e...f7", "a{b}c<d>e...f7"),
        ("password=letmein", "letmein"),
        ("client_secret=opensesamewords", "opensesamewords"),
        ("token=qwertyuiopasdfghjklzxcvbnmqwertyui", "qwertyuiopasdfghjklzxcvbnmqwertyui"),
        ("api key: qwertyuiopasdfghjklzxcvbnmqwertyui", "qwertyuiopasdfghjklzxcvbnmqwertyui"),
        ("Bearer qwertyuiopasdfghjklzxcvbnmqwertyui", "qwertyuiopasdfghjklzxcvbnmqwertyui"),
        ("password=12345678", "12345678"),
        ('api_key: "value with quotes and spaces"', "value with quotes and spaces"),
        ("DB_PASSWORD=ab,cd;ef9", "ab,cd;ef9"),
        ("CREATE USER ada IDENTIFIED BY 'opensesame'", "opensesame"),
        ("curl -u ada:P@ssw0rd$1 https://localhost", "P@ssw0rd$1"),
    ],
)
def test_after_its_label_any_value_is_a_secret_and_is_masked_whole(text: str, secret: str) -> None:
    assert secret in text
    assert "redacted" in mask(text)
    assert not any(part in mask(text) for part in (secret, secret[:4], secret[-4:]))


@pytest.mark.parametrize("name", ["secret", "password", "client_secret", "token", "apiKey", "credentials"])
def test_a_field_of_that_name_holds_a_secret_whatever_it_says(name: str) -> None:
    assert scan({name: "opensesame"})
    assert scan({name: "k$(x)T9{y}"})


@pytest.mark.parametrize(
    "value",
    [
        "${DB_PASSWORD}",
        "$DB_PASSWORD",
        "%PASS%",
        "<your-key>",
        "{{ secret }}",
        "...",
        "xxxxxxxx",
        "****",
        "null",
        "None",
    ],
)
@pytest.mark.parametrize("shape", ["password={}", 'password: "{}"', "api_key = {}", '{{"secret": "{}"}}'])
def test_a_template_is_none_if_nothing_else_is_in_it(value: str, shape: str) -> None:
    text = shape.format(value)

    assert scan({"text": text}) == ()
    if value not in {"{{ secret }}", "...", "****", "xxxxxxxx"}:
        assert scan({"text": text.replace(value, f"{value}q7Zk9")})


@pytest.mark.parametrize(
    "text",
    [
        "flash('Invalid username or password.', 'danger')",
        "passwordError.textContent = 'Password cannot exceed 50 characters.';",
        'Password: <input type="password" name="pw">',
        "password = db.Column(db.String(128), nullable=False)",
        "secret: the recipe has more butter",
        "GITHUB_API_KEY=\nOTHER_API_KEY=",
        "private_key=$DB_PASSWORD\nPORT=8080",
        '{"token": "the", "pos": "DET"}',
        "Password: forgotten",
    ],
)
def test_code_and_talk_about_secrets_hold_none(text: str) -> None:
    assert scan({"text": text}) == ()


def test_masked_keys_fall_together_with_no_key_that_is_there() -> None:
    value: Any = {"[redacted:email] #2": 0, "ada@mail.net": 1, "bob@mail.net": 2, "[redacted:email]": 3}

    masked = mask(value)

    assert sorted(masked.values()) == [0, 1, 2, 3]
    assert (masked["[redacted:email]"], masked["[redacted:email] #2"]) == (3, 0)
