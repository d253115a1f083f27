"""The page of what is known, as MCP tells of it: to clients that show pages alone, in both eras and over stdio."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.access.api_keys import Grant, project_pattern
from cairn.conversation.token_count import count
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call
from cairn_mcp import apps, page
from cairn_mcp.live import Client as LiveClient
from cairn_mcp.live import LiveTools
from cairn_mcp.profiles import AGENT
from cairn_mcp.protocol import answer_message
from cairn_mcp.toolbox import server
from cairn_tools.catalog import CATALOG
from support.mcp_library import Client, say

EventOf: TypeAlias = Callable[..., dict[str, Any]]
SHOWS = {"extensions": {apps.EXTENSION: {"mimeTypes": [apps.PAGE_TYPE]}}}
OTHER = {"extensions": {apps.EXTENSION: {"mimeTypes": ["text/uri-list"]}}}
HIDDEN = ["memory_correct", "memory_restore"]
ADA = {"project": "owner/garden", "user_id": "ada"}
MOST_TOKENS = 130
MOST_BYTES = 30_000
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.sampled_from(["extensions", apps.EXTENSION, "mimeTypes"]), part),
)


@pytest.fixture
def client(event_of: EventOf, call: Call) -> Client:
    say(call, "monday", "1", "I'm allergic to peanuts.")
    return Client(event_of)


def begun(client: Client, capabilities: Mapping[str, Any], *, modern: bool) -> Client:
    """Return the client as it is once it has declared its capabilities, as its era does."""
    if modern:
        return replace(client, modern=True, capabilities=capabilities)
    given = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "chat"}}
    response = client.respond("initialize", given)
    session = {name: value for name, value in response["headers"].items() if name == apps.SESSION_HEADER}
    return replace(client, headers={**client.headers, **session})


def tools(client: Client) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in client.ask("tools/list")["result"]["tools"]}


def for_models(listed: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a host puts into prompts: no tool of the page alone, and nothing that is its own."""
    shown = [each for each in listed.values() if each.get("_meta", {}).get("ui", {}).get("visibility") != ["app"]]
    return [{key: value for key, value in each.items() if key != "_meta"} for each in shown]


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent", "/mcp/hooks"])
def test_a_client_that_shows_pages_is_told_which_tool_has_one_and_what_the_page_calls(
    client: Client, path: str, *, modern: bool
) -> None:
    listed = tools(begun(replace(client, path=path), SHOWS, modern=modern))

    assert listed[page.SHOWN]["_meta"] == {"ui": {"resourceUri": page.URI}, "ui/resourceUri": page.URI}
    assert {name: listed[name]["_meta"] for name in HIDDEN} == {
        each: {"ui": {"visibility": ["app"]}} for each in HIDDEN
    }
    assert "forget" in listed
    assert [name for name, tool in listed.items() if "_meta" in tool] == [page.SHOWN, *HIDDEN]


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent", "/mcp/hooks"])
def test_other_clients_pay_nothing_for_it_and_those_that_show_it_a_line(
    client: Client, path: str, *, modern: bool
) -> None:
    client = replace(client, path=path)
    plain = [tools(begun(client, each, modern=modern)) for each in ({}, OTHER)]
    listed = for_models(tools(begun(client, SHOWS, modern=modern)))

    assert [list(each) for each in plain] == [[each["name"] for each in listed if each["name"] != page.SHOWN]] * 2
    assert all(for_models(each) == [every for every in listed if every["name"] != page.SHOWN] for each in plain)
    assert tokens(listed) - tokens(list(plain[0].values())) <= MOST_TOKENS


def tokens(listed: object) -> int:
    return count(json.dumps(listed, ensure_ascii=False, separators=(",", ":")))


def test_what_hidden_tools_say_of_a_field_is_said_again_to_the_model(client: Client) -> None:
    listed = tools(begun(client, SHOWS, modern=True))

    for tool in HIDDEN:
        assert all("description" in field for field in listed[tool]["inputSchema"]["properties"].values()), tool


@pytest.mark.parametrize("modern", [False, True])
def test_the_server_announces_the_extension_to_those_who_declare_it(client: Client, *, modern: bool) -> None:
    method = "server/discover" if modern else "initialize"
    client = replace(client, modern=modern)

    announced = [
        replace(client, capabilities=each)
        .ask(method, protocolVersion="2025-11-25", capabilities=each)["result"]["capabilities"]
        .get("extensions")
        for each in (SHOWS, OTHER, {})
    ]

    assert announced == [{apps.EXTENSION: {}}, None, None]


def test_only_clients_that_show_pages_get_a_session_and_each_its_own(client: Client) -> None:
    shown = [begun(client, SHOWS, modern=False).headers for _ in range(2)]

    assert all(re.fullmatch(r"pages-[0-9a-f]{32}", each[apps.SESSION_HEADER]) for each in shown)
    assert shown[0] != shown[1]
    assert [begun(client, each, modern=False).headers for each in ({}, OTHER)] == [{}, {}]
    failed = client.respond("initialize", {"capabilities": SHOWS})
    assert apps.SESSION_HEADER not in failed["headers"]


def test_a_session_of_another_server_shows_no_page(client: Client) -> None:
    assert page.SHOWN not in tools(replace(client, headers={apps.SESSION_HEADER: "7f3a"}))


@given(JSON)
def test_whatever_capabilities_are_declared_only_those_for_this_kind_of_page_count(declared: Any) -> None:
    kinds = [apps.PAGE_TYPE]
    assert not apps.shows_pages(declared)
    assert apps.shows_pages({"extensions": {apps.EXTENSION: {"mimeTypes": [declared, *kinds]}, "x": declared}})


@pytest.mark.parametrize("modern", [False, True])
def test_the_page_is_read_as_html_of_mcp_apps_that_may_reach_nothing(client: Client, *, modern: bool) -> None:
    shows = begun(client, SHOWS, modern=modern)
    (content,) = shows.ask("resources/read", uri=page.URI)["result"]["contents"]

    assert (content["uri"], content["mimeType"]) == (page.URI, "text/html;profile=mcp-app")
    assert content["_meta"]["ui"]["csp"].keys() >= {"connectDomains", "resourceDomains"}
    assert not any(content["_meta"]["ui"]["csp"].values())
    assert content["text"] == page.document()


@pytest.mark.parametrize("modern", [False, True])
def test_the_page_is_listed_first_once_and_for_those_who_show_it(
    client: Client, call: Call, *, modern: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn_mcp.resources.PAGE", 1)
    say(call, "tuesday", "1", "I keep bees.")
    shows, plain = (begun(client, each, modern=modern).uris() for each in (SHOWS, {}))

    assert shows == [page.URI, *plain]
    assert len(plain) == 2


@pytest.mark.parametrize("modern", [False, True])
def test_the_answer_tells_the_page_which_tools_it_may_call_and_others_nothing(client: Client, *, modern: bool) -> None:
    asked = {"name": page.SHOWN, "arguments": ADA}
    shown, plain = (begun(client, each, modern=modern).ask("tools/call", **asked)["result"] for each in (SHOWS, {}))

    assert [fact["value"] for fact in shown["structuredContent"]["facts"]] == ["peanuts"]
    assert json.loads(shown["content"][0]["text"]) == shown["structuredContent"]
    assert set(shown["_meta"][page.MAY]) == {"forget", page.SHOWN, *HIDDEN}
    assert page.MAY not in plain.get("_meta", {})


def test_a_key_that_reads_only_is_shown_the_page_without_what_changes_memory(
    client: Client, services: Services
) -> None:
    grant = Grant((project_pattern("*"),), scopes=("read",))
    key = services.credentials.create(Tenant("acme"), grant).text
    shows = begun(replace(client, key=key), SHOWS, modern=True)

    assert page.SHOWN in tools(shows)
    assert not {*HIDDEN, "forget"} & tools(shows).keys()
    told = shows.ask("tools/call", name=page.SHOWN, arguments=ADA)["result"]
    assert told["_meta"][page.MAY] == [page.SHOWN]


def test_a_key_that_may_not_read_finds_no_page(client: Client, services: Services) -> None:
    grant = Grant((project_pattern("*"),), scopes=("write",))
    key = services.credentials.create(Tenant("acme"), grant).text
    shows = begun(replace(client, key=key), SHOWS, modern=True)

    assert page.SHOWN not in tools(shows)
    assert shows.uris() == []
    assert shows.ask("resources/read", uri=page.URI)["error"]["data"] == {"uri": page.URI}


def test_a_key_of_one_user_and_project_asks_and_changes_without_naming_them(client: Client, services: Services) -> None:
    grant = Grant((project_pattern("owner/garden"),), users=(UserId("ada"),))
    key = services.credentials.create(Tenant("acme"), grant).text
    shows = begun(replace(client, key=key), SHOWS, modern=False)

    assert tools(shows)[page.SHOWN]["inputSchema"]["properties"] == {}
    (fact,) = shows.ask("tools/call", name=page.SHOWN, arguments={})["result"]["structuredContent"]["facts"]
    corrected = shows.ask(
        "tools/call", name="memory_correct", arguments={"memory_id": fact["id"], "content": "hazelnuts"}
    )
    (now,) = shows.ask("tools/call", name=page.SHOWN, arguments={})["result"]["structuredContent"]["facts"]
    shows.ask("tools/call", name="memory_restore", arguments={"memory_id": fact["id"]})
    (again,) = shows.ask("tools/call", name=page.SHOWN, arguments={})["result"]["structuredContent"]["facts"]

    assert corrected["result"]["isError"] is False
    assert [now["value"], again["value"]] == ["hazelnuts", "peanuts"]


@pytest.mark.parametrize("modern", [False, True])
def test_a_path_with_few_tools_takes_the_page_s_calls_from_clients_that_show_it_alone(
    client: Client, *, modern: bool
) -> None:
    agent = replace(client, path="/mcp/agent")
    shown, plain = (
        begun(agent, each, modern=modern).ask("tools/call", name=page.SHOWN, arguments=ADA) for each in (SHOWS, {})
    )

    assert shown["result"]["isError"] is False
    assert plain["error"]["message"].startswith("Unknown tool")


def test_a_connection_over_stdio_remembers_that_its_client_shows_pages(call: Call) -> None:
    toolbox = LiveTools(CATALOG, call, AGENT, client=LiveClient())

    def listed(session: str | None) -> set[str]:
        body: Any = answer_message(server(AGENT), request("tools/list"), None, toolbox, session).body
        return {each["name"] for each in body["result"]["tools"]}

    given = {"protocolVersion": "2025-11-25", "capabilities": SHOWS}
    begins = answer_message(server(AGENT), request("initialize", given), None, toolbox)

    assert page.SHOWN in listed(begins.headers[apps.SESSION_HEADER])
    assert page.SHOWN not in listed(None)


def request(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}


def test_every_tool_and_argument_of_the_page_is_one_of_the_catalog_s() -> None:
    inputs = {tool.name: set(tool.input_schema()["properties"]) for tool in CATALOG}

    assert inputs.keys() >= page.USED
    for name, shown in page.TOOLS.items():
        assert set(shown) <= inputs[name], name


def test_the_page_is_one_small_document_that_asks_nothing_of_the_web() -> None:
    text = page.document()

    assert len(text.encode()) < MOST_BYTES
    assert text.startswith("<!doctype html>")
    assert [text.count(each) for each in ("<style>", "</style>", "<script>", "</script>")] == [1, 1, 1, 1]
    assert re.findall(r"https?://|//[a-z0-9.-]+\.[a-z]{2,}/|\bsrc=|\bhref=|@import|url\(|\bimport\b", text) == []


def test_the_page_makes_no_markup_of_what_it_is_given() -> None:
    script = page.document().partition("<script>")[2]

    assert (
        re.findall(r"(inner|outer)HTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\(", script) == []
    )
