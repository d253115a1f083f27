"""The template, deployed: every tool through API Gateway, over HTTP and MCP, for whom it is meant and nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG
from support.hooks import answered, prompted
from support.routes import LISTED
from support.tool import FOR_AGENTS, check_example, http_status, outcome

pytestmark = pytest.mark.enable_socket


Call = Callable[..., httpx2.Response]
Mcp = Callable[..., dict[str, Any]]


@pytest.fixture
def session() -> dict[str, str]:
    return {"project": "garden", "session_id": f"s-{uuid4().hex}"}


@pytest.fixture
def turn(session: dict[str, str]) -> dict[str, Any]:
    said = [{"role": "user", "content": "My name is Ada Lovelace. I prefer raised beds."}]
    answered = [{"role": "assistant", "content": "Raised beds suit beans well."}]
    return {**session, "user_id": "ada", "turn_id": "turn-1", "input_items": said, "output_items": answered}


def test_health_needs_no_key_and_finds_table_bucket_and_key(client: httpx2.Client) -> None:
    response = client.get("/healthz")

    assert response.status_code == 200
    assert response.json()["stores"] == {"table": True, "blobs": True, "key": True}


def test_a_front_end_is_told_without_a_key_what_is_switched_on(client: httpx2.Client) -> None:
    response = client.get("/v1/runtime-config")

    assert response.status_code == 200
    assert response.json()["tools"]["memory"] is True


@pytest.mark.parametrize("path", ["/mcp", *(f"/v1/tools/{tool.name}" for tool in CATALOG if not tool.own_machine_only)])
def test_without_a_good_credential_every_route_answers_401(client: httpx2.Client, path: str) -> None:
    wrong = ("Bearer cairn_acme_wrong", "Bearer", "Basic Y2Fpcm46Y2Fpcm4=")
    for headers in ({}, {"x-api-key": "wrong"}, *({"authorization": each} for each in wrong)):
        response = client.post(path, json={}, headers=headers)
        assert response.status_code == 401, response.text
        assert response.headers["www-authenticate"] == "Bearer"
        assert "UNAUTHENTICATED" in response.text


def test_a_key_opens_the_same_in_either_header(call: Call, keys: dict[str, str], session: dict[str, str]) -> None:
    asked = {**session, "depth": 1}
    response = call("memory_list_dir_with_abstract", asked, None, **{"x-api-key": keys["acme"]})

    assert (response.status_code, response.text) == (200, call("memory_list_dir_with_abstract", asked).text)


@pytest.mark.req("R311")
def test_an_agents_hooks_reach_their_door_and_the_next_session_is_told(
    client: httpx2.Client, keys: dict[str, str]
) -> None:
    headers = {"authorization": f"Bearer {keys['acme']}", "x-cairn-project": "widget", "x-cairn-user": uuid4().hex}
    first, second = uuid4().hex, uuid4().hex
    events = (
        prompted("1", "We use pnpm in this project, never npm.", first),
        answered("1", "Noted.", first),
        prompted("2", "Which package manager does this project use?", second),
    )

    answers = [client.post("/v1/hooks/claude-code", json=event, headers=headers) for event in events]

    assert [each.status_code for each in answers] == [200, 200, 200]
    assert [each.json() for each in answers[:2]] == [{}, {}]
    assert "pnpm" in answers[2].json()["hookSpecificOutput"]["additionalContext"]


@pytest.mark.req("R248")
@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda each: each.name)
def test_every_tool_answers_alike_over_http_and_mcp(call: Call, mcp: Mcp, tool: Tool, session: dict[str, str]) -> None:
    own = {**session, "key": session["session_id"]}
    arguments = {name: own.get(name, value) for name, value in tool.example.items()}

    over_http = call(tool.name, arguments)
    over_mcp = mcp("tools/call", name=tool.name, arguments=arguments)

    assert over_http.status_code == http_status(tool), over_http.text
    assert over_mcp.get("isError", False) is (outcome(tool) != "OK"), over_mcp
    for answer in (over_http.json(), over_mcp["structuredContent"]):
        check_example(tool, answer)


def test_mcp_lists_the_catalog_without_what_has_a_route_of_its_own(mcp: Mcp) -> None:
    assert [each["name"] for each in mcp("tools/list")["tools"]] == [tool.name for tool in LISTED]


def test_a_turn_is_stored_once_however_often_it_is_sent(call: Call, turn: dict[str, Any]) -> None:
    first, second = call("memory_after_turn", turn).json(), call("memory_after_turn", turn).json()
    changed = call("memory_after_turn", {**turn, "output_items": [{"role": "assistant", "content": "Other."}]})

    assert (first["replayed"], first["events_written"]) == (False, 2)
    assert second["replayed"] is True
    assert changed.status_code == 409


def test_what_was_said_is_recalled_for_its_tenant_and_for_no_other(
    call: Call, session: dict[str, str], turn: dict[str, Any]
) -> None:
    asked = {**session, "user_id": "ada", "current_input": "What is my name?"}
    call("memory_after_turn", turn)

    own, other = call("memory_before_turn", asked), call("memory_before_turn", asked, "globex")

    assert "Ada Lovelace" in own.text
    assert own.json()["recall_fact_ids"]
    assert "Ada" not in other.text
    assert other.json()["recall_fact_ids"] == []


@pytest.mark.req("R293")
def test_what_was_said_is_found_by_its_meaning_where_no_word_is_the_same(call: Call, session: dict[str, str]) -> None:
    said = "My daughter started to play the violin last spring."
    for number, content in enumerate((said, "The invoice for the new dishwasher is overdue.")):
        items = [{"role": "user", "content": content}]
        turn = {
            "turn_id": f"turn-{number}",
            "input_items": items,
            "output_items": [{"role": "assistant", "content": "I see."}],
        }
        assert call("memory_after_turn", {**session, **turn}).status_code == 200

    found = call("recall", {**session, "query": "Which string instrument is my little girl learning?"}).json()

    assert found["memories"][0]["content"].endswith(said), found
    assert {each["source"] for each in found["memories"]} <= {"turn:hybrid", "turn:semantic"}, found


def test_a_header_that_claims_another_tenant_changes_nothing(
    call: Call, session: dict[str, str], turn: dict[str, Any]
) -> None:
    call("memory_after_turn", turn)
    asked = {**session, "user_id": "ada", "current_input": "What is my name?"}
    forged = {
        "x-tenant": "acme",
        "x-cairn-tenant": "acme",
        "x-amzn-request-context": '{"authorizer":{"tenant":"acme"}}',
    }

    assert "Ada" not in call("memory_before_turn", asked, "globex", **forged).text


def test_a_large_turn_goes_to_the_bucket_and_comes_back(
    call: Call, session: dict[str, str], turn: dict[str, Any], objects: Callable[[], list[bytes]]
) -> None:
    before = len(objects())
    long = " ".join(uuid4().hex for _ in range(4000))
    said = [{"role": "user", "content": long}]

    assert call("memory_after_turn", {**turn, "input_items": said}).status_code == 200
    back = call("memory_before_turn", {**session, "user_id": "ada", "current_input": "Go on."})

    assert long in back.text
    assert len(objects()) > before


def test_the_stores_hold_no_plain_content(call: Call, turn: dict[str, Any], stored: Callable[[], bytes]) -> None:
    assert call("memory_after_turn", turn).status_code == 200

    held = stored()

    for said in (b"Lovelace", b"raised beds", b"suit beans"):
        assert said not in held


def test_a_wrong_argument_is_the_caller_s_error_and_names_its_field(call: Call, turn: dict[str, Any]) -> None:
    response = call("memory_after_turn", {**turn, "session_id": "../other"})

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "INVALID_ARGUMENT"
    assert "session_id" in response.text
