"""Tokens at the doors: what opens, what does not, and which host tells of the issuer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn_auth import metadata
from cairn_tools.catalog import CATALOG
from support.access import (
    AFTER,
    AUDIENCE,
    BEFORE,
    KEY_HOST,
    LIST_TOOLS,
    OAUTH_HOST,
    RESOURCE,
    Issuer,
    bearer,
    judged,
    public_jwk,
    signed,
)
from support.receipts import without_call
from support.services import services_over

pytestmark = pytest.mark.enable_socket
WELL_KNOWN = "/.well-known/oauth-protected-resource"


@pytest.mark.req("R008")
@pytest.mark.parametrize("host", [KEY_HOST, OAUTH_HOST])
def test_a_token_and_a_key_open_the_same_on_either_host(
    host: str, services: Services, token: Callable[..., str], open_client: Callable[[str], TestClient]
) -> None:
    tenant = judged(token())["tenant"]
    key = services.credentials.create(Tenant(tenant), Grant()).text
    with open_client(host) as client:
        stored = client.post(f"/v1/tools/{AFTER.name}", json=AFTER.example, headers=bearer(token()))
        by_key, by_token = (
            client.post(f"/v1/tools/{BEFORE.name}", json=BEFORE.example, headers=bearer(each))
            for each in (key, token())
        )
        listed = client.post("/mcp", json=LIST_TOOLS, headers=bearer(token()))

    assert [each.status_code for each in (stored, by_key, by_token, listed)] == [200] * 4
    assert without_call(by_key.json()) == without_call(by_token.json())
    assert by_key.json()["recall_fact_ids"] or len(by_key.json()["input_items"]) > 1


def test_a_token_of_another_subject_opens_another_memory(
    token: Callable[..., str], open_client: Callable[[str], TestClient]
) -> None:
    with open_client(OAUTH_HOST) as client:
        client.post(f"/v1/tools/{AFTER.name}", json=AFTER.example, headers=bearer(token()))
        own, other = (
            client.post(f"/v1/tools/{BEFORE.name}", json=BEFORE.example, headers=bearer(token(sub=each))).json()
            for each in ("ada", "bob")
        )

    assert len(own["input_items"]) > len(other["input_items"])


@pytest.mark.parametrize(
    ("scope", "statuses"),
    [("cairn:read", (200, 403)), ("cairn:write", (403, 200)), ("openid", (403, 403)), (None, (403, 403))],
)
def test_a_scope_that_the_token_lacks_is_denied_by_name(
    scope: str | None,
    statuses: tuple[int, int],
    token: Callable[..., str],
    open_client: Callable[[str], TestClient],
) -> None:
    reader = next(tool for tool in CATALOG if tool.read_only)
    with open_client(OAUTH_HOST) as client:
        answers = [
            client.post(f"/v1/tools/{tool.name}", json=dict(tool.example), headers=bearer(token(scope=scope)))
            for tool in (reader, AFTER)
        ]

    assert tuple(each.status_code for each in answers) == statuses
    for answer, operation in zip(answers, ("read", "write"), strict=True):
        if answer.status_code != 200:
            assert answer.json()["error"]["code"] == "PERMISSION_DENIED"
            assert answer.json()["error"]["details"]["operation"] == operation


@pytest.mark.parametrize(
    "changed", [{"exp": 1}, {"iss": "https://evil.example"}, {"aud": "https://evil.example"}, {"sub": None}], ids=str
)
@pytest.mark.parametrize(("host", "says"), [(KEY_HOST, False), (OAUTH_HOST, True)])
def test_a_bad_token_gets_401_and_only_the_oauth_host_tells_of_the_issuer(
    host: str,
    changed: dict[str, Any],
    token: Callable[..., str],
    open_client: Callable[[str], TestClient],
    *,
    says: bool,
) -> None:
    url = f"{OAUTH_HOST}{WELL_KNOWN}/mcp"
    told = f'Bearer error="invalid_token", resource_metadata="{url}", scope="cairn:read cairn:write"'
    with open_client(host) as client:
        for path in ("/mcp", f"/v1/tools/{BEFORE.name}"):
            response = client.post(path, json=LIST_TOOLS, headers=bearer(token(**changed)))
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == (told if says else "Bearer")
            assert "UNAUTHENTICATED" in response.text


@pytest.mark.parametrize("claims", [{}, {"Host": "127.0.0.1:8788"}, {"X-Forwarded-Host": "127.0.0.1:8788"}])
def test_who_asks_the_key_host_hears_of_no_issuer_whatever_host_it_claims(
    claims: dict[str, str], open_client: Callable[[str], TestClient]
) -> None:
    with open_client(KEY_HOST) as client:
        challenge = client.post("/mcp", json=LIST_TOOLS, headers=claims).headers["www-authenticate"]
        found = [client.get(f"{WELL_KNOWN}{suffix}", headers=claims) for suffix in ("", "/mcp")]

    assert challenge == "Bearer"
    for response in found:
        assert response.status_code == 404
        assert OAUTH_HOST not in response.text


def test_the_oauth_host_leads_who_has_no_token_to_the_issuer(
    issuer: Issuer, open_client: Callable[[str], TestClient]
) -> None:
    with open_client(OAUTH_HOST) as client:
        refused = client.post("/mcp", json=LIST_TOOLS)
        documents = [client.get(f"{WELL_KNOWN}{suffix}") for suffix in ("/mcp", "")]

    challenge = refused.headers["www-authenticate"]
    url = f"{OAUTH_HOST}{WELL_KNOWN}/mcp"
    assert (refused.status_code, challenge) == (
        401,
        f'Bearer resource_metadata="{url}", scope="cairn:read cairn:write"',
    )
    for each in documents:
        assert (each.status_code, each.headers["content-type"]) == (200, "application/json")
        assert each.json() == {
            "resource": RESOURCE,
            "authorization_servers": [issuer.url],
            "scopes_supported": ["cairn:read", "cairn:write"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Cairn memory",
        }


@pytest.mark.parametrize("host", ["", "other.example", "127.0.0.1", "127.0.0.1:8787", None, 7])
def test_the_gateway_s_name_for_the_host_decides_who_is_told(host: object, services: Services) -> None:
    assert services
    event = {"rawPath": WELL_KNOWN, "headers": {"host": "127.0.0.1:8788"}}
    here, elsewhere = (
        {**event, "requestContext": {"domainName": name, "http": {"method": "GET"}}} for name in (RESOURCE[7:21], host)
    )

    assert metadata.handler(here, None)["statusCode"] == 200
    assert metadata.handler(elsewhere, None)["statusCode"] == 404
    assert judged("wrong", domainName=host)["challenge"] == "Bearer"


def test_without_an_issuer_there_is_no_metadata_and_a_token_is_just_no_key(
    services: Services, adapters: Adapters, issuer: Issuer, clock: Any
) -> None:
    assert services
    bare = services_over(adapters, Settings(memory_enabled=True))
    wiring.provide(bare)
    event = {"rawPath": WELL_KNOWN, "requestContext": {"http": {"method": "GET"}}}

    assert metadata.handler(event, None)["statusCode"] == 404
    assert judged(issuer.token(clock.now())) == {"refused": "unknown", "challenge": "Bearer"}
    assert issuer.asked == []


def test_an_api_key_goes_on_without_the_issuer(services: Services, issuer: Issuer) -> None:
    key = services.credentials.create(Tenant("acme"), Grant()).text

    assert judged(key)["tenant"] == "acme"
    assert issuer.asked == []


def test_a_new_key_of_the_issuer_s_is_found_and_the_old_one_goes_on(issuer: Issuer, clock: Any, token: Any) -> None:
    tenant = judged(token())["tenant"]
    issuer.jwks.append(public_jwk("second", "ES256"))
    clock.advance(minutes=1)
    by_second = signed(issuer.claims(clock.now()), "ES256", {"kid": "second"})

    assert judged(by_second)["tenant"] == tenant
    assert judged(token())["tenant"] == tenant
    assert judged(signed(issuer.claims(clock.now()), "ES256", {"kid": "first"}))["refused"] == "unknown"


@pytest.mark.req("R100")
def test_no_token_is_in_the_log_or_the_store(
    token: Callable[..., str], store: Any, open_client: Callable[[str], TestClient], said: pytest.LogCaptureFixture
) -> None:
    good, bad = token(name="canary"), token(exp=1, name="canary")
    with open_client(OAUTH_HOST) as client:
        for each in (good, bad):
            client.post(f"/v1/tools/{AFTER.name}", json=AFTER.example, headers=bearer(each))

    lines = "".join(str(vars(record)) for record in said.records)
    assert lines
    for part in {*good.split(".")[1:], *bad.split(".")[1:], "canary", AUDIENCE}:
        assert part not in lines
        assert part.encode() not in store.contents()


@pytest.mark.req("R310")
def test_the_first_token_of_a_tenant_makes_the_data_key_that_no_tool_s_role_may_make(
    token: Callable[..., str], services: Services, adapters: Adapters
) -> None:
    tenant = Tenant(judged(token())["tenant"])

    assert services_over(adapters, services.settings).vault.has_key(tenant)
    assert not services.vault.has_key(Tenant("another"))
