"""What the claims of a verified token open, and when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cairn.access import api_keys as credentials
from cairn.access.claims import Identity, are_current, identity, looks_like_token
from cairn.ground import ids
from cairn.ground.settings import OidcSettings

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
SETTINGS = OidcSettings(issuer="https://login.example.com", audience="cairn")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=30)


def of(settings: OidcSettings = SETTINGS, **claims: Any) -> Identity | None:
    return identity({"sub": "ada", **claims}, settings)


def known(settings: OidcSettings = SETTINGS, **claims: Any) -> Identity:
    found = of(settings, **claims)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("claims", "current"),
    [
        ({"iat": 0, "exp": 1}, True),
        ({"iat": 0, "exp": 0}, True),
        ({"iat": 0, "exp": -59}, True),
        ({"iat": 0, "exp": -60}, False),
        ({"iat": 60, "exp": 600}, True),
        ({"iat": 61, "exp": 600}, False),
        ({"iat": 0, "exp": 600, "nbf": 60}, True),
        ({"iat": 0, "exp": 600, "nbf": 61}, False),
        ({"iat": -9, "exp": 0.5, "nbf": -3.5}, True),
        ({"iat": 0}, False),
        ({"exp": 600}, False),
    ],
)
def test_a_token_holds_from_its_beginning_to_its_end_give_or_take_a_minute(
    claims: dict[str, float], *, current: bool
) -> None:
    assert are_current({name: SECONDS + value for name, value in claims.items()}, NOW) is current


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
@pytest.mark.parametrize("value", ["9999999999", None, True, [], {}, float("nan")])
def test_a_time_that_is_no_number_is_no_time(name: str, value: object) -> None:
    assert not are_current({"iat": SECONDS, "exp": SECONDS + 600, name: value}, NOW)


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({"scope": "cairn:read"}, ("read",)),
        ({"scope": "openid cairn:write cairn:read email"}, ("read", "write")),
        ({"scp": ["cairn:admin", 7]}, ("admin",)),
        ({"scp": "cairn:read cairn:write"}, ("read", "write")),
        ({"scope": "cairn:read", "scp": ["cairn:write"]}, ("read", "write")),
        ({"scope": "read write admin"}, ()),
        ({"scope": "cairn:readonly xcairn:read CAIRN:READ cairn: cairn:*"}, ()),
        ({"scope": {"cairn:read": True}}, ()),
        ({"roles": ["cairn:admin"]}, ()),
        ({}, ()),
    ],
)
def test_the_scopes_are_those_that_the_token_names_under_the_prefix(
    claims: dict[str, Any], scopes: tuple[str, ...]
) -> None:
    assert known(**claims).scopes == scopes


def test_another_prefix_takes_the_place_of_the_default_one() -> None:
    settings = OidcSettings(issuer="https://a.example", scope_prefix="https://memory.example.com/mcp/")

    assert known(settings, scope="https://memory.example.com/mcp/read cairn:write").scopes == ("read",)


@pytest.mark.parametrize(
    ("claim", "projects"),
    [
        (["garden", "team.*"], ("garden", "team.*")),
        ("garden team.*", ("garden", "team.*")),
        ("*", ("*",)),
        ([], None),
        ("", None),
        (None, None),
        (7, None),
        (["owner/repo", "owner/*"], ("owner/repo", "owner/*")),
        (["a//b"], None),
        (["garden", "a#b"], None),
    ],
)
def test_a_token_opens_the_projects_of_the_claim_that_was_named_and_none_without_it(
    claim: object, projects: tuple[str, ...] | None
) -> None:
    found = of(OidcSettings(issuer="https://a.example", projects_claim="prj"), prj=claim)

    assert (found is None) is (projects is None)
    assert found is None or found.projects == projects


def test_without_a_named_claim_a_token_opens_every_project_of_its_tenant() -> None:
    assert known(projects=["garden"]).projects == ("*",)


@pytest.mark.parametrize("claim", [None, "", 7, ["acme"], {"id": "acme"}, "a\nb", "\ud800"])
@pytest.mark.parametrize("name", ["sub", "org"])
def test_a_token_that_does_not_say_whose_it_is_opens_nothing(name: str, claim: object) -> None:
    settings = OidcSettings(issuer="https://a.example", tenant_claim="org")
    claims = {"sub": "ada", "org": "acme"}

    assert identity(claims, settings) is not None
    assert identity({**claims, name: claim}, settings) is None


@pytest.mark.req("R010")
def test_the_tenant_is_the_hash_of_issuer_claim_and_value() -> None:
    settings = OidcSettings(issuer="https://a.example", tenant_claim="org")

    found = known(settings, org="acme")

    assert found.tenant == sha256(b"https://a.example\norg\nacme").hexdigest()
    assert found.id == sha256(b"https://a.example\nsub\nada").hexdigest()[:16]
    assert known(settings, sub="bob", org="acme").tenant == found.tenant
    assert known(settings, sub="bob", org="acme").id != found.id


@pytest.mark.slow
@pytest.mark.req("R010")
@given(value=NAMES, other=NAMES)
def test_a_tenant_is_no_other_value_s_issuer_s_or_claim_s_and_no_name_a_key_was_given(value: str, other: str) -> None:
    assume(value != other)
    elsewhere = OidcSettings(issuer="https://login.example.org", audience="cairn")
    by_org = OidcSettings(issuer="https://login.example.com", tenant_claim="org")

    tenants = [known(sub=value).tenant, known(sub=other).tenant, known(elsewhere, sub=value).tenant]
    tenants.append(known(by_org, org=value).tenant)

    assert len(set(tenants)) == 4
    for each in tenants:
        assert ids.tenant(each) == each
        assert each not in {value, other}


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["sub", "scope", "scp", "org", "prj"]), JSON))
def test_whatever_the_claims_hold_they_are_read_or_refused(claims: dict[str, Any]) -> None:
    settings = OidcSettings(issuer="https://a.example", tenant_claim="org", projects_claim="prj")

    found = identity(claims, settings)

    assert found is None or found.projects


@given(st.binary(min_size=40, max_size=40))
def test_no_api_key_looks_like_a_token(randomness: bytes) -> None:
    assert not looks_like_token(credentials.ApiKey.of(randomness).text())


@pytest.mark.parametrize(
    "text", ["", "a.b", "a.b.", "..", "a.b.c.d", "a.b.c ", "a.b,c.d", "a.b.c,a.b.c", "ä.b.c", "a.b.c\n"]
)
def test_what_has_not_three_parts_does_not_look_like_a_token(text: str) -> None:
    assert looks_like_token("aB0-.c_d.e")
    assert not looks_like_token(text)


def test_a_lifetime_is_what_the_claims_say_and_not_more() -> None:
    claims = {"iat": SECONDS, "exp": SECONDS + 600}

    assert are_current(claims, NOW + timedelta(seconds=659))
    assert not are_current(claims, NOW + timedelta(seconds=660))
