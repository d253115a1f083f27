"""Access tokens: what the issuer signed for this audience opens what it says, anything else opens nothing."""

from __future__ import annotations

import hmac
import json
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.access.claims import Identity
from cairn.access.tokens import ALGORITHMS, MAX_CHARACTERS, AccessTokens
from cairn.ground.settings import OidcSettings
from support.access import AUDIENCE, URL, Issuer, compact, encoded, private_key, public_jwk, signed


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def tokens(issuer: Issuer, clock: Any) -> AccessTokens:
    return AccessTokens(issuer.settings(), issuer.get, clock)


@pytest.fixture
def now(clock: Any) -> datetime:
    return clock.now()


def test_a_good_token_opens_what_it_says(tokens: AccessTokens, issuer: Issuer, now: datetime) -> None:
    found = tokens.check(issuer.token(now))

    subject = sha256(f"{URL}\nsub\nada".encode()).hexdigest()
    assert found == Identity(subject[:16], subject, ("read", "write"), ("*",))  # pyright: ignore[reportArgumentType]
    assert found is not None
    assert found.ends == now.timestamp() + 600
    assert issuer.asked == [f"{URL}/.well-known/openid-configuration", f"{URL}/keys"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_allowed_algorithm_is_verified_with_the_issuer_s_key(
    algorithm: str, tokens: AccessTokens, issuer: Issuer, now: datetime
) -> None:
    issuer.jwks = [public_jwk("first", algorithm)]

    assert tokens.check(signed(issuer.claims(now), algorithm)) is not None
    assert tokens.check(signed(issuer.claims(now), algorithm, number=2)) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example.com"},
        {"iss": f"{URL}/"},
        {"iss": None},
        {"iss": [URL]},
        {"aud": "https://other.example.com/mcp"},
        {"aud": f"{AUDIENCE}/"},
        {"aud": []},
        {"aud": None},
        {"aud": {AUDIENCE: 1}},
        {"sub": None},
        {"sub": 7},
        {"exp": None},
        {"iat": None},
    ],
    ids=str,
)
def test_a_claim_that_is_wrong_or_missing_refuses_the_token(
    changed: dict[str, Any], tokens: AccessTokens, issuer: Issuer, now: datetime
) -> None:
    header = {"alg": "RS256", "kid": "first"}

    assert tokens.check(compact(header, issuer.claims(now))) is not None
    assert tokens.check(compact(header, issuer.claims(now, **changed))) is None


def test_one_of_several_audiences_is_enough(tokens: AccessTokens, issuer: Issuer, now: datetime) -> None:
    assert tokens.check(issuer.token(now, aud=["https://other.example.com", AUDIENCE])) is not None


def test_the_resource_is_the_audience_unless_told(issuer: Issuer, clock: Any) -> None:
    by_resource = AccessTokens(issuer.settings(resource="https://b.example/mcp"), issuer.get, clock)
    unless_told = AccessTokens(OidcSettings(issuer=URL, resource="https://b.example/mcp"), issuer.get, clock)
    token, other = (issuer.token(clock.now(), aud=each) for each in (AUDIENCE, "https://b.example/mcp"))

    assert (by_resource.check(token) is None, by_resource.check(other) is None) == (False, True)
    assert (unless_told.check(token) is None, unless_told.check(other) is None) == (True, False)


@pytest.mark.parametrize(
    ("changed", "good"),
    [
        ({"exp": -61, "iat": -600}, False),
        ({"exp": -59, "iat": -600}, True),
        ({"iat": 61}, False),
        ({"nbf": 61}, False),
        ({"nbf": 59}, True),
    ],
)
def test_a_token_that_has_ended_or_not_begun_is_refused(
    changed: dict[str, int], tokens: AccessTokens, issuer: Issuer, now: datetime, *, good: bool
) -> None:
    times: dict[str, Any] = {name: int(now.timestamp()) + seconds for name, seconds in changed.items()}

    assert (tokens.check(issuer.token(now, **times)) is not None) is good


def test_a_token_is_refused_once_it_has_ended(tokens: AccessTokens, issuer: Issuer, now: datetime, clock: Any) -> None:
    token = issuer.token(now)
    assert tokens.check(token) is not None

    clock.advance(seconds=661)

    assert tokens.check(token) is None


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_token_changed_anywhere_is_refused(part: int, tokens: AccessTokens, issuer: Issuer, now: datetime) -> None:
    parts = issuer.token(now).split(".")
    other = issuer.token(now, headers={"typ": "at+jwt"}, sub="bob").split(".")

    parts[part] = other[part]

    assert tokens.check(".".join(other)) is not None
    assert tokens.check(".".join(parts)) is None


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", "nOnE", None])
@pytest.mark.parametrize("signature", ["", "AAAA"])
def test_a_token_that_says_it_needs_no_signature_is_refused(
    algorithm: str | None, signature: str, tokens: AccessTokens, issuer: Issuer, now: datetime
) -> None:
    header = {"typ": "JWT", "alg": algorithm, "kid": "first"}

    assert tokens.check(f"{encoded(header)}.{encoded(issuer.claims(now))}.{signature}") is None
    assert issuer.asked == []


@pytest.mark.parametrize("secret", ["pem", "der", "jwk", "modulus"])
def test_the_issuer_s_public_key_is_no_shared_secret(
    secret: str, tokens: AccessTokens, issuer: Issuer, now: datetime
) -> None:
    public = private_key("RS256").public_key()
    as_spki = serialization.PublicFormat.SubjectPublicKeyInfo
    known = {
        "pem": public.public_bytes(serialization.Encoding.PEM, as_spki),
        "der": public.public_bytes(serialization.Encoding.DER, as_spki),
        "jwk": json.dumps(issuer.jwks[0]).encode(),
        "modulus": issuer.jwks[0]["n"].encode(),
    }[secret]
    message = f"{encoded({'alg': 'HS256', 'kid': 'first'})}.{encoded(issuer.claims(now))}"
    forged = f"{message}.{encoded(hmac.digest(known, message.encode(), 'sha256'))}"

    assert tokens.check(forged) is None


def test_a_symmetric_key_in_the_issuer_s_set_is_none(tokens: AccessTokens, issuer: Issuer, now: datetime) -> None:
    secret = b"s" * 32
    issuer.jwks.append({"kty": "oct", "kid": "shared", "alg": "HS256", "k": encoded(secret)})
    token = jwt.encode(issuer.claims(now), secret, "HS256", {"kid": "shared"})

    assert tokens.check(token) is None


@pytest.mark.parametrize(
    ("published", "changed", "algorithm"),
    [
        ("RS256", {}, "ES256"),
        ("ES256", {}, "RS256"),
        ("ES384", {}, "ES256"),
        ("EdDSA", {}, "ES256"),
        ("RS256", {"alg": "RS256"}, "PS256"),
        ("RS256", {"alg": "HS256"}, "RS256"),
        ("RS256", {"use": "enc"}, "RS256"),
        ("RS256", {"n": "!"}, "RS256"),
        ("RS256", {"n": None}, "RS256"),
        ("ES256", {"x": "AA"}, "ES256"),
        ("ES256", {"crv": "P-257"}, "ES256"),
    ],
)
def test_a_key_is_used_as_what_it_was_published_for_and_only_if_it_is_one(  # noqa: PLR0913 - fixtures
    *,
    published: str,
    changed: dict[str, Any],
    algorithm: str,
    tokens: AccessTokens,
    issuer: Issuer,
    now: datetime,
) -> None:
    issuer.jwks = [public_jwk("first", published, **changed), public_jwk("other", "RS256")]

    assert tokens.check(signed(issuer.claims(now), algorithm)) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"kid": None},
        {"kid": ""},
        {"kid": "second"},
        {"kid": "../keys/first"},
        {"kid": "x", "jku": "https://evil.example.com/keys"},
        {"kid": "x", "jwk": "a stranger's"},
        {"crit": ["exp"], "exp": 1},
        {"b64": False, "crit": ["b64"]},
    ],
    ids=str,
)
def test_what_a_header_says_beside_the_key_s_id_and_algorithm_does_not_help(
    headers: dict[str, Any], tokens: AccessTokens, issuer: Issuer, now: datetime
) -> None:
    if "jwk" in headers:
        headers = {**headers, "jwk": public_jwk("x", "RS256", 2)}
    merged = {name: value for name, value in {"alg": "RS256", "kid": "first", **headers}.items() if value is not None}
    number = 2 if "jwk" in headers else 1

    assert tokens.check(compact(merged, issuer.claims(now), number)) is None
    assert set(issuer.asked) <= set(issuer.documents())


def test_a_token_over_the_limit_is_not_even_read(tokens: AccessTokens, issuer: Issuer, now: datetime) -> None:
    assert tokens.check(issuer.token(now, note="x" * MAX_CHARACTERS)) is None
    assert issuer.asked == []


@pytest.mark.slow
@given(parts=st.lists(st.binary(max_size=40).map(encoded), min_size=1, max_size=5), text=st.text(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_token_holds_it_is_refused(parts: list[str], text: str, tokens: AccessTokens) -> None:
    assert tokens.check(".".join(parts)) is None
    assert tokens.check(text) is None


def test_tokens_of_one_subject_open_one_memory_however_they_were_signed(
    tokens: AccessTokens, issuer: Issuer, now: datetime, clock: Any
) -> None:
    first = tokens.check(issuer.token(now))
    issuer.jwks = [public_jwk("second", "ES256")]
    clock.advance(minutes=5)
    later = signed(issuer.claims(now + timedelta(minutes=5)), "ES256", {"kid": "second"})

    assert tokens.check(later) == first
