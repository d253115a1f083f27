from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.detection.detector import MOST_FINDINGS, Finding, mask, scan
from cairn.detection.leaves import MOST_LEVELS
from cairn.ground.errors import DetectionFailed
from detection_personal import PERSONAL
from detection_secrets import DISGUISES, SECRETS

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
MAIL = "ada@mail.net"
KINDS: Mapping[str, Callable[[random.Random], str]] = {
    **{kind: make for kind, (make, contexts) in {**SECRETS, **PERSONAL}.items() if not contexts},
    **{kind: lambda rng, parts=parts: parts[1](parts[0](rng)) for kind, parts in DISGUISES.items()},
}


def told(kind: str, seed: int, before: str, after: str) -> str:
    return f"{before} {KINDS[kind](random.Random(seed))} {after}"  # noqa: S311  repeatable


SECRET_TEXTS = st.builds(
    told, st.sampled_from(sorted(KINDS)), st.integers(0, 50), st.text(max_size=10), st.text(max_size=10)
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | SECRET_TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | SECRET_TEXTS, inner, max_size=4),
    max_leaves=8,
)


def rules(value: Any) -> set[str]:
    return {finding.rule for finding in scan(value)}


def test_a_finding_says_which_rule_and_where() -> None:
    value = {"turns": [{"text": f"call me or write to {MAIL} today"}]}

    assert scan(value) == (Finding("email", "personal", ("turns", 0, "text"), 20, 20 + len(MAIL)),)


@pytest.mark.req("R188")
@pytest.mark.parametrize(
    "value",
    [
        {"a": {"b": {"c": KEY}}},
        {"list": [1, [None, {"x": KEY}]]},
        {KEY: True},
        {"deep": [{f"used {KEY}": 1}]},
        {"tags": ["deploy", KEY]},
        {"a": KEY[:9], "b": KEY[9:]},
    ],
)
def test_a_secret_is_found_wherever_it_stands(value: Any) -> None:
    assert rules(value) == {"aws_access_key_id"}
    assert KEY not in json.dumps(mask(value))


def test_findings_come_in_the_order_of_the_value() -> None:
    found = scan({"first": MAIL, KEY: f"{MAIL} and {KEY}", "last": [KEY]})

    assert [(each.path[0], each.in_key, each.rule) for each in found] == [
        ("first", False, "email"),
        ("[redacted:aws_access_key_id]", True, "aws_access_key_id"),
        ("[redacted:aws_access_key_id]", False, "email"),
        ("[redacted:aws_access_key_id]", False, "aws_access_key_id"),
        ("last", False, "aws_access_key_id"),
    ]


def test_masking_replaces_what_was_found_and_nothing_else() -> None:
    value = {"note": f"{MAIL} pushed {KEY}.", "n": 7, "ok": [True, None, 1.5], "card": 4111111111111111}

    assert mask(value) == {
        "note": "[redacted:email] pushed [redacted:aws_access_key_id].",
        "n": 7,
        "ok": [True, None, 1.5],
        "card": "[redacted:card_number]",
    }


def test_keys_that_mask_alike_keep_their_values_apart() -> None:
    masked = mask({"ada@mail.net": 1, "bob@mail.net": 2, "eve@mail.net": 3})

    assert masked == {"[redacted:email]": 1, "[redacted:email] #2": 2, "[redacted:email] #3": 3}


def test_a_disguised_secret_is_masked_whole() -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in KEY)

    assert mask(f"it is {wide}, ok") == "it is [redacted:aws_access_key_id], ok"
    assert mask("it is 4\u200b111 1111 1111 1111, ok") == "it is [redacted:card_number], ok"
    assert mask("mail ada%40mail.net now") == "mail [redacted:email] now"


def test_what_a_field_is_called_tells_what_it_holds() -> None:
    assert rules({"password": "correct horse"}) == {"password"}
    assert rules({"env": [{"name": "DB_PASSWORD", "value": "tiger-7"}]}) == {"password"}
    assert rules({"user": {"dateOfBirth": "1984-07-21"}}) == {"date_of_birth"}
    assert rules({"note": "1984-07-21", "horse": "correct", "password": "required"}) == set()


@pytest.mark.parametrize(
    "text",
    [
        "password_file = run7secrets8",
        "token_url: auth9internal8x",
        "secret_name=prod-db-12",
        "next_token=AAAAbbbb11112222",
        "api_key = settings.key7.value",
        "password = getpass7(prompt)",
        "monkey: tiger77tiger88",
    ],
)
def test_what_is_about_a_secret_and_none_is_left_alone(text: str) -> None:
    assert scan(text) == ()


def test_what_two_rules_find_is_one_finding() -> None:
    assert [each.rule for each in scan({"password": "tiger-7"})] == ["password"]


def test_neighbours_are_read_together_only_where_neither_says_enough_alone() -> None:
    token = "ghp_" + "a7" * 18

    assert scan(["the password", "tiger7777"]) == ()
    assert mask({"key": token, "user": "alice"}) == {"key": "[redacted:github_token]", "user": "alice"}


@pytest.mark.parametrize("value", [{"id": KEY, "x": 1}, {"items": [{"id": KEY}]}])
def test_what_stands_at_an_exempt_path_is_left_out_and_elsewhere_it_is_not(value: Any) -> None:
    exempt = {("id",), ("items", 0, "id")}

    assert scan(value, exempt) == ()
    assert mask(value, exempt) == value
    assert len(scan({"other": value}, exempt)) == 1


def test_a_key_at_an_exempt_path_is_still_looked_at() -> None:
    assert rules({KEY: "x"}) == {"aws_access_key_id"}
    assert [each.in_key for each in scan({KEY: KEY}, {(KEY,)})] == [True]


@pytest.mark.parametrize("value", [b"bytes", {1: "a"}, {"a": {1, 2}}, [object()], 10**5000], ids=type)
def test_what_is_no_json_is_refused_and_not_let_through(value: Any) -> None:
    with pytest.raises(DetectionFailed):
        scan(value)
    with pytest.raises(DetectionFailed):
        mask(value)


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: Any = KEY
    for _ in range(MOST_LEVELS):
        value = [value]

    assert rules(value) == {"aws_access_key_id"}
    with pytest.raises(DetectionFailed):
        scan([value])


@pytest.mark.slow
def test_a_value_of_too_many_findings_is_found_and_not_masked_in_part() -> None:
    value = "ada@mail.net " * (MOST_FINDINGS + 1)

    assert len(scan(value)) > MOST_FINDINGS
    with pytest.raises(DetectionFailed):
        mask(value)


@pytest.mark.slow
@settings(deadline=None)
@given(VALUES)
def test_nothing_is_found_in_what_was_masked_and_masking_again_changes_nothing(value: Any) -> None:
    masked = mask(value)

    assert scan(masked) == ()
    assert mask(masked) == masked


@pytest.mark.slow
@settings(deadline=None)
@given(VALUES)
def test_what_holds_no_finding_stays_as_it_is(value: Any) -> None:
    if not scan(value):
        assert mask(value) is value


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(kind for kind in KINDS if kind not in DISGUISES))
def test_a_finding_never_tells_what_was_found(kind: str) -> None:
    secret = KINDS[kind](random.Random(1))  # noqa: S311  repeatable

    for value in (secret, {secret: {"x": [secret]}}, {"k": f"see {secret} there"}):
        found = scan(value)
        assert found
        assert secret not in repr(found)
        assert secret not in str(mask(value))
