"""The catalog over standard input and output: lines in, lines out, several calls at once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier, Event
from typing import Any

import pytest

from cairn.ground.settings import Limits
from cairn_mcp import stateless as modern
from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.server import Server, ToolCall
from cairn_mcp.stdio import _AT_ONCE, Connection  # pyright: ignore[reportPrivateUsage] - as many as it answers at once

META: dict[str, Any] = {modern.VERSION_KEY: "2026-07-28", modern.CAPABILITIES_KEY: {}}
SECONDS = 5


@dataclass
class Tools:
    """`wait` answers once `go` was called; `fail` fails in a way that nobody foresaw."""

    waiting: Event = field(default_factory=Event)
    gone: Event = field(default_factory=Event)

    def listing(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": "wait"}, {"name": "go"}]

    def call(self, call: ToolCall) -> Mapping[str, Any]:
        match call.name:
            case "wait":
                self.waiting.set()
                assert self.gone.wait(SECONDS)
            case "go":
                assert self.waiting.wait(SECONDS)
                self.gone.set()
            case "fail":
                raise LookupError("Ada's secret")
            case _:
                raise RpcError(INVALID_PARAMS, "Unknown tool")
        return {"content": [{"type": "text", "text": call.name}], "isError": False}


class Talk:
    """A session in this process, spoken to through pipes."""

    def __init__(self, tools: Tools) -> None:
        inwards, self._out = os.pipe()
        self._in, outwards = os.pipe()
        self._replies = os.fdopen(self._in, "rb")
        self._executor = ThreadPoolExecutor(1)
        session = Connection(Server("memory", "Memory", "1", ""), tools, Limits(), inwards, outwards)
        self.ended: Future[None] = self._executor.submit(session.serve)
        self.ended.add_done_callback(lambda _: (os.close(inwards), os.close(outwards)))

    def say(self, *messages: object) -> None:
        for message in messages:
            os.write(self._out, message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def end(self) -> None:
        os.close(self._out)

    def reply(self) -> Any:
        return json.loads(self._replies.readline())

    def rest(self) -> list[Any]:
        return [json.loads(line) for line in self._replies]

    def close(self) -> None:
        self.ended.result(SECONDS)
        self._executor.shutdown()
        self._replies.close()


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk(Tools())
    yield talk
    talk.close()


def call(number: int, tool: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, **params}}


def test_a_slow_call_holds_up_no_other(talk: Talk) -> None:
    talk.say(call(1, "wait"), call(2, "go"))
    talk.end()

    assert {each["id"]: each["result"]["content"][0]["text"] for each in talk.rest()} == {1: "wait", 2: "go"}


def test_what_was_asked_before_the_end_of_the_input_is_answered(talk: Talk) -> None:
    talk.say(call(1, "wait"), call(2, "go"), json.dumps(call(3, "go")).encode())
    talk.end()

    assert {each["id"] for each in talk.rest()} == {1, 2, 3}


def test_a_line_may_come_in_parts_and_several_at_once(talk: Talk) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    talk.say(ping[:10])
    talk.say(ping[10:] + b"\n\n\r\n" + ping.replace(b'"id": 1', b'"id": 2') + b"\n")

    assert sorted(talk.reply()["id"] for _ in range(2)) == [1, 2]
    talk.end()
    assert talk.rest() == []


def test_requests_of_both_eras_are_answered_and_notifications_are_not(talk: Talk) -> None:
    talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    talk.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert "resultType" not in talk.reply()["result"]
    talk.say({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": META}})
    assert talk.reply()["result"]["resultType"] == "complete"
    talk.say({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
    assert talk.reply()["result"]["protocolVersion"] == "2025-06-18"
    talk.end()
    assert talk.rest() == []


def cancelled(number: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number, "reason": "late"}}


def test_a_cancelled_request_is_answered_no_more(talk: Talk) -> None:
    talk.say(call(1, "wait"), cancelled(1), call(2, "go"))
    talk.end()

    assert [each["id"] for each in talk.rest()] == [2]


def test_a_request_is_cancelled_though_every_thread_has_one_to_answer() -> None:
    class Full(Tools):
        arrived = Barrier(_AT_ONCE + 1)

        def call(self, call: ToolCall) -> Mapping[str, Any]:
            self.arrived.wait(SECONDS)
            assert self.gone.wait(SECONDS)
            return {"content": [{"type": "text", "text": call.name}], "isError": False}

    tools = Full()
    talk = Talk(tools)
    numbers = range(1, _AT_ONCE + 1)
    talk.say(*(call(number, "wait") for number in numbers))
    tools.arrived.wait(SECONDS)
    talk.say(*(cancelled(number) for number in numbers[1:]), {"jsonrpc": "2.0", "id": 99, "method": "ping"})
    tools.gone.set()
    talk.end()

    assert sorted(each["id"] for each in talk.rest()) == [1, 99]
    talk.close()


@pytest.mark.parametrize("number", ["1", True, 1.0, None, [1], 7])
def test_a_cancellation_of_no_request_cancels_none(talk: Talk, number: object) -> None:
    talk.say(call(1, "wait"), cancelled(number), {**cancelled(1), "params": [1]}, call(2, "go"))
    talk.end()

    assert {each.get("id") for each in talk.rest()} >= {1, 2}


def test_an_id_that_comes_again_after_its_cancellation_is_answered(talk: Talk) -> None:
    talk.say(call(1, "wait"), cancelled(1), call(2, "go"), {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    talk.end()

    assert sorted((each["id"], each["result"] == {}) for each in talk.rest()) == [(1, True), (2, False)]


def test_of_a_batch_the_cancelled_request_alone_is_left_out(talk: Talk) -> None:
    talk.say([call(1, "wait"), {"jsonrpc": "2.0", "id": 3, "method": "ping"}], [cancelled(1)], call(2, "go"))
    talk.end()

    replies = talk.rest()
    assert [[one["id"] for one in each] for each in replies if isinstance(each, list)] == [[3]]  # pyright: ignore[reportUnknownVariableType] - JSON
    assert [each["id"] for each in replies if isinstance(each, dict)] == [2]


@pytest.mark.parametrize(
    ("sent", "code", "number"),
    [
        (b"{\n", -32700, None),
        (b'{"a": 1, "a": 2}\n', -32700, None),
        ([], -32600, None),
        ({"jsonrpc": "1.0", "id": 4, "method": "ping"}, -32600, 4),
        (call(4, "nothing"), -32602, 4),
        (call(4, "fail"), -32603, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": "nothing"}, -32601, 4),
        (call(4, "go", _meta={**META, modern.VERSION_KEY: "2031-01-01"}), -32022, 4),
        (call(4, "go", _meta={modern.VERSION_KEY: "2026-07-28"}), -32602, 4),
    ],
)
def test_what_cannot_be_answered_gets_an_error_and_the_next_request_an_answer(
    talk: Talk, sent: object, code: int, number: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    talk.say(sent, {"jsonrpc": "2.0", "id": 5, "method": "ping"})
    talk.end()

    replies = {each.get("id"): each for each in talk.rest()}
    assert replies[number]["error"]["code"] == code
    assert replies[5]["result"] == {}
    assert "Ada" not in caplog.text + json.dumps(replies[number])


def test_a_client_that_no_longer_reads_ends_nothing() -> None:
    inwards, out = os.pipe()
    reading, outwards = os.pipe()
    os.close(reading)
    tools = Tools()
    asked = [call(1, "nothing"), call(2, "wait"), call(3, "go")]
    os.write(out, b"".join(json.dumps(each).encode() + b"\n" for each in asked))
    os.close(out)

    Connection(Server("memory", "Memory", "1", ""), tools, Limits(), inwards, outwards).serve()
    os.close(inwards)
    os.close(outwards)

    assert tools.gone.is_set()
