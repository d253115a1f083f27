"""What the authorizer and the grants of a key refuse, and that nothing a request says of itself changes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import httpx2
import pytest

from cairn.access.api_keys import Grant, project_pattern
from cairn.access.key_store import Credentials
from cairn.ground.ids import Tenant

pytestmark = pytest.mark.enable_socket

ACME = Tenant("acme")
NO_TIME = timedelta(0)
Ask = Callable[..., httpx2.Response]


@pytest.fixture
def ask(client: httpx2.Client) -> Ask:
    """Return a function that calls a tool with a key, over HTTP."""

    def post(key: str, tool: str = "memory_list_dir_with_abstract", **arguments: Any) -> httpx2.Response:
        given = {"project": "garden", "session_id": "refused", **arguments}
        return client.post(f"/v1/tools/{tool}", json=given, headers={"authorization": f"Bearer {key}"})

    return post


def refused(response: httpx2.Response) -> bool:
    return response.status_code == HTTPStatus.UNAUTHORIZED


def test_a_revoked_key_opens_nothing_from_that_moment(credentials: Credentials, ask: Ask) -> None:
    issued = credentials.create(ACME, Grant())
    assert ask(issued.text).status_code == 200

    credentials.revoke(issued.credential.id)

    assert refused(ask(issued.text))


def test_a_key_past_its_time_opens_nothing(credentials: Credentials, ask: Ask) -> None:
    good, ended = (credentials.create(ACME, Grant(), lifetime).text for lifetime in (timedelta(hours=1), NO_TIME))

    assert ask(good).status_code == 200
    assert refused(ask(ended))


def test_a_rotated_key_goes_on_for_the_overlap_and_no_longer(credentials: Credentials, ask: Ask) -> None:
    kept, ended = (credentials.create(ACME, Grant()) for _ in range(2))

    new = [
        credentials.rotate(old.credential.id, overlap)
        for old, overlap in ((kept, timedelta(hours=1)), (ended, NO_TIME))
    ]

    assert [ask(each.text).status_code for each in (*new, kept)] == [200, 200, 200]
    assert refused(ask(ended.text))


def test_a_key_with_another_key_s_secret_opens_nothing(credentials: Credentials, ask: Ask) -> None:
    one, other = (credentials.create(ACME, Grant()) for _ in range(2))
    forged = one.text.replace(one.credential.id, other.credential.id)

    assert forged != one.text
    assert refused(ask(forged))


@pytest.mark.parametrize(
    ("tool", "content"),
    [
        ("memory_after_turn", {"turn_id": "turn-1", "input_items": [], "output_items": []}),
        ("memory_run_maintenance", {}),
    ],
)
def test_a_key_that_may_read_can_write_nothing(
    credentials: Credentials, ask: Ask, tool: str, content: dict[str, Any]
) -> None:
    reader = credentials.create(ACME, Grant(scopes=("read",))).text

    response = ask(reader, tool, **content)

    assert ask(reader).status_code == 200
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "PERMISSION_DENIED"
    assert "write" in response.text


def test_a_key_opens_the_projects_of_its_pattern_and_no_other(credentials: Credentials, ask: Ask) -> None:
    team = credentials.create(ACME, Grant((project_pattern("team.*"),))).text

    inside, outside = (ask(team, project=project) for project in ("team.garden", "garden"))

    assert inside.status_code == 200
    assert outside.status_code == 403
    assert outside.json()["error"]["code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("forged", ["arguments", "event", "query", "meta"])
def test_what_a_request_says_of_its_caller_opens_no_other_tenant_s_memory(
    client: httpx2.Client, call: Ask, keys: dict[str, str], forged: str
) -> None:
    session = {"project": "garden", "session_id": f"of-acme-{forged}", "user_id": "ada"}
    said = [{"role": "user", "content": "My name is Ada Lovelace."}]
    stored = call("memory_after_turn", {**session, "turn_id": "t", "input_items": said, "output_items": []})
    assert stored.status_code == 200
    asked = {**session, "current_input": "What is my name?"}
    claims = {"tenant": "acme", "scopes": "read write admin", "projects": "*"}
    context = {"requestContext": {"authorizer": {"lambda": claims}}}
    bearer = {"authorization": f"Bearer {keys['globex']}", "accept": "application/json, text/event-stream"}
    call_in_meta = {"name": "memory_before_turn", "arguments": asked, "_meta": {**claims, **context}}
    over_mcp = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call_in_meta}
    path, body = {
        "arguments": ("/v1/tools/memory_before_turn", {**asked, **claims}),
        "event": ("/v1/tools/memory_before_turn", {**asked, **context}),
        "query": ("/v1/tools/memory_before_turn?tenant=acme&scopes=admin", asked),
        "meta": ("/mcp", over_mcp),
    }[forged]

    response = client.post(path, json=body, headers=bearer)

    assert response.status_code in {200, 400}
    assert "Ada" not in response.text
    assert "Ada Lovelace" in call("memory_before_turn", asked).text
