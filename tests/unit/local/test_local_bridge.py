"""The local gateway: what reaches a handler, what never does, and what comes back."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.local.server.bridge import Bridge, application
from cairn.local.server.doors import Handler, ToolRoute, tool_routes
from cairn.services import Services
from cairn_auth import authorizer, metadata
from cairn_health import door as health
from cairn_mcp import door as mcp
from cairn_mcp.protocol import LOOPBACK
from cairn_tools import memory_before_turn
from support.loopback import no_lifespan

LIMIT = 1000
APP = "https://app.example.com"


class Recorder:
    """A handler that keeps the events it got and gives the answer it was told."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.answer: dict[str, Any] | Exception = {"statusCode": 200, "body": '{"ok":true}'}

    def __call__(self, event: dict[str, Any], context: object) -> dict[str, Any]:
        assert context is None
        self.events.append(event)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def key(services: Services) -> str:
    return services.credentials.create(Tenant("local"), Grant()).text


@pytest.fixture
def handler() -> Recorder:
    return Recorder()


@pytest.fixture
def client(services: Services, handler: Recorder) -> Iterator[TestClient]:
    assert services
    with TestClient(app_of(handler, handler), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What this package logs, whether or not another test has cut it off from the root logger."""
    logger = logging.getLogger("cairn")
    logger.addHandler(caplog.handler)
    with caplog.at_level(logging.INFO, logger="cairn"):
        yield caplog
    logger.removeHandler(caplog.handler)


def app_of(door: Handler, tool: Handler) -> Starlette:
    handlers = (door, {"remember": tool}, health.handler, metadata.handler, authorizer.handler)
    routes = [ToolRoute("GET", "/v1/things/{name}/parts", "remember"), ToolRoute("DELETE", "/v1/things", "remember")]
    bridge = Bridge(*handlers, LIMIT, (APP,), LOOPBACK.pattern, lambda: b"calls 1", routes, below={"/theirs": tool})
    return application(bridge, no_lifespan)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def code_of(body: bytes) -> str:
    return json.loads(body)["error"]["code"]


@pytest.mark.req("R008")
@pytest.mark.parametrize("header", ["Authorization", "authorization", "X-Api-Key"])
def test_a_handler_sees_what_the_key_opens_and_never_the_key(
    client: TestClient, handler: Recorder, key: str, header: str
) -> None:
    value = key if header == "X-Api-Key" else f"bearer {key}"
    response = client.post("/mcp", content=b"{}", headers={header: value, "Cookie": f"k={key}", "X-Other": "kept"})
    assert response.status_code == 200
    assert response.json() == {"ok": True}
    (event,) = handler.events
    seen = event["requestContext"]["authorizer"]["lambda"]
    assert seen == {"tenant": "local", "scopes": "read write admin", "projects": "*", "credential": key.split("_")[1]}
    assert event["headers"]["x-other"] == "kept"
    assert key not in json.dumps(event)


@pytest.mark.parametrize(
    "headers",
    [{}, bearer("cairn_0_no"), bearer(""), {"Authorization": "Basic abc"}, {"X-Api-Key": "ключ"}, {"X-Api-Key": "_"}],
)
@pytest.mark.parametrize("path", ["/mcp", "/v1/tools/remember"])
def test_a_missing_or_unknown_key_is_unauthenticated_at_every_door(
    services: Services, headers: dict[str, str], path: str
) -> None:
    assert services
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    with TestClient(app_of(mcp.handler, memory_before_turn.handler), base_url="http://127.0.0.1") as client:
        response = client.post(path, content=b"{}", headers=[(b"content-type", b"application/json"), *raw])
    envelope = response.json() if path != "/mcp" else response.json()["error"]["data"]
    assert (response.status_code, envelope["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.req("R241")
def test_a_route_of_no_tool_is_not_found_and_a_memory_action_s_says_which(client: TestClient) -> None:
    for name, message in (
        ("memory_reticulate", "Memory action 'memory_reticulate' not found"),
        ("no_such_tool", "There is no such tool"),
    ):
        response = client.post(f"/v1/tools/{name}", content=b"{}")
        assert (response.status_code, response.json()["error"]["code"]) == (404, "NOT_FOUND")
        assert response.json()["error"]["message"] == message


FORGED: dict[str, Any] = {"authorizer": {"lambda": {"tenant": "other", "scopes": "admin", "projects": "*"}}}


@pytest.mark.req("R008")
@pytest.mark.parametrize("shown", [True, False])
def test_nothing_a_client_sends_becomes_the_authorizer_s_word(
    client: TestClient, handler: Recorder, key: str, *, shown: bool
) -> None:
    claims = {"X-Tenant": "other", "X-Amzn-RequestContext": json.dumps(FORGED), "X-Cairn-Tenant": "other"}
    headers = {**(bearer(key) if shown else {}), **claims, "Host": "localhost"}
    body = json.dumps({"requestContext": FORGED, "tenant": "other", **FORGED})

    client.post("/mcp?tenant=other&requestContext=%7B%7D", content=body, headers=headers)

    context = handler.events[0]["requestContext"]
    assert context["authorizer"]["lambda"].get("tenant") == ("local" if shown else None)
    assert context["authorizer"]["lambda"].get("refused") == (None if shown else "missing")
    assert (context["apiId"], context["domainName"]) == ("local", "127.0.0.1:80")


def test_the_event_is_payload_2_with_method_path_query_and_body(
    client: TestClient, handler: Recorder, key: str
) -> None:
    client.post("/v1/tools/remember?a=1&b=%20", content='{"x":"ü"}'.encode(), headers=bearer(key))
    event = handler.events[0]
    assert (event["version"], event["rawPath"], event["rawQueryString"]) == ("2.0", "/v1/tools/remember", "a=1&b=%20")
    assert event["requestContext"]["http"]["method"] == "POST"
    assert (event["body"], event["isBase64Encoded"]) == ('{"x":"ü"}', False)


@pytest.mark.req("R295")
def test_a_tool_s_route_hands_on_its_parameters_decoded_and_its_query_as_it_came(
    client: TestClient, handler: Recorder, key: str
) -> None:
    client.get("/v1/things/tue%20sday%25/parts?user=a%2Fb", headers=bearer(key))
    client.delete("/v1/things?turn=1", headers=bearer(key))
    told, gone = handler.events
    assert (told["pathParameters"], told["rawQueryString"]) == ({"name": "tue sday%"}, "user=a%2Fb")
    assert told["requestContext"]["http"]["method"] == "GET"
    assert (gone["pathParameters"], gone["requestContext"]["http"]["method"]) == ({}, "DELETE")
    assert client.get("/v1/things?turn=1", headers=bearer(key)).status_code == 404
    client.get("/v1/things/x/parts")
    assert handler.events[-1]["requestContext"]["authorizer"]["lambda"]["refused"] == "missing"
    assert {(each.method, each.path) for each in tool_routes()} >= {("GET", "/v1/sessions"), ("GET", "/v1/tools")}


@pytest.mark.req("R295")
def test_what_there_is_over_http_is_described_without_a_key(client: TestClient) -> None:
    response = client.get("/openapi.json")
    assert (response.status_code, response.json()["openapi"]) == (200, "3.1.0")
    assert response.headers["cache-control"] == "public, max-age=3600"


def test_a_body_that_is_no_text_arrives_in_base64(client: TestClient, handler: Recorder, key: str) -> None:
    client.post("/mcp", content=b"\xff\x00", headers=bearer(key))
    assert handler.events[0]["isBase64Encoded"] is True
    assert base64.b64decode(handler.events[0]["body"]) == b"\xff\x00"


def test_each_request_has_an_id_of_its_own(client: TestClient, handler: Recorder, key: str) -> None:
    for _ in range(3):
        client.post("/mcp", content=b"{}", headers={**bearer(key), "X-Request-Id": "mine"})
    assert len({event["requestContext"]["requestId"] for event in handler.events} - {"mine"}) == 3


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_other_methods_of_mcp_are_for_the_door_to_refuse(
    client: TestClient, handler: Recorder, key: str, method: str
) -> None:
    handler.answer = {"statusCode": 405, "headers": {"allow": "POST"}, "body": ""}
    response = client.request(method, "/mcp", headers=bearer(key))
    assert (response.status_code, response.headers["allow"], response.content) == (405, "POST", b"")


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/"), ("POST", "/v1/tools/forget"), ("GET", "/v1/tools/remember"), ("POST", "/v1/tools/../mcp/x")],
)
def test_nothing_else_is_there(client: TestClient, handler: Recorder, key: str, method: str, path: str) -> None:
    response = client.request(method, path, headers=bearer(key))
    assert (response.status_code, code_of(response.content)) == (404, "NOT_FOUND")
    assert handler.events == []


def test_health_needs_no_key(client: TestClient) -> None:
    answer = client.get("/healthz").json()
    assert answer["status"] == "ok"
    assert answer["stores"] == {"table": True, "blobs": True, "key": True}


@pytest.mark.req("R138")
@pytest.mark.parametrize(
    ("origin", "may_read"),
    [
        (APP, True),
        ("http://localhost:3000", True),
        ("http://127.0.0.1", True),
        ("https://elsewhere.example.com", False),
        ("http://localhost.example.com", False),
    ],
)
def test_a_front_end_of_an_allowed_origin_may_read_what_is_on_without_a_key(
    client: TestClient, origin: str, *, may_read: bool
) -> None:
    response = client.get("/v1/runtime-config", headers={"Origin": origin})
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "Authorization",
    }
    preflight = client.options("/v1/runtime-config", headers=asked)

    assert response.json()["tools"]["memory"] is True
    for answer in (response, preflight):
        assert answer.headers.get("access-control-allow-origin") == (origin if may_read else None)


def test_a_client_on_a_web_page_may_read_the_session_it_is_given(client: TestClient) -> None:
    response = client.post("/mcp", content=b"{}", headers={"Origin": APP})

    assert response.headers["access-control-expose-headers"] == "mcp-session-id"


def test_metrics_are_told_without_a_key(client: TestClient) -> None:
    response = client.get("/metrics")

    assert (response.status_code, response.content) == (200, b"calls 1")
    assert response.headers["content-type"].startswith("text/plain")


def test_headers_of_one_name_are_joined(client: TestClient, handler: Recorder, key: str) -> None:
    client.post("/mcp", content=b"{}", headers=[("X-Api-Key", key), ("X-Tag", "a"), ("x-tag", "b")])

    assert handler.events[0]["headers"]["x-tag"] == "a,b"


def test_a_page_that_points_its_own_name_at_this_machine_is_refused(
    client: TestClient, handler: Recorder, key: str
) -> None:
    response = client.post("/mcp", content=b"{}", headers={**bearer(key), "Host": "rebound.example"})
    assert response.status_code == 400
    assert handler.events == []


@pytest.mark.req("R096")
@pytest.mark.parametrize("size", [LIMIT + 1, 5 * LIMIT, 9 * LIMIT])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_the_limit_is_refused_before_any_handler(
    client: TestClient, handler: Recorder, key: str, size: int, *, announced: bool
) -> None:
    chunks = [b"x" * 500] * (size // 500) + [b"x" * (size % 500)]
    content = b"".join(chunks) if announced else iter(chunks)
    response = client.post("/mcp", content=content, headers=bearer(key))
    assert (response.status_code, code_of(response.content)) == (413, "PAYLOAD_TOO_LARGE")
    assert response.json()["error"]["details"]["limit"] == LIMIT
    assert handler.events == []


def test_a_body_at_the_limit_passes(client: TestClient, handler: Recorder, key: str) -> None:
    assert client.post("/mcp", content=b"x" * LIMIT, headers=bearer(key)).status_code == 200
    assert len(handler.events[0]["body"]) == LIMIT


@pytest.mark.req("R103")
def test_a_handler_that_fails_is_an_internal_error_without_its_words(
    client: TestClient, handler: Recorder, key: str, log: pytest.LogCaptureFixture
) -> None:
    handler.answer = RuntimeError("the secret canary")
    response = client.post("/mcp", content=b"{}", headers=bearer(key))
    assert (response.status_code, code_of(response.content)) == (500, "INTERNAL_ERROR")
    assert "canary" not in response.text + log.text
    assert "RuntimeError" in log.text


@pytest.mark.req("R099")
@pytest.mark.req("R100")
def test_the_log_has_a_line_per_request_and_neither_content_nor_keys(
    client: TestClient, handler: Recorder, key: str, log: pytest.LogCaptureFixture
) -> None:
    client.post("/v1/tools/remember?q=canary", content=b'"canary"', headers={**bearer(key), "X-Canary": "canary"})
    handler.answer = {"statusCode": 401, "body": ""}
    client.post("/mcp", content=b"{}", headers=bearer(key[:-1]))
    lines = {record.getMessage() for record in log.records if record.name == "cairn.local.server.bridge"}
    assert sorted(line.rsplit(" ", 3)[0] for line in lines) == ["POST /mcp 401", "POST /v1/tools/remember 200"]
    assert "canary" not in log.text
    assert key.rsplit("_", 1)[1][:-1] not in log.text


def test_a_binary_answer_is_decoded(client: TestClient, handler: Recorder, key: str) -> None:
    body = base64.b64encode(b"\xff").decode()
    handler.answer = {"statusCode": 200, "isBase64Encoded": True, "body": body}
    assert client.post("/mcp", content=b"{}", headers=bearer(key)).content == b"\xff"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_door_below_a_path_gets_all_that_is_asked_there_without_the_key(
    client: TestClient, handler: Recorder, key: str, method: str
) -> None:
    authorization = {"Authorization": f"Token {key}"}

    answer = client.request(method, "/theirs//v1/things/a%40b/?page=2", headers=authorization, content=b"{}")

    [event] = handler.events
    assert answer.json() == {"ok": True}
    assert event["pathParameters"]["call"].strip("/") == "v1/things/a@b"
    assert (event["rawQueryString"], event["body"], event["requestContext"]["http"]["method"]) == (
        "page=2",
        "{}",
        method,
    )
    assert event["requestContext"]["authorizer"]["lambda"]["tenant"] == "local"
    assert key not in json.dumps(event)


def test_a_path_is_handed_on_decoded_and_whole(client: TestClient, handler: Recorder, key: str) -> None:
    client.get("/theirs/actor/a%2Fb%3A1/events/1%23ab/what%3F?x=%23", headers=bearer(key))

    (event,) = handler.events
    assert event["rawPath"] == "/theirs/actor/a/b:1/events/1#ab/what?"
    assert event["rawQueryString"] == "x=%23"
