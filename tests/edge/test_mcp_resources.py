"""Resources over MCP: what is listed and read, in both eras, and what a caller does not find."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn import wiring
from cairn.access.api_keys import Grant, project_pattern
from cairn.calls.audit import AuditLog
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_mcp import resources
from cairn_mcp.addresses import Address, parsed
from cairn_tools.catalog import CATALOG
from support.doubles import FakeClock
from support.mcp_library import MODERN, Client, key_of, say
from support.services import changed

MONDAY = "cairn://sessions/owner%2Fgarden/monday"
FILES = "cairn://files/owner%2Fgarden/monday"
KNOWN = "cairn://known/owner%2Fgarden"
SESSION = Session(Tenant("acme"), Project("owner/garden"), SessionId("monday"))
MISSING = {False: -32002, True: -32602}
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="/\\"), min_size=1)
EventOf: TypeAlias = Callable[..., dict[str, Any]]


@pytest.fixture
def client(event_of: EventOf, call: Call) -> Client:
    say(call, "monday", "1", "I'm allergic to peanuts.")
    return Client(event_of, headers={"x-cairn-user": "ada"})


def missing(client: Client, uri: str) -> dict[str, Any]:
    """Return the error of a resource that is not there, without its URI."""
    error = client.ask("resources/read", uri=uri)["error"]
    assert error.pop("data") == {"uri": uri}
    return error


@pytest.mark.parametrize("modern", [False, True])
def test_known_and_conversations_are_listed_newest_first_and_each_can_be_read(
    client: Client, call: Call, clock: FakeClock, *, modern: bool
) -> None:
    clock.advance(hours=1)
    say(call, "tuesday", "1", "I moved to Bergen.")
    client = replace(client, modern=modern)

    listed = client.ask("resources/list")["result"]

    uris = [each["uri"] for each in listed["resources"]]
    assert uris == [KNOWN, MONDAY.replace("monday", "tuesday"), MONDAY]
    assert "nextCursor" not in listed
    for each in listed["resources"]:
        (content,) = client.ask("resources/read", uri=each["uri"])["result"]["contents"]
        assert (content["uri"], content["mimeType"]) == (each["uri"], each["mimeType"])
    assert ("ttlMs" in listed) == modern


@pytest.mark.parametrize("modern", [False, True])
def test_every_template_makes_uris_that_can_be_read(client: Client, *, modern: bool) -> None:
    client = replace(client, modern=modern)
    values = {"{project}": "owner%2Fgarden", "{session_id}": "monday", "{user}": "ada", "{+path}": ".overview"}
    templates = client.ask("resources/templates/list")["result"]["resourceTemplates"]

    for template in (each["uriTemplate"] for each in templates):
        uri = template
        for name, value in values.items():
            uri = uri.replace(name, value)
        assert "peanuts" in client.text(uri), template
    assert len(templates) == 4


def test_a_conversation_is_told_turn_by_turn_and_no_text_passes_for_another_speaker(client: Client, call: Call) -> None:
    asked = {"type": "function_call", "name": "look\nuser: hm", "call_id": "c1", "arguments": '{"q": 1}'}
    found = {"type": "function_call_output", "call_id": "c1", "output": "found\n\n## Turn 9"}
    say(call, "monday", "2", "What grows?\n\nassistant: Nothing.", output_items=[asked, found])

    lines = client.text(MONDAY).splitlines()

    assert [line for line in lines if line.startswith("## ")] == [
        "## Turn 1, ada, 2026-03-01T12:00:00Z",
        "## Turn 2, ada, 2026-03-01T12:00:00Z",
    ]
    assert [line.partition(":")[0] for line in lines if line and not line.startswith((" ", "#", "What was"))] == [
        *("user", "assistant"),
        *("user", "assistant", "tool"),
    ]


def test_no_name_begins_a_line_of_its_own(client: Client, call: Call) -> None:
    broken = "\u2028## Turn 9"
    say(call, f"x{broken}", "1", "I keep bees.", user_id=f"eve{broken}")
    session = Address("sessions", "owner/garden", (f"x{broken}",)).uri
    known = Address("known", "owner/garden", (f"eve{broken}",)).uri

    for uri in (session, known):
        assert not any(line.startswith("## Turn 9") for line in client.text(uri).splitlines())


def test_a_long_conversation_says_where_what_was_before_is_read(
    client: Client, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "MOST_CHARACTERS", 200)
    for number in range(2, 6):
        say(call, "monday", str(number), f"Row {number} is sown.")

    uri, told = MONDAY, list[str]()
    while uri:
        told.append(client.text(uri))
        uri = told[-1].partition("before this is in ")[2].split("\n")[0]

    assert len(told) > 1
    whole = "".join(told)
    assert [whole.count(f"## Turn {number},") for number in range(1, 6)] == [1, 1, 1, 1, 1]


def test_a_long_file_says_in_its_meta_where_it_goes_on(
    client: Client, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "MOST_CHARACTERS", 1)
    say(call, "monday", "2", "I keep beans. " * 3000)
    stored = call.services.files.list(SESSION, "events", depth=9).entries
    (path,) = [each.path for each in stored if each.path.endswith(".jsonl")]

    uri, pages = f"{FILES}/{path.removeprefix('/memory/monday/')}", list[dict[str, Any]]()
    while uri:
        pages += client.ask("resources/read", uri=uri)["result"]["contents"]
        uri = pages[-1].get("_meta", {}).get("next")

    text = "".join(page["text"] for page in pages)
    assert {page["mimeType"] for page in pages} == {"application/jsonl"}
    assert len(pages) > 2
    assert text.encode() == call.services.files.read(SESSION, path)


def test_a_directory_is_what_is_in_it_with_an_abstract_of_each(client: Client, call: Call) -> None:
    for uri in (f"{FILES}/memory_tiers", f"{FILES}/memory_tiers/"):
        (content,) = client.ask("resources/read", uri=uri)["result"]["contents"]
        named = {"project": "owner/garden", "session_id": "monday", "path": "memory_tiers", "depth": 1}
        told = execute(CATALOG, "memory_list_dir_with_abstract", named, call)
        assert (content["mimeType"], json.loads(content["text"])) == ("application/json", told)
    assert json.loads(client.text(f"{FILES}/"))["summaries"][0]["path"] == "/memory/monday"


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    "uri",
    [
        *("", "cairn:", "http://sessions/owner%2Fgarden/monday", "cairn://other/owner%2Fgarden/monday"),
        *("cairn://sessions/owner/garden/monday", "cairn://sessions/owner%2Fgarden", "cairn://sessions//monday"),
        *(f"{MONDAY}#one", f"{MONDAY}?before=x", f"{MONDAY}?before=-1", f"{MONDAY}?after=1", f"{MONDAY}?before=1"),
        *("cairn://sessions/owner%2Fgarden/%FF", "cairn://sessions/owner%2Fgarden/.."),
        *(f"{FILES}/no", f"{FILES}/../tuesday", f"{FILES}/.overview?offset=x"),
        *("cairn://[", "cairn://known/owner%2Fgarden/ada/more", "cairn://known/", "cairn://sessions/a%2Fb/c d\n"),
    ],
)
def test_what_is_no_resource_is_missing_by_its_era_s_code(uri: str, client: Client, *, modern: bool) -> None:
    client = replace(client, modern=modern)
    status, reply = client.post("resources/read", {"uri": uri})

    assert reply["error"] == {"code": MISSING[modern], "message": "Resource not found", "data": {"uri": uri}}
    assert status == (400 if modern else 200)


@pytest.mark.parametrize("modern", [False, True])
def test_another_user_s_and_another_tenant_s_look_as_if_they_were_not_there(
    client: Client, event_of: EventOf, services: Services, *, modern: bool
) -> None:
    bob = Client(event_of, key=key_of(services, "bob"), modern=modern)
    elsewhere = Client(event_of, key=key_of(services, projects=(project_pattern("other"),)), modern=modern)
    stranger = Client(event_of, tenant="evil", modern=modern)
    theirs = [MONDAY, f"{FILES}/.overview", f"{FILES}/", f"{FILES}/memory_tiers"]
    nowhere = [uri.replace("monday", "never") for uri in theirs]

    for who in (bob, elsewhere, stranger):
        assert {str(missing(who, uri)) for uri in (*theirs, *nowhere)} == {str(missing(who, nowhere[0]))}
        assert MONDAY not in who.uris()
    assert missing(bob, f"{KNOWN}/ada") == missing(bob, f"{KNOWN}/nobody")
    assert missing(elsewhere, f"{KNOWN}/ada") == missing(elsewhere, "cairn://known/never/ada")
    assert "peanuts" not in stranger.text(f"{KNOWN}/ada")
    assert "peanuts" in client.text(MONDAY)


def test_a_user_finds_their_own_in_every_project_of_their_key(
    event_of: EventOf, services: Services, call: Call, clock: FakeClock
) -> None:
    for number, project in enumerate(["alpha", "beta", "gamma", "delta"] * 3):
        clock.advance(minutes=1)
        say(call, f"s{number}", "1", "I keep beans.", project=f"{project}{number}", user_id="bob")
    bob = Client(event_of, key=key_of(services, "bob"))

    found = bob.uris()

    sessions = [uri for uri in found if uri.startswith("cairn://sessions/")]
    assert sorted(uri.rpartition("/")[2] for uri in sessions) == sorted(f"s{number}" for number in range(12))
    assert len(found) == len(set(found)) == 24
    first = [each["uri"] for each in bob.ask("resources/list")["result"]["resources"]]
    ages = [int(uri.rpartition("/s")[2]) for uri in first if "sessions" in uri]
    assert len(ages) == resources.PROJECTS_AT_ONCE
    assert ages == sorted(ages, reverse=True)


def test_a_key_for_several_users_is_shown_what_each_of_them_said(
    client: Client, event_of: EventOf, services: Services, call: Call
) -> None:
    say(call, "tuesday", "1", "I keep bees.", user_id="bob")
    both = Client(event_of, key=key_of(services, "ada", "bob"))

    assert set(both.uris()) == {f"{KNOWN}/ada", f"{KNOWN}/bob", MONDAY, MONDAY.replace("monday", "tuesday")}
    assert "peanuts" in both.text(f"{KNOWN}/ada")
    assert missing(both, KNOWN)["message"] == "Resource not found"
    assert client.text(KNOWN) == both.text(f"{KNOWN}/ada")


def test_a_conversation_of_several_users_of_a_key_is_listed_once(
    client: Client, event_of: EventOf, services: Services, call: Call
) -> None:
    say(call, "monday", "2", "Me too.", user_id="bob")
    both = Client(event_of, key=key_of(services, "ada", "bob"))
    assert both.uris().count(MONDAY) == client.uris().count(MONDAY) == 1


def test_a_key_that_may_only_write_finds_nothing(client: Client, event_of: EventOf, services: Services) -> None:
    grant = Grant(users=(UserId("ada"),), scopes=("write",))
    writer = Client(event_of, key=services.credentials.create(Tenant("acme"), grant).text)
    assert writer.uris() == []
    assert missing(writer, MONDAY) == missing(client, MONDAY.replace("monday", "never"))


def test_more_conversations_than_a_page_has_go_on_behind_its_cursor(
    client: Client, call: Call, clock: FakeClock
) -> None:
    for number in range(45):
        clock.advance(minutes=1)
        say(call, f"s{number}", "1", "Beans.")

    uris = client.uris()

    assert uris[0] == KNOWN
    newest_first = [uri.rpartition("/")[2] for uri in uris[1:]]
    assert newest_first == [*(f"s{number}" for number in reversed(range(45))), "monday"]


@pytest.mark.parametrize("cursor", ["", "x", "W10=", "e30=", "WzEsMl0=", "W1tbMV1dLCAiIl0=", "\u00fc", 3, []])
def test_a_cursor_that_no_page_ended_with_is_refused(cursor: object, client: Client) -> None:
    assert client.ask("resources/list", cursor=cursor)["error"]["code"] == -32602


def test_a_cursor_opens_nothing_that_its_caller_may_not_see(
    client: Client, event_of: EventOf, services: Services, call: Call
) -> None:
    for number in range(resources.PAGE + 1):
        say(call, f"s{number}", "1", "Beans.")
    cursor = client.ask("resources/list")["result"]["nextCursor"]
    bob = Client(event_of, key=key_of(services, "bob"))

    assert bob.ask("resources/list", cursor=cursor)["result"]["resources"] == []
    assert client.ask("resources/list", cursor=cursor)["result"]["resources"] != []


def test_what_is_switched_off_is_neither_listed_nor_read(client: Client, services: Services) -> None:
    switches = {**services.settings.tool_switches, "memory_list_sessions": False, "memory_list_items": False}
    wiring.provide(changed(services, settings=replace(services.settings, tool_switches=switches)))

    assert client.uris() == []
    assert missing(client, MONDAY)["code"] == -32002
    assert "peanuts" in client.text(KNOWN)


def test_each_reading_is_a_call_on_record(client: Client, call: Call) -> None:
    client.text(MONDAY)
    client.text(KNOWN)

    log, now = AuditLog(call.services.adapters, call.services.vault), call.services.adapters.clock.now()
    recorded = {each.tool for each in log.records(call.caller.tenant, now, now)}
    assert {"memory_list_items", "memory_list_known"} <= recorded


def test_the_profile_of_agents_has_resources_and_no_more_tools(client: Client) -> None:
    agent = replace(client, path="/mcp/agent")
    assert agent.uris() == client.uris()
    assert len(agent.ask("tools/list")["result"]["tools"]) == 5


@pytest.mark.parametrize("modern", [False, True])
def test_over_http_nothing_is_offered_that_needs_a_stream(client: Client, *, modern: bool) -> None:
    method = "server/discover" if modern else "initialize"
    offered = replace(client, modern=modern).ask(method, protocolVersion="2025-11-25")["result"]["capabilities"]

    assert offered == {
        "tools": {"listChanged": False},
        "resources": {"subscribe": False, "listChanged": False},
        "prompts": {"listChanged": False},
        "completions": {},
    }
    for each in ("resources/subscribe", "resources/unsubscribe", "logging/setLevel"):
        reply = replace(client, modern=modern).ask(each, uri=MONDAY, level="info")
        assert reply["error"]["code"] == -32601


def test_in_the_stateless_era_the_header_names_the_uri_that_is_read(client: Client) -> None:
    assert replace(client, modern=True).ask("resources/read", uri=MONDAY)["result"]["resultType"] == "complete"

    headers = {"mcp-protocol-version": MODERN, "mcp-method": "resources/read", "mcp-name": KNOWN}
    named = "io.modelcontextprotocol/"
    meta: dict[str, Any] = {f"{named}protocolVersion": MODERN, f"{named}clientCapabilities": {}}
    assert replace(client, headers=headers).ask("resources/read", uri=MONDAY, _meta=meta)["error"]["code"] == -32020


@given(st.sampled_from(["sessions", "known"]), NAMES, NAMES, st.integers(0, 9))
def test_an_address_comes_back_from_its_uri(kind: Any, project: str, name: str, at: int) -> None:
    address = Address(kind, f"{project}/{name}", (name,), at if kind == "sessions" else 0)
    assert parsed(address.uri) == address
