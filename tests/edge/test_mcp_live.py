"""What a client over standard input and output is told besides answers: progress, log lines, changes."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.telemetry import logs
from cairn.tool.call import Call
from cairn_mcp import apps, page
from cairn_mcp import stateless as modern
from cairn_mcp.profiles import WHOLE
from cairn_mcp.stdio import talk
from support.mcp_library import say

SECONDS = 20
MONDAY = {"project": "owner/garden", "session_id": "monday"}
URI = "cairn://sessions/owner%2Fgarden/monday"
LEVEL = "io.modelcontextprotocol/logLevel"
META: dict[str, Any] = {modern.VERSION_KEY: "2026-07-28", modern.CAPABILITIES_KEY: {}}
RECALL = {**MONDAY, "query": "What grows?"}


class Client:
    """A client of the whole catalog, spoken to through pipes."""

    def __init__(self, call: Call) -> None:
        inwards, self._out = os.pipe()
        self._in, outwards = os.pipe()
        self._lines = os.fdopen(self._in, "rb")
        self._executor = ThreadPoolExecutor(1)
        self.ended: Future[None] = self._executor.submit(talk, call, WHOLE, inwards, outwards)
        self.ended.add_done_callback(lambda _: (os.close(inwards), os.close(outwards)))
        self._asked = 0

    def ask(self, method: str, **params: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return what the client was told before the reply, and the reply."""
        self._asked += 1
        self.send({"id": self._asked, "method": method, "params": params})
        told: list[dict[str, Any]] = []
        while "id" not in (line := self.line()):
            told.append(line)
        assert line["id"] == self._asked
        return told, line

    def send(self, message: dict[str, Any]) -> None:
        os.write(self._out, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def line(self) -> dict[str, Any]:
        return json.loads(self._lines.readline())

    def call(self, tool: str, arguments: object, **meta: Any) -> list[dict[str, Any]]:
        """Call a tool that works, and return what the client was told meanwhile."""
        told, reply = self.ask("tools/call", name=tool, arguments=arguments, _meta=meta)
        assert reply["result"]["isError"] is False, reply
        return told

    def close(self) -> None:
        os.close(self._out)
        self.ended.result(SECONDS)
        self._executor.shutdown()
        self._lines.close()


@pytest.fixture
def client(call: Call, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    say(call, "monday", "1", "I keep beans.")
    monkeypatch.setattr(logging.getLogger("cairn"), "handlers", [])
    logs.configure()
    client = Client(call)
    yield client
    client.close()


def progress(told: list[dict[str, Any]]) -> list[tuple[object, int, int]]:
    """Return the token, how far and of how much of each notification of progress; there are no others."""
    assert {each["method"] for each in told} <= {"notifications/progress"}
    return [tuple(each["params"][name] for name in ("progressToken", "progress", "total")) for each in told]  # pyright: ignore[reportReturnType] - three of them


def step(name: str, tool: str = "recall", arguments: object = RECALL) -> dict[str, Any]:
    return {"id": name, "tool": tool, "arguments": arguments}


@pytest.mark.parametrize("meta", [{}, META])
def test_a_pipe_tells_of_its_groups_as_they_end(client: Client, meta: dict[str, Any]) -> None:
    inner = {"steps": [step("c"), [step("d"), step("e")]]}
    steps = [step("a"), [step("b"), step("f", "mcp_pipe", inner)], step("g")]

    told = client.call("mcp_pipe", {"steps": steps}, progressToken="p", **meta)

    assert progress(told) == [("p", 0, 3), ("p", 1, 3), ("p", 2, 3), ("p", 3, 3)]


def test_a_pipe_that_fails_tells_how_far_it_came(client: Client) -> None:
    steps = [step("a"), step("b", "no_such_tool"), step("c")]

    told = client.call("mcp_pipe", {"steps": steps}, progressToken=7)

    assert progress(told)[:2] == [(7, 0, 3), (7, 1, 3)]
    assert (7, 3, 3) not in progress(told)


def test_maintenance_tells_when_it_begins_and_ends(client: Client) -> None:
    told = client.call("memory_run_maintenance", MONDAY, progressToken="m")
    assert progress(told) == [("m", 0, 1), ("m", 1, 1)]


@pytest.mark.parametrize("meta", [{}, {"progressToken": True}, {"progressToken": 1.5}, {"progressToken": None}])
def test_without_a_token_nothing_is_told(client: Client, meta: dict[str, Any]) -> None:
    assert client.call("memory_run_maintenance", MONDAY, **meta) == []
    assert client.call("mcp_pipe", {"steps": [step("a")]}, **meta) == []


def test_a_short_call_tells_nothing_of_progress(client: Client) -> None:
    assert client.call("recall", RECALL, progressToken="r") == []


def test_a_pipe_that_is_refused_tells_of_no_step(client: Client) -> None:
    told, reply = client.ask("tools/call", name="mcp_pipe", arguments={"steps": 3}, _meta={"progressToken": "p"})
    assert reply["result"]["isError"] is True
    assert told == []


def test_the_log_is_told_from_the_level_on_that_was_set_and_holds_no_content(client: Client) -> None:
    assert client.call("recall", RECALL) == []
    assert client.ask("logging/setLevel", level="info")[1]["result"] == {}

    told = client.call("recall", {**RECALL, "query": "Where are the heronbirds?"})

    assert {each["method"] for each in told} == {"notifications/message"}
    assert {(each["params"]["level"], each["params"]["logger"]) for each in told} == {("info", "cairn")}
    assert [each["params"]["data"]["message"] for each in told] == ["tool_call", "call", "tool_result"]
    assert "heronbirds" not in json.dumps(told)
    client.ask("logging/setLevel", level="notice")
    assert client.call("recall", RECALL) == []


def test_in_the_stateless_era_a_request_asks_for_its_own_lines_only(client: Client) -> None:
    told = client.call("recall", RECALL, **META, **{LEVEL: "info"})
    assert [each["params"]["data"]["message"] for each in told] == ["tool_call", "call", "tool_result"]
    assert client.call("recall", RECALL, **META, **{LEVEL: "error"}) == []
    assert client.call("recall", RECALL, **META, **{LEVEL: "loud"}) == []
    client.ask("logging/setLevel", level="debug")
    assert client.call("recall", RECALL, **META) == []
    assert client.ask("logging/setLevel", level="info", _meta=META)[1]["error"]["code"] == -32601


@pytest.mark.parametrize("level", [None, "loud", 3, [], "INFO"])
def test_what_is_no_level_is_refused(client: Client, level: object) -> None:
    assert client.ask("logging/setLevel", level=level)[1]["error"]["code"] == -32602


def turn(session: str) -> dict[str, Any]:
    said = {"input_items": [message("user", "Beans.")], "output_items": [message("assistant", "Yes.", "output_text")]}
    return {"project": "owner/garden", "session_id": session, "turn_id": "2", "user_id": "ada", **said}


def updated(told: list[dict[str, Any]]) -> list[str]:
    assert {each["method"] for each in told} <= {"notifications/resources/updated"}
    return [each["params"]["uri"] for each in told]


def test_a_subscriber_is_told_of_what_is_written_until_it_ends_that(client: Client) -> None:
    known = "cairn://known/owner%2Fgarden/ada"
    for uri in (URI, known):
        assert client.ask("resources/subscribe", uri=uri)[1]["result"] == {}

    assert updated(client.call("recall", RECALL)) == []
    assert updated(client.call("memory_after_turn", turn("tuesday"))) == [known]
    assert updated(client.call("mcp_pipe", {"steps": [step("a", "memory_after_turn", turn("monday"))]})) == [URI, known]
    assert client.ask("resources/unsubscribe", uri=known)[1]["result"] == {}
    assert updated(client.call("memory_run_maintenance", MONDAY)) == [URI]
    assert client.ask("resources/unsubscribe", uri=URI)[1]["result"] == {}
    assert updated(client.call("memory_run_maintenance", MONDAY)) == []


def test_what_is_missing_cannot_be_subscribed_to(client: Client) -> None:
    for uri in (URI.replace("monday", "never"), "cairn://no", "x", page.URI):  # the page never changes
        assert client.ask("resources/subscribe", uri=uri)[1]["error"]["code"] == -32002


def test_the_capabilities_say_what_this_transport_has(client: Client) -> None:
    for method, params in (("initialize", {"protocolVersion": "2025-11-25"}), ("server/discover", {"_meta": META})):
        offered = client.ask(method, **params)[1]["result"]["capabilities"]
        assert (offered["resources"]["subscribe"], offered["logging"]) == (True, {})
    assert client.ask("resources/subscribe", uri=URI, _meta=META)[1]["error"]["code"] == -32601
    assert client.ask("subscriptions/listen", notifications={})[1]["error"]["code"] == -32601


def test_in_the_stateless_era_a_request_listens_until_it_is_cancelled(client: Client) -> None:
    wanted = {"resourceSubscriptions": [URI, "cairn://no", page.URI, URI], "toolsListChanged": True}
    client.send({"id": "l", "method": "subscriptions/listen", "params": {"notifications": wanted, "_meta": META}})

    of_listen = {"io.modelcontextprotocol/subscriptionId": "l"}
    acknowledged = client.line()
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"] == {"notifications": {"resourceSubscriptions": [URI]}, "_meta": of_listen}
    client.ask("ping")
    (told,) = client.call("memory_run_maintenance", MONDAY)
    assert told["params"] == {"uri": URI, "_meta": of_listen}
    client.send({"method": "notifications/cancelled", "params": {"requestId": "l"}})
    assert client.call("memory_run_maintenance", MONDAY) == []


def test_a_client_says_at_its_handshake_that_it_shows_pages_and_is_told_of_the_page_from_then_on(
    client: Client,
) -> None:
    shows = {"extensions": {apps.EXTENSION: {"mimeTypes": [apps.PAGE_TYPE]}}}

    before = client.ask("tools/list")[1]["result"]["tools"]
    client.ask("initialize", protocolVersion="2025-11-25", capabilities=shows)
    client.ask("ping")
    after = client.ask("tools/list")[1]["result"]["tools"]

    assert {each["name"] for each in after} - {each["name"] for each in before} == {*page.TOOLS}


@pytest.mark.parametrize("uris", [3, "x", [3], {}])
def test_what_is_no_list_of_uris_cannot_be_listened_to(client: Client, uris: object) -> None:
    asked = {"notifications": {"resourceSubscriptions": uris}, "_meta": META}
    assert client.ask("subscriptions/listen", **asked)[1]["error"]["code"] == -32602


def test_afterwards_nobody_is_told_any_more(call: Call) -> None:
    before, handlers = call.services.observer, list(logging.getLogger("cairn").handlers)
    Client(call).close()
    assert call.services.observer is before
    assert logging.getLogger("cairn").handlers == handlers
