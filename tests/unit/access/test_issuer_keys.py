"""An issuer's keys: fetched when they are needed, not when a forger would like it, and used on while it is down."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cairn.access.issuer_keys import COOL_DOWN, FRESH_FOR, USABLE_FOR, IssuerKeys
from cairn.ground.errors import NoAnswer, Unavailable
from cairn.ground.settings import OidcSettings
from support.access import URL, Issuer, public_jwk

WELL_KNOWN = f"{URL}/.well-known/openid-configuration"
BOTH = [WELL_KNOWN, f"{URL}/keys"]


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def keys(issuer: Issuer, clock: Any) -> IssuerKeys:
    return IssuerKeys(issuer.settings(), issuer.get, clock)


def test_nothing_is_fetched_before_a_key_is_wanted_and_then_once(keys: IssuerKeys, issuer: Issuer, clock: Any) -> None:
    assert issuer.asked == []
    for _ in range(3):
        assert keys.find("first") == issuer.jwks[0]
        clock.advance(minutes=19)

    assert issuer.asked == BOTH


def test_keys_are_fetched_anew_after_an_hour(keys: IssuerKeys, issuer: Issuer, clock: Any) -> None:
    keys.find("first")
    issuer.jwks = [public_jwk("first", "ES256")]

    clock.advance(seconds=FRESH_FOR.total_seconds() - 1)
    assert keys.find("first") != issuer.jwks[0]
    clock.advance(seconds=1)
    assert keys.find("first") == issuer.jwks[0]


def test_a_key_that_the_issuer_took_back_is_gone_after_an_hour(keys: IssuerKeys, issuer: Issuer, clock: Any) -> None:
    keys.find("first")
    issuer.jwks = [public_jwk("second", "RS256")]

    clock.advance(seconds=FRESH_FOR.total_seconds())

    assert keys.find("first") is None


def test_a_new_key_is_found_at_its_first_token(keys: IssuerKeys, issuer: Issuer, clock: Any) -> None:
    keys.find("first")
    issuer.jwks.append(public_jwk("second", "RS256", 2))
    clock.advance(seconds=COOL_DOWN.total_seconds())

    assert keys.find("second") == issuer.jwks[1]
    assert keys.find("first") == issuer.jwks[0]
    assert issuer.asked == BOTH * 2


def test_unknown_ids_make_it_ask_once_per_cool_down_however_many_come(
    keys: IssuerKeys, issuer: Issuer, clock: Any
) -> None:
    for step in range(1000):
        assert keys.find(f"forged-{step}") is None
        assert keys.find("first") is not None
        clock.advance(seconds=0.1)

    assert len(issuer.asked) / len(BOTH) == pytest.approx(100 / COOL_DOWN.total_seconds(), abs=1)


def test_many_at_once_ask_once(keys: IssuerKeys, issuer: Issuer) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(keys.find, ["first"] * 50))

    assert found == [issuer.jwks[0]] * 50
    assert issuer.asked == BOTH


def test_known_keys_go_on_for_a_day_while_the_issuer_is_down(keys: IssuerKeys, issuer: Issuer, clock: Any) -> None:
    keys.find("first")
    issuer.is_down = True

    for _ in range(23):
        clock.advance(hours=1)
        assert keys.find("first") == issuer.jwks[0]
    clock.advance(seconds=USABLE_FOR.total_seconds() - 23 * 3600 - 1)
    assert keys.find("first") == issuer.jwks[0]
    clock.advance(seconds=1)
    with pytest.raises(Unavailable):
        keys.find("first")


def test_an_issuer_that_is_down_is_asked_once_per_cool_down(keys: IssuerKeys, issuer: Issuer, clock: Any) -> None:
    keys.find("first")
    issuer.is_down = True
    issuer.asked.clear()
    clock.advance(hours=2)

    for _ in range(20):
        assert keys.find("first") is not None

    assert issuer.asked == [WELL_KNOWN]


def test_an_id_that_is_unknown_while_the_issuer_is_down_cannot_be_told(
    keys: IssuerKeys, issuer: Issuer, clock: Any
) -> None:
    keys.find("first")
    assert keys.find("second") is None
    issuer.is_down = True
    clock.advance(minutes=1)

    for _ in range(2):
        with pytest.raises(Unavailable, match="status 500"):
            keys.find("second")
    issuer.is_down = False
    clock.advance(seconds=COOL_DOWN.total_seconds())
    assert keys.find("second") is None


def test_an_issuer_that_comes_back_is_believed_after_the_cool_down(
    keys: IssuerKeys, issuer: Issuer, clock: Any
) -> None:
    issuer.is_down = True
    with pytest.raises(Unavailable):
        keys.find("first")
    issuer.is_down = False
    with pytest.raises(Unavailable):
        keys.find("first")

    clock.advance(seconds=COOL_DOWN.total_seconds())

    assert keys.find("first") == issuer.jwks[0]


def test_a_named_jwks_uri_needs_no_discovery(issuer: Issuer, clock: Any) -> None:
    settings = OidcSettings(issuer="https://undiscovered.example.com", audience="a", jwks_uri=f"{URL}/keys")

    assert IssuerKeys(settings, issuer.get, clock).find("first") == issuer.jwks[0]
    assert issuer.asked == [f"{URL}/keys"]


def test_an_issuer_with_a_slash_at_its_end_is_discovered_below_it(clock: Any) -> None:
    issuer = Issuer("https://login.example.com/")
    issuer.discovery["jwks_uri"] = "https://login.example.com//keys"
    documents = {url.replace("com//.", "com/."): body for url, body in issuer.documents().items()}

    assert IssuerKeys(issuer.settings(), documents.__getitem__, clock).find("first") == issuer.jwks[0]


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example.com"},
        {"issuer": f"{URL}/"},
        {"issuer": None},
        {"jwks_uri": None},
        {"jwks_uri": 7},
        {"jwks_uri": "/keys"},
        {"jwks_uri": "http://login.example.com/keys"},
        {"jwks_uri": "http://127.0.0.1:9001/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": "https://user:secret@login.example.com/keys"},
    ],
    ids=str,
)
def test_a_discovery_document_that_is_wrong_is_none(
    discovery: dict[str, Any], keys: IssuerKeys, issuer: Issuer
) -> None:
    issuer.discovery = discovery

    with pytest.raises(Unavailable):
        keys.find("first")
    assert issuer.asked == [WELL_KNOWN]


def test_keys_may_stand_on_another_host_and_under_a_query(keys: IssuerKeys, issuer: Issuer) -> None:
    elsewhere = "https://keys.example.net/v2/keys?p=policy"
    issuer.discovery = {"jwks_uri": elsewhere}
    issuer.replaced = {elsewhere: json.dumps({"keys": issuer.jwks}).encode()}

    assert keys.find("first") == issuer.jwks[0]


BROKEN: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"<html>",
    "no UTF-8": b"\xff\xfe",
    "deep": b"[" * 100_000,
    "list": b"[]",
    "no keys": b"{}",
    "keys are no list": b'{"keys": {}}',
    "no key": b'{"keys": []}',
    "keys are no objects": b'{"keys": [1, null, "x", []]}',
    "no public key": b'{"keys": [{"kty": "oct", "kid": "first", "k": "AAAA"}]}',
    "no id": b'{"keys": [{"kty": "RSA", "n": "AAAA", "e": "AQAB"}]}',
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=list(BROKEN))
def test_what_is_no_key_set_leaves_the_known_keys_in_use(
    answer: bytes, keys: IssuerKeys, issuer: Issuer, clock: Any
) -> None:
    keys.find("first")
    issuer.replaced = {f"{URL}/keys": answer}
    clock.advance(hours=1)

    assert keys.find("first") == issuer.jwks[0]
    with pytest.raises(Unavailable):
        keys.find("second")


def test_why_keys_cannot_be_fetched_is_told_without_what_was_answered(clock: Any, issuer: Issuer) -> None:
    def refuse(_url: str) -> bytes:
        raise NoAnswer("no answer: TimeoutError")

    with pytest.raises(Unavailable, match=r"^The issuer's keys cannot be fetched: no answer: TimeoutError$"):
        IssuerKeys(issuer.settings(), refuse, clock).find("first")
    with pytest.raises(Unavailable) as raised:
        IssuerKeys(issuer.settings(), lambda _: b"canary", clock).find("first")
    assert "canary" not in str(raised.value)
