"""The authorizer and what lies behind it: only a key decides who calls, and what the key opens holds at every door."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn import wiring
from cairn.access.api_keys import Grant, project_pattern, scope
from cairn.access.key_store import Credentials
from cairn.ground.errors import CairnError, InternalError, Unavailable
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn_auth import authorizer
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.access import AFTER, BEFORE, EventOf, answered, asked, bearer, over_mcp, refused, through
from support.receipts import without_call

ACME = Tenant("acme")


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What this package logs, whether or not another test has cut it off from the root logger."""
    monkeypatch.setattr(logging.getLogger("cairn"), "propagate", True)
    caplog.set_level(logging.INFO, logger="cairn")
    return caplog


@pytest.mark.req("R008")
@pytest.mark.parametrize(
    "header", ["authorization: Bearer {}", "authorization: bearer  {} ", "x-api-key: {}", "X-Api-Key: {}"]
)
def test_a_key_in_either_header_opens_what_it_was_granted(services: Services, header: str) -> None:
    grant = Grant((project_pattern("team.*"), project_pattern("garden")), (scope("read"), scope("write")), "support")
    issued = services.credentials.create(ACME, grant)
    name, value = header.format(issued.text).split(": ")

    assert authorizer.handler(asked({name: value}), None) == {
        "isAuthorized": True,
        "context": {
            "tenant": "acme",
            "scopes": "read write",
            "projects": "team.* garden",
            "credential": issued.credential.id,
            "policy": "support",
        },
    }


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({}, "missing"),
        ({"authorization": ""}, "missing"),
        ({"authorization": "Bearer"}, "missing"),
        ({"authorization": "Basic {key}"}, "missing"),
        ({"authorization": "{key}"}, "missing"),
        ({"cookie": "{key}"}, "missing"),
        ({"x-api-key": ""}, "missing"),
        ({"authorization": "Bearer {key},Bearer {key}"}, "unknown"),
        ({"authorization": "Bearer wrong", "x-api-key": "{key}"}, "unknown"),
        ({"x-api-key": "Bearer {key}"}, "unknown"),
        ({"x-api-key": "ключ"}, "unknown"),
    ],
)
def test_anything_else_opens_nothing(services: Services, headers: dict[str, str], why: str) -> None:
    key = services.credentials.create(ACME, Grant()).text
    presented = {name: value.replace("{key}", key) for name, value in headers.items()}

    assert authorizer.handler(asked(presented), None) == refused(why)


@pytest.mark.parametrize(
    ("authorization", "tenant"),
    [("Bearer {other}", "globex"), ("Bearer", "acme"), ("Basic {other}", "acme"), ("{other}", "acme")],
)
def test_of_two_credentials_the_bearer_s_counts_and_a_malformed_one_does_not(
    services: Services, authorization: str, tenant: str
) -> None:
    key, other = (services.credentials.create(Tenant(each), Grant()).text for each in ("acme", "globex"))
    headers = {"authorization": authorization.replace("{other}", other), "x-api-key": key}

    assert authorizer.handler(asked(headers), None)["context"]["tenant"] == tenant


@pytest.mark.parametrize("why", ["missing", "unknown"])
def test_without_a_good_credential_every_door_answers_401_in_both_payloads(
    services: Services, event_of: EventOf, why: str
) -> None:
    assert services
    headers = {} if why == "missing" else bearer("wrong")
    about = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    over_mcp = [door.handler(each, None) for each in both_payloads(through(headers, event_of("/mcp", about)))]
    over_http = [
        tool.handler(each, None) for tool in CATALOG for each in both_payloads(through(headers, event_of("/", {})))
    ]

    for response in (*over_http, *over_mcp):
        assert (response["statusCode"], response["headers"]["www-authenticate"]) == (401, "Bearer")
    envelopes = [json.loads(each["body"]) for each in over_http]
    envelopes += [json.loads(each["body"])["error"]["data"] for each in over_mcp]
    for envelope in envelopes:
        assert envelope == envelopes[0]
        assert (envelope["error"]["code"], envelope["error"]["retryable"]) == ("UNAUTHENTICATED", False)


@pytest.mark.req("R007")
@pytest.mark.parametrize(
    "said", [{"refused": "missing", "tenant": "acme"}, {"refused": ""}, {"refused": None}, {"refused": "new"}]
)
def test_a_refusal_outweighs_all_else_the_authorizer_says(
    services: Services, event_of: EventOf, said: dict[str, Any]
) -> None:
    assert services
    event = event_of("/", BEFORE.example)
    event["requestContext"]["authorizer"]["lambda"] |= said

    assert answered(BEFORE, event)[1]["error"]["code"] == "UNAUTHENTICATED"


def test_what_cannot_be_told_is_no_refusal_but_unavailable_at_every_door(
    services: Services, event_of: EventOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(_credentials: Credentials, _presented: str) -> None:
        raise Unavailable("The table is throttled")

    monkeypatch.setattr(Credentials, "check", throttled)
    assert services
    event = through(bearer("some"), event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
    tried = door.handler(event, None)

    status, body = answered(BEFORE, through(bearer("some"), event_of("/", BEFORE.example)))

    assert (status, body["error"]["code"], body["error"]["retryable"]) == (503, "UNAVAILABLE", True)
    assert (tried["statusCode"], json.loads(tried["body"])["error"]["data"]) == (503, body)


def test_a_key_elsewhere_in_the_request_opens_nothing(services: Services) -> None:
    key = services.credentials.create(ACME, Grant()).text
    elsewhere = {
        "rawQueryString": f"key={key}",
        "queryStringParameters": {"authorization": f"Bearer {key}"},
        "body": json.dumps({"x-api-key": key}),
        "identitySource": [f"Bearer {key}"],
    }

    assert authorizer.handler(asked({}, **elsewhere), None) == refused("missing")


def test_a_revoked_and_an_expired_key_are_refused_like_an_unknown_one(services: Services, clock: Any) -> None:
    revoked = services.credentials.create(ACME, Grant())
    expired = services.credentials.create(ACME, Grant(), timedelta(hours=1))
    assert authorizer.handler(asked(bearer(revoked.text)), None)["context"]["tenant"] == "acme"

    services.credentials.revoke(revoked.credential.id)
    clock.advance(hours=1)

    for key in (revoked.text, expired.text, f"cairn_{'0' * 16}_{'A' * 43}"):
        assert authorizer.handler(asked(bearer(key)), None) == refused("unknown")


@pytest.mark.req("R008")
@pytest.mark.req("R010")
def test_no_forged_header_body_field_or_client_name_changes_who_calls(services: Services, event_of: EventOf) -> None:
    mine = services.credentials.create(Tenant("stranger"), Grant()).text
    theirs = services.credentials.create(ACME, Grant())
    assert answered(AFTER, through(bearer(theirs.text), event_of("/", AFTER.example)))[0] == 200
    honest = without_call(answered(BEFORE, through(bearer(mine), event_of("/", BEFORE.example))))

    forged = {
        **bearer(mine),
        "x-tenant": "acme",
        "x-amzn-requestcontext": '{"authorizer":{"lambda":{"tenant":"acme"}}}',
        "x-credential": theirs.credential.id,
        "mcp-session-id": "acme",
    }
    assert without_call(answered(BEFORE, through(forged, event_of("/", BEFORE.example)))) == honest
    named = {"name": "acme", "version": "1", "tenant": "acme"}
    assert without_call(over_mcp(BEFORE, forged, event_of, named)) == honest
    assert without_call(answered(BEFORE, through(bearer(theirs.text), event_of("/", BEFORE.example)))) != honest
    for claim in ({"tenant": "acme"}, {"credential": theirs.credential.id}, {"authorizer": {"tenant": "acme"}}):
        assert answered(BEFORE, through(forged, event_of("/", {**BEFORE.example, **claim})))[0] == 400


@pytest.mark.req("R099")
@pytest.mark.req("R100")
def test_the_log_names_no_key_and_no_tenant(services: Services, log: pytest.LogCaptureFixture) -> None:
    key = services.credentials.create(Tenant("canary"), Grant()).text
    for presented in (key, key[:-1] + ("a" if key[-1] != "a" else "b"), "canary"):
        authorizer.handler(asked(bearer(presented)), None)

    calls = [vars(record)["call"].line() for record in log.records]
    assert [call["status"] for call in calls] == ["OK", "UNAUTHENTICATED", "UNAUTHENTICATED"]
    assert {call["request_id"] for call in calls} == {"request-1"}
    assert calls[0]["tenant"] is not None
    assert "canary" not in json.dumps(calls)
    assert key.rsplit("_", 1)[1][:-1] not in json.dumps(calls)


@pytest.mark.req("R103")
def test_a_fault_inside_is_no_refusal_and_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Services:
        raise RuntimeError("the secret canary")

    monkeypatch.setattr(wiring, "services", broken)
    with pytest.raises(InternalError) as failed:
        authorizer.handler(asked(bearer("x")), None)
    assert "canary" not in f"{failed.value} {failed.value.details}"


@given(value=st.text(max_size=80), name=st.sampled_from(["authorization", "x-api-key", "Authorization"]))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_the_headers_is_answered(services: Services, name: str, value: str) -> None:
    assert services
    assert authorizer.handler(asked({name: value}), None) in (refused("missing"), refused("unknown"))


@pytest.mark.parametrize("event", [{}, {"requestContext": 3}, {"headers": 7}])
def test_an_event_that_is_none_opens_nothing(event: dict[str, Any], services: Services) -> None:
    assert services
    with pytest.raises(CairnError):
        authorizer.handler(event, None)


def both_payloads(event: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the event, and the same in payload 1.0."""
    context = event["requestContext"]
    old = {"requestId": context["requestId"], "authorizer": context["authorizer"]["lambda"]}
    path = event["rawPath"]
    return event, {**event, "version": "1.0", "httpMethod": "POST", "path": path, "requestContext": old}
