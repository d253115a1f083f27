"""Signing in at an issuer: what begins it, what ends it with a token, and what ends it with none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.access.sign_in import SignIn
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.settings import AuthSettings, OidcSettings
from cairn.services import Services
from cairn.settings.settings import Settings
from support.access import RESOURCE, URL, Issuer
from support.services import services_over

BACK = "https://memory.example.com/console/sign-in/back"
WELL_KNOWN = f"{URL}/.well-known/openid-configuration"


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def oidc(issuer: Issuer) -> OidcSettings:
    return issuer.settings(console_client_id="console")


@pytest.fixture
def sign_in(issuer: Issuer, oidc: OidcSettings, adapters: Adapters) -> SignIn:
    return SignIn(oidc, adapters, issuer.get, issuer.post)


def test_a_browser_that_signed_in_gets_its_token_once(sign_in: SignIn, issuer: Issuer) -> None:
    url, kept = sign_in.begin(BACK)
    query = issuer.authorize(url)

    assert sign_in.finish(query, kept, BACK) == issuer.access_token
    assert sign_in.finish(query, kept, BACK) is None


def test_the_browser_is_sent_with_all_that_the_issuer_needs_and_no_secret(
    issuer: Issuer, adapters: Adapters, oidc: OidcSettings
) -> None:
    named = replace(oidc, resource=RESOURCE, scope_prefix="memory/")
    sign_in = SignIn(named, adapters, issuer.get, issuer.post)
    url, kept = sign_in.begin(BACK)
    asked = dict(parse_qsl(urlsplit(url).query))

    assert asked | {"state": "", "code_challenge": ""} == {
        "response_type": "code",
        "client_id": "console",
        "redirect_uri": BACK,
        "scope": "openid memory/read memory/write memory/admin",
        "state": "",
        "code_challenge": "",
        "code_challenge_method": "S256",
        "resource": RESOURCE,
    }
    assert sign_in.finish(issuer.authorize(url), kept, BACK) == issuer.access_token


def test_an_endpoint_with_a_query_keeps_it(sign_in: SignIn, issuer: Issuer) -> None:
    issuer.discovery = {"authorization_endpoint": f"{URL}/authorize?tenant=a"}

    assert sign_in.begin(BACK)[0].startswith(f"{URL}/authorize?tenant=a&response_type=code&")


def test_no_two_sign_ins_are_alike_and_what_the_browser_keeps_tells_nothing(sign_in: SignIn, issuer: Issuer) -> None:
    begun = [sign_in.begin(BACK) for _ in range(3)]

    asked = [dict(parse_qsl(urlsplit(url).query)) for url, _ in begun]
    assert len({each["state"] for each in asked}) == len({each["code_challenge"] for each in asked}) == 3
    for (url, kept), each in zip(begun, asked, strict=True):
        assert each["state"] not in kept
        assert sign_in.finish(issuer.authorize(url), kept, BACK)


@pytest.mark.parametrize("name", ["state", "code"])
def test_what_comes_back_with_another_state_or_code_gets_no_token(sign_in: SignIn, issuer: Issuer, name: str) -> None:
    url, kept = sign_in.begin(BACK)
    other, _ = sign_in.begin(BACK)
    foreign = issuer.authorize(other)[name]

    for value in (foreign, "", "x", "ключ", "\udc80", "\n"):
        assert sign_in.finish(issuer.authorize(url, **{name: value}), kept, BACK) is None
    without = {key: value for key, value in issuer.authorize(url).items() if key != name}
    assert sign_in.finish(without, kept, BACK) is None


def test_a_browser_that_began_no_sign_in_can_end_none(sign_in: SignIn, issuer: Issuer) -> None:
    """Else a link could sign somebody in as someone else."""
    url, _ = sign_in.begin(BACK)
    _, others = sign_in.begin(BACK)
    query = issuer.authorize(url)

    for kept in ("", others):
        assert sign_in.finish(query, kept, BACK) is None
    assert f"{URL}/token" not in issuer.asked


def test_a_code_of_another_issuer_is_never_sent_to_this_one(sign_in: SignIn, issuer: Issuer) -> None:
    url, kept = sign_in.begin(BACK)

    assert sign_in.finish(issuer.authorize(url, iss="https://evil.example"), kept, BACK) is None
    assert f"{URL}/token" not in issuer.asked
    query = {name: value for name, value in issuer.authorize(url).items() if name != "iss"}
    assert sign_in.finish(query, kept, BACK) == issuer.access_token, "not every issuer tells"


def test_a_refusal_of_the_issuer_ends_a_sign_in_with_no_token(sign_in: SignIn, issuer: Issuer) -> None:
    url, kept = sign_in.begin(BACK)
    state = issuer.authorize(url)["state"]

    assert sign_in.finish({"error": "access_denied", "state": state}, kept, BACK) is None


def test_a_sign_in_ends_where_it_was_to_end(sign_in: SignIn, issuer: Issuer) -> None:
    url, kept = sign_in.begin(BACK)

    assert sign_in.finish(issuer.authorize(url), kept, f"{BACK}/other") is None
    assert f"{URL}/token" not in issuer.asked


def test_a_sign_in_takes_ten_minutes_at_most(sign_in: SignIn, issuer: Issuer, clock: Any) -> None:
    url, kept = sign_in.begin(BACK)

    clock.advance(minutes=10, microseconds=-1)
    assert sign_in.finish(issuer.authorize(url), kept, BACK) == issuer.access_token
    clock.advance(microseconds=1)
    assert sign_in.finish(issuer.authorize(url), kept, BACK) is None


def test_any_process_of_the_deployment_ends_what_another_began_and_no_other_deployment(
    issuer: Issuer, oidc: OidcSettings, adapters: Adapters
) -> None:
    own, other = (replace(adapters, keys=LocalKeyRing(bytes([number]) * 32)) for number in (1, 2))
    url, kept = SignIn(oidc, own, issuer.get, issuer.post).begin(BACK)

    assert SignIn(oidc, other, issuer.get, issuer.post).finish(issuer.authorize(url), kept, BACK) is None
    assert SignIn(oidc, own, issuer.get, issuer.post).finish(issuer.authorize(url), kept, BACK) == issuer.access_token


def test_a_kept_text_with_one_character_changed_ends_no_sign_in(sign_in: SignIn, issuer: Issuer) -> None:
    url, kept = sign_in.begin(BACK)
    query = issuer.authorize(url)

    for position in range(len(kept) - 1):  # the last one has bits that base64 does not use
        changed = kept[:position] + ("A" if kept[position] != "A" else "B") + kept[position + 1 :]
        assert sign_in.finish(query, changed, BACK) is None
    assert sign_in.finish(query, kept, BACK) == issuer.access_token


@pytest.mark.slow
@given(
    text=st.text(st.characters(codec=None)) | st.from_regex(r"[0-9]{1,6}\.[A-Za-z0-9_-]{1,80}", fullmatch=True),
    query=st.dictionaries(st.sampled_from(["code", "state", "iss", "error"]), st.text(st.characters(codec=None))),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbage_ends_no_sign_in_and_raises_nothing(
    text: str, query: dict[str, str], sign_in: SignIn, issuer: Issuer
) -> None:
    _, kept = sign_in.begin(BACK)

    assert sign_in.finish(query, text, BACK) is None
    assert sign_in.finish(query, kept, BACK) is None
    assert f"{URL}/token" not in issuer.asked


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"access_token": "a.b.c"},
        {"access_token": "", "token_type": "Bearer"},
        {"access_token": 7, "token_type": "Bearer"},
        {"access_token": "a.b.c", "token_type": "DPoP"},
        {"access_token": "a.b.c", "token_type": None},
        {"id_token": "a.b.c", "token_type": "Bearer"},
    ],
)
def test_an_answer_without_a_bearer_s_access_token_is_none(
    sign_in: SignIn, issuer: Issuer, answer: dict[str, Any]
) -> None:
    url, kept = sign_in.begin(BACK)
    issuer.replaced = {f"{URL}/token": json.dumps(answer).encode()}

    assert sign_in.finish(issuer.authorize(url), kept, BACK) is None


def test_an_issuer_that_does_not_answer_makes_signing_in_unavailable(sign_in: SignIn, issuer: Issuer) -> None:
    issuer.is_down = True
    with pytest.raises(Unavailable):
        sign_in.begin(BACK)
    issuer.is_down = False
    url, kept = sign_in.begin(BACK)
    query = issuer.authorize(url)
    issuer.is_down = True
    with pytest.raises(Unavailable):
        sign_in.finish(query, kept, BACK)
    issuer.is_down, issuer.replaced = False, {f"{URL}/token": b"<html>"}
    with pytest.raises(Unavailable):
        sign_in.finish(query, kept, BACK)


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": None},
        {"authorization_endpoint": "http://login.example.com/authorize"},
        {"authorization_endpoint": "https://user@login.example.com/authorize"},
        {"authorization_endpoint": "http://127.0.0.1/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
    ids=str,
)
def test_a_browser_is_sent_nowhere_that_an_issuer_cannot_be(
    sign_in: SignIn, issuer: Issuer, discovery: dict[str, Any]
) -> None:
    issuer.discovery = discovery

    with pytest.raises(Unavailable):
        sign_in.begin(BACK)


def test_the_discovery_document_is_read_once_an_hour(sign_in: SignIn, issuer: Issuer, clock: Any) -> None:
    for _ in range(3):
        sign_in.begin(BACK)
        clock.advance(minutes=20)
    assert issuer.asked == [WELL_KNOWN]
    sign_in.begin(BACK)
    assert issuer.asked == [WELL_KNOWN] * 2


@pytest.mark.parametrize(("named", "signs"), [({}, False), ({"console_client_id": "console"}, True)])
def test_services_sign_in_only_where_the_settings_name_a_client(
    adapters: Adapters, issuer: Issuer, named: dict[str, str], *, signs: bool
) -> None:
    auth = AuthSettings(oidc=issuer.settings(**named))
    built = services_over(adapters, Settings(memory_enabled=True, auth=auth))
    for name in ("http_get", "http_post"):
        del vars(built)[name]  # that the settings decide

    assert (built.sign_in is not None) is signs
    assert (built.http_post is not None) is signs


def test_services_without_an_issuer_sign_nobody_in(services: Services) -> None:
    assert services.sign_in is None
