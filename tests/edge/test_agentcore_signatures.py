"""Requests that AWS's clients sign: whose they are, and what changes them on the way."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given
from hypothesis import settings as drawn
from hypothesis import strategies as st

from cairn import wiring
from cairn.access.api_keys import Grant, IssuedKey, parse, project_pattern, scope
from cairn.access.key_store import Credentials
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn_agentcore import door
from cairn_auth import authorizer
from cairn_mcp import door as mcp_door
from support.access import AFTER
from support.agentcore import MEMORY, Gateway, Sent, client, signing_at, with_body, with_header
from support.doubles import FakeClock

ACME = Tenant("acme")
EVENT = {
    "memoryId": MEMORY,
    "actorId": "user/ada:1",
    "sessionId": "monday",
    "eventTimestamp": 1_772_366_400,
    "payload": [{"blob": {"state": ["ö", None, 1.5]}}],
}


@pytest.fixture(autouse=True)
def _signed_by_the_clock(clock: FakeClock) -> Iterator[None]:
    with signing_at(clock):
        yield


@pytest.fixture
def issued(services: Services) -> IssuedKey:
    return services.credentials.create(ACME, Grant(), derived=True)


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture
def agentcore(issued: IssuedKey, gateway: Gateway) -> Any:
    return client(issued, gateway)


def refusal(call: Callable[[], Any]) -> tuple[int, str]:
    """Return the status and the type with which AWS's client says that a call was refused."""
    with pytest.raises(ClientError) as refused:
        call()
    said: Any = refused.value.response
    assert said["Error"]["Message"]
    return said["ResponseMetadata"]["HTTPStatusCode"], said["Error"]["Code"]


@pytest.mark.req("R315")
@pytest.mark.parametrize("decodes", [True, False])
def test_what_aws_s_client_signs_is_let_in_however_the_gateway_hands_on_the_path(
    agentcore: Any, gateway: Gateway, *, decodes: bool
) -> None:
    gateway.decodes = decodes

    kept = agentcore.create_event(**EVENT)["event"]

    place = {name: EVENT[name] for name in ("memoryId", "actorId", "sessionId")}
    assert agentcore.get_event(**place, eventId=kept["eventId"])["event"] == kept
    assert "user%2Fada%3A1" in gateway.sent[-1].path
    assert "%23" in gateway.sent[-1].path
    assert kept["payload"] == EVENT["payload"]


@pytest.mark.parametrize("prefix", ["https://memory.example.com", "https://x.execute-api.aws.com/prod/v~1"])
def test_a_stage_before_the_path_is_signed_with_it(issued: IssuedKey, gateway: Gateway, prefix: str) -> None:
    agentcore = client(issued, gateway, endpoint_url=f"{prefix}/agentcore")

    assert agentcore.list_events(memoryId=MEMORY, actorId="a/b", sessionId="s")["events"] == []


LABEL = st.text("abcXYZ012-_", min_size=1, max_size=6)
ACTOR = st.lists(LABEL | st.sampled_from(["sessions", "events", "actor"]), min_size=1, max_size=4).map("/".join)


@drawn(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    place=st.fixed_dictionaries({"actorId": ACTOR, "sessionId": LABEL | st.sampled_from(["sessions", "events"])}),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    decodes=st.booleans(),
)
def test_an_actor_with_slashes_is_never_taken_for_another_request(
    agentcore: Any, gateway: Gateway, place: dict[str, str], text: str, *, decodes: bool
) -> None:
    gateway.decodes = decodes
    place = {"memoryId": MEMORY, **place}
    kept = agentcore.create_event(**{**EVENT, **place, "payload": [{"blob": text}]})["event"]

    assert agentcore.get_event(**place, eventId=kept["eventId"])["event"]["payload"] == [{"blob": text}]
    assert kept["eventId"] in [each["eventId"] for each in agentcore.list_events(**place)["events"]]
    listed = agentcore.list_sessions(memoryId=MEMORY, actorId=place["actorId"], maxResults=100)["sessionSummaries"]
    assert place["sessionId"] in [each["sessionId"] for each in listed]


@pytest.mark.parametrize("decodes", [True, False])
def test_the_signature_says_which_of_two_operations_a_path_is_of(
    agentcore: Any, gateway: Gateway, *, decodes: bool
) -> None:
    gateway.decodes = decodes
    agentcore.create_event(**{**EVENT, "actorId": "a/sessions", "sessionId": "s"})
    agentcore.create_event(**{**EVENT, "actorId": "a", "sessionId": "sessions"})

    listed = agentcore.list_sessions(memoryId=MEMORY, actorId="a/sessions")["sessionSummaries"]
    events = agentcore.list_events(memoryId=MEMORY, actorId="a", sessionId="sessions")["events"]

    assert [each["sessionId"] for each in listed] == ["s"]
    assert [(each["actorId"], each["sessionId"]) for each in events] == [("a", "sessions")]


CHANGES: dict[str, Callable[[Sent], Sent]] = {
    "body": partial(with_body, change=lambda body: {**body, "actorId": "eve"}),
    "body's order": partial(with_body, change=lambda body: dict(reversed(body.items()))),
    "no body": lambda sent: replace(sent, body=b""),
    "path": lambda sent: replace(sent, path=sent.path.replace("garden", "yard")),
    "method": lambda sent: replace(sent, method="GET", path=sent.path.replace("/events", "/details")),
    "query": lambda sent: replace(sent, query="namespace=x"),
    "host": partial(with_header, name="host", value="other.example.com"),
    "type": partial(with_header, name="content-type", value="application/x-amz-json-1.0"),
    "date": partial(with_header, name="x-amz-date", value="20260301T120001Z"),
    "region": lambda sent: with_authorization(sent, "eu-central-1", "us-east-1"),
    "signature": lambda sent: with_authorization(sent, sent.headers["authorization"][-64:], "0" * 64),
}


def with_authorization(sent: Sent, part: str, other: str) -> Sent:
    authorization = sent.headers["authorization"]
    assert part in authorization
    return with_header(sent, "authorization", authorization.replace(part, other))


@pytest.mark.req("R315")
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_on_the_way_has_another_signature(
    agentcore: Any, gateway: Gateway, store: Any, change: str
) -> None:
    agentcore.create_event(**EVENT)
    before = store.rows()
    gateway.change = CHANGES[change]

    assert refusal(lambda: agentcore.create_event(**EVENT)) == (403, "InvalidSignatureException")
    assert gateway.answers[-1]["headers"]["x-amzn-errortype"] == "InvalidSignatureException"
    assert json.loads(gateway.answers[-1]["body"]).keys() == {"message"}
    assert store.rows() == before


INCOMPLETE: dict[str, Callable[[Sent], Sent]] = {
    "host is not signed": lambda sent: with_authorization(sent, ";host;", ";"),
    "date is not signed": lambda sent: with_authorization(sent, ";x-amz-date", ""),
    "a signed header is missing": lambda sent: with_authorization(sent, ";host;", ";host;x-absent;"),
    "body's hash is not signed": partial(with_header, name="x-amz-content-sha256", value="0" * 64),
    "form": lambda sent: with_authorization(sent, "aws4_request", "aws4_requests"),
    "algorithm": lambda sent: with_authorization(sent, "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512"),
}


@pytest.mark.req("R315")
@pytest.mark.parametrize("change", INCOMPLETE)
def test_a_signature_that_leaves_out_what_must_be_signed_is_incomplete(
    agentcore: Any, gateway: Gateway, change: str
) -> None:
    gateway.change = INCOMPLETE[change]

    assert refusal(lambda: agentcore.create_event(**EVENT)) == (403, "IncompleteSignatureException")


@pytest.mark.req("R315")
@pytest.mark.parametrize(("seconds", "is_let_in"), [(-301, False), (-300, True), (0, True), (300, True), (301, False)])
def test_a_date_holds_for_five_minutes_before_and_after(
    agentcore: Any, gateway: Gateway, clock: FakeClock, seconds: int, *, is_let_in: bool
) -> None:
    agentcore.list_actors(memoryId=MEMORY)
    clock.advance(seconds=seconds)

    status = gateway.answer(gateway.sent[-1])["statusCode"]

    assert status == (200 if is_let_in else 403)


@pytest.mark.parametrize("value", ["UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"])
def test_a_body_that_is_not_signed_is_refused(agentcore: Any, value: str) -> None:
    def leave_out(request: Any, **_: Any) -> None:
        request.headers.add_header("X-Amz-Content-SHA256", value)

    agentcore.meta.events.register("before-sign", leave_out)

    assert refusal(lambda: agentcore.create_event(**EVENT)) == (403, "InvalidSignatureException")


def test_a_body_whose_hash_stands_in_a_signed_header_is_held_to_it(agentcore: Any, gateway: Gateway) -> None:
    def tell(request: Any, **_: Any) -> None:
        request.headers.add_header("X-Amz-Content-SHA256", sha256(request.body).hexdigest())

    agentcore.meta.events.register("before-sign", tell)

    assert agentcore.create_event(**EVENT)["event"]
    gateway.change = CHANGES["body"]
    assert refusal(lambda: agentcore.create_event(**EVENT)) == (403, "InvalidSignatureException")


def test_a_scope_of_another_day_than_the_date_is_refused_for_that(agentcore: Any, gateway: Gateway) -> None:
    gateway.change = partial(with_authorization, part="/20260301/", other="/20260302/")

    assert refusal(lambda: agentcore.list_actors(memoryId=MEMORY)) == (403, "InvalidSignatureException")
    assert "date" in json.loads(gateway.answers[-1]["body"])["message"]


def test_a_signature_for_another_service_is_refused(agentcore: Any, gateway: Gateway) -> None:
    gateway.change = partial(with_authorization, part="bedrock-agentcore", other="execute-api")

    assert refusal(lambda: agentcore.list_actors(memoryId=MEMORY)) == (403, "InvalidSignatureException")
    assert "bedrock-agentcore" in json.loads(gateway.answers[-1]["body"])["message"]


@pytest.mark.req("R315")
def test_a_wrong_secret_an_unknown_id_and_a_revoked_key_open_nothing(
    services: Services, issued: IssuedKey, gateway: Gateway
) -> None:
    plain = services.credentials.create(ACME, Grant())
    key = parse(plain.text)
    assert key is not None

    def listed(who: IssuedKey, **changed: str) -> Any:
        return client(who, gateway, **changed).list_actors(memoryId=MEMORY)

    assert listed(issued)["actorSummaries"] == []
    assert refusal(lambda: listed(issued, aws_secret_access_key="x")) == (403, "InvalidSignatureException")
    unknown = (403, "UnrecognizedClientException")
    assert refusal(lambda: listed(issued, aws_access_key_id="CAIRN0123456789ABCDEF")) == unknown
    assert refusal(lambda: listed(issued, aws_access_key_id="AKIAIOSFODNN7EXAMPLE")) == unknown
    assert refusal(lambda: listed(plain)) == unknown
    services.credentials.revoke(issued.credential.id)
    assert refusal(lambda: listed(issued)) == unknown


def test_who_shows_nothing_is_asked_for_a_signature(gateway: Gateway, agentcore: Any) -> None:
    agentcore.list_actors(memoryId=MEMORY)
    sent = gateway.sent[-1]
    headers = {name: value for name, value in sent.headers.items() if name != "authorization"}

    response = gateway.answer(replace(sent, headers=headers))

    assert (response["statusCode"], response["headers"]["x-amzn-errortype"]) == (
        403,
        "MissingAuthenticationTokenException",
    )


def test_an_api_key_is_taken_as_at_every_door(gateway: Gateway, agentcore: Any, issued: IssuedKey) -> None:
    agentcore.list_actors(memoryId=MEMORY)

    response = gateway.answer(with_header(gateway.sent[-1], "authorization", f"Bearer {issued.text}"))

    assert response["statusCode"] == 200


def test_a_query_says_nothing_that_an_operation_takes(gateway: Gateway, agentcore: Any, issued: IssuedKey) -> None:
    agentcore.list_actors(memoryId=MEMORY)
    sent = with_header(gateway.sent[-1], "authorization", f"Bearer {issued.text}")

    assert gateway.answer(replace(sent, query="maxResults=0"))["statusCode"] == 200
    assert gateway.answer(with_body(sent, lambda body: {**body, "maxResults": 0}))["statusCode"] == 400


def test_a_signature_opens_no_other_door(gateway: Gateway, agentcore: Any) -> None:
    agentcore.create_event(**EVENT)
    event = gateway.sent[-1].event()
    context = authorizer.handler(event, None)["context"]
    assert context["refused"] == "unproven"
    event["requestContext"]["authorizer"] = {"lambda": context}

    assert AFTER.handler(event, None)["statusCode"] == 401
    assert mcp_door.handler(event, None)["statusCode"] == 401
    elsewhere = authorizer.handler({**event, "rawPath": "/v1/tools/recall"}, None)["context"]
    assert elsewhere == {"refused": "unknown"}


@pytest.mark.parametrize("proof", [None, "", "{}", "[]", '["zz", ["a", "b", "c"], "", [], ""]', "[1, 2, 3, 4, 5]"])
def test_a_claim_without_a_proof_opens_nothing(
    services: Services, gateway: Gateway, agentcore: Any, proof: str | None
) -> None:
    assert services
    agentcore.list_actors(memoryId=MEMORY)
    event = gateway.sent[-1].event()
    claim = json.dumps({"tenant": "acme", "scopes": "read write", "projects": "*", "credential": "c"})
    context = {"refused": "unproven", "claim": claim} | ({} if proof is None else {"proof": proof})
    event["requestContext"]["authorizer"] = {"lambda": context}

    assert door.handler(event, None)["statusCode"] == 403


def test_names_in_headers_that_nobody_signed_change_nothing(agentcore: Any, gateway: Gateway) -> None:
    honest = agentcore.create_event(**EVENT)["event"]
    gateway.change = partial(with_header, name="x-cairn-user", value="eve")

    assert agentcore.create_event(**EVENT)["event"]["actorId"] == honest["actorId"]
    assert [each["actorId"] for each in agentcore.list_actors(memoryId=MEMORY)["actorSummaries"]] == ["user/ada:1"]


def test_a_key_opens_its_projects_users_and_scopes_and_nothing_beside_them(
    services: Services, gateway: Gateway
) -> None:
    grant = Grant((project_pattern(MEMORY),), (scope("read"), scope("write")), users=(UserId("ada"),))
    bound = client(services.credentials.create(ACME, grant, derived=True), gateway)
    reader = Grant(scopes=(scope("read"),))
    reading = client(services.credentials.create(ACME, reader, derived=True), gateway)
    own = {**EVENT, "actorId": "ada"}
    denied = (403, "AccessDeniedException")

    bound.create_event(**own)
    assert refusal(lambda: bound.create_event(**{**own, "actorId": "eve"})) == denied
    assert refusal(lambda: bound.create_event(**{**own, "memoryId": "other-0123456789"})) == denied
    assert refusal(lambda: reading.create_event(**own)) == denied
    assert len(reading.list_events(memoryId=MEMORY, actorId="ada", sessionId="monday")["events"]) == 1
    assert [each["actorId"] for each in bound.list_actors(memoryId=MEMORY)["actorSummaries"]] == ["ada"]


def test_what_cannot_be_told_now_is_a_fault_that_clients_try_again(
    services: Services, agentcore: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(_credentials: Credentials, _key_id: str) -> None:
        raise Unavailable("The table is throttled")

    assert services
    monkeypatch.setattr(Credentials, "signer", throttled)

    assert refusal(lambda: agentcore.list_actors(memoryId=MEMORY)) == (503, "ServiceException")


def test_a_fault_inside_tells_nothing(agentcore: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    agentcore.list_actors(memoryId=MEMORY)

    def broken() -> Services:
        raise RuntimeError("the secret canary")

    event = gateway.sent[-1].event()
    event["requestContext"]["authorizer"] = {"lambda": authorizer.handler(event, None)["context"]}
    monkeypatch.setattr(wiring, "services", broken)
    response = door.handler(event, None)

    assert (response["statusCode"], response["headers"]["x-amzn-errortype"]) == (500, "ServiceException")
    assert "canary" not in response["body"]


@pytest.mark.parametrize("path", ["/agentcore", "/agentcore/", "/agentcore/memories/x/nothing", "/elsewhere/memories/"])
def test_an_unknown_operation_is_told_as_one(services: Services, path: str) -> None:
    assert services
    event = Sent("POST", path, "", {"host": "h"}, b"{}").event()

    response = door.handler(event, None)

    assert (response["statusCode"], response["headers"]["x-amzn-errortype"]) == (404, "UnknownOperationException")


@pytest.mark.req("R100")
def test_no_secret_and_no_signing_key_is_in_the_log(
    agentcore: Any, gateway: Gateway, issued: IssuedKey, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("botocore"), "propagate", False)
    agentcore.create_event(**EVENT)
    gateway.change = CHANGES["signature"]
    refusal(lambda: agentcore.create_event(**EVENT))

    key = parse(issued.text)
    assert key is not None
    proof = json.loads(authorizer.handler(gateway.sent[-1].event(), None)["context"]["proof"])
    assert "agentcore" in log.getvalue()
    for secret in (key.secret, proof[0], proof[-1], "Credential="):
        assert secret not in log.getvalue()
