"""No request is left without an answer: not by a store that hangs, nor by an answer that Lambda cannot hand on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import replace
from threading import Event, get_ident
from typing import Any

import pytest

from cairn import wiring
from cairn.edge import events
from cairn.edge.guard import GATEWAY_SECONDS, MARGIN_SECONDS, left, within
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, PayloadTooLarge, SettingsError, Unavailable
from cairn.services import Services
from cairn.settings.settings import Settings, load
from cairn.tool.tool import Tool
from cairn_auth import authorizer
from cairn_health import door as health
from cairn_mcp import door as mcp
from cairn_tools.catalog import CATALOG
from functions import functions
from support.services import services_over
from support.tool import FOR_AGENTS

EventOf = Callable[..., dict[str, Any]]
BEFORE, AFTER = CATALOG[0], CATALOG[1]
FUNCTIONS = functions(CATALOG)
PATIENCE_SECONDS = 2


class Hanging:
    """A store each of whose calls waits until the test is over, and fails a test that waits for it."""

    def __init__(self) -> None:
        self.over = Event()

    def __getattr__(self, name: str) -> Callable[..., None]:
        def wait(*_arguments: object, **_named: object) -> None:
            self.over.wait(PATIENCE_SECONDS)
            raise RuntimeError("the store was waited for")

        return wait


class LambdaContext:
    """The context of a call whose time is all but over."""

    def get_remaining_time_in_millis(self) -> int:
        return MARGIN_SECONDS * 1000


@pytest.fixture
def hanging(adapters: Adapters, settings: Settings) -> Iterator[Services]:
    """Put services over a store that does not answer in place."""
    store: Any = Hanging()
    services = services_over(replace(adapters, table=store, blobs=store, keys=store), settings)
    wiring.provide(services)
    yield services
    store.over.set()
    wiring.provide(None)


@pytest.fixture(params=[tool for tool in FOR_AGENTS if tool.grants], ids=lambda each: each.name)
def short(request: pytest.FixtureRequest) -> Tool:
    """Return a tool that reaches a store, with no time beyond what is kept for its answer."""
    return replace(request.param, timeout=MARGIN_SECONDS)


def tool_call(tool: Tool, number: int = 1) -> dict[str, Any]:
    params = {"name": tool.name, "arguments": dict(tool.example)}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.req("R249")
@pytest.mark.usefixtures("hanging")
def test_a_store_that_hangs_is_unavailable_over_http(short: Tool, event_of: EventOf) -> None:
    response = short.handler(event_of("/", dict(short.example)), None)

    assert response["statusCode"] == 503
    error = json.loads(response["body"])["error"]
    assert (error["code"], error["retryable"]) == ("UNAVAILABLE", True)


@pytest.mark.req("R249")
@pytest.mark.usefixtures("hanging")
def test_a_store_that_hangs_is_unavailable_over_mcp(
    short: Tool, event_of: EventOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp, "CATALOG", (short,))

    result = json.loads(mcp.handler(event_of("/mcp", tool_call(short)), None)["body"])["result"]

    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "UNAVAILABLE"


@pytest.mark.req("R249")
@pytest.mark.usefixtures("hanging")
def test_the_calls_of_a_batch_share_the_time_of_one_request(event_of: EventOf) -> None:
    batch = [tool_call(tool, number) for number, tool in enumerate((BEFORE, AFTER))]

    replies = json.loads(mcp.handler(event_of("/mcp", batch), LambdaContext())["body"])

    assert [reply["result"]["structuredContent"]["error"]["code"] for reply in replies] == ["UNAVAILABLE"] * 2


@pytest.mark.req("R249")
@pytest.mark.usefixtures("hanging")
def test_health_and_the_authorizer_end_too(event_of: EventOf) -> None:
    asked = event_of("/mcp", "", headers={"authorization": f"Bearer cairn_{'a' * 16}_{'b' * 43}"})

    assert health.handler(event_of("/healthz", ""), LambdaContext())["statusCode"] == 503
    assert authorizer.handler(asked, LambdaContext())["context"] == {"refused": "unavailable"}


@pytest.mark.req("R249")
def test_no_function_may_take_longer_than_the_gateway_waits_and_each_ends_before_it_must() -> None:
    timeouts = {each.name: each.timeout for each in FUNCTIONS if each.hosts}

    assert max(timeouts.values()) == GATEWAY_SECONDS == 29
    assert min(timeouts.values()) > 2 * MARGIN_SECONDS
    assert left(None) == GATEWAY_SECONDS - MARGIN_SECONDS


def test_what_a_call_returns_raises_and_records_comes_through() -> None:
    seen: ContextVar[list[str]] = ContextVar("seen")
    seen.set([])

    assert within(60, lambda: seen.get().append("inside") or "value") == "value"
    assert seen.get() == ["inside"]
    with pytest.raises(CorruptData):
        within(60, _corrupt)
    with pytest.raises(TimeoutError, match="its own"):
        within(60, _timed_out)


def test_a_call_given_up_is_not_waited_for() -> None:
    over = Event()

    with pytest.raises(Unavailable):
        within(-1, lambda: over.wait(PATIENCE_SECONDS))

    over.set()


def test_calls_share_a_thread_but_with_one_that_was_given_up() -> None:
    over = Event()

    first = within(60, get_ident)
    with pytest.raises(Unavailable):
        within(-1, lambda: over.wait(PATIENCE_SECONDS))
    others = [within(60, get_ident) for _ in range(3)]

    over.set()
    assert first not in {*others, get_ident()}
    assert len(set(others)) == 1


@pytest.mark.req("R249")
@pytest.mark.parametrize(("model", "session", "fits"), [(20_000, 5_000, True), (20_000, 5_001, False)])
def test_waiting_for_a_model_and_a_session_leaves_time_to_store_the_turn(
    model: int, session: int, *, fits: bool
) -> None:
    heuristic = {"enabled": True, "base_url": "https://h.example", "timeout_ms": model}
    memory = {"session_lock_timeout_ms": session, "heuristic": heuristic}
    documents = (
        {"settings": {"mcp": {"memory": memory}}},
        {"settings": {"mcp": {"tenants": {"acme": {"memory": memory}}}}},
    )
    for document in documents:
        if fits:
            load(document, {})
        else:
            with pytest.raises(SettingsError, match=r"heuristic\.timeout_ms: and .*session_lock_timeout_ms may be"):
                load(document, {})


@pytest.fixture
def large(event_of: EventOf, services: Services) -> dict[str, Any]:
    """Store quotation marks, which JSON in JSON doubles each time; return arguments that ask for all of them."""
    del services
    for number in range(3):
        said = [{"role": "user", "content": f"{number}{part}" + '"' * 190_000} for part in range(5)]
        turn = {"project": "p", "session_id": "s", "turn_id": f"t{number}", "input_items": said, "output_items": []}
        assert AFTER.handler(event_of("/", turn), None)["statusCode"] == 200
    return {"project": "p", "session_id": "s", "current_input": "All of it", "max_input_tok": 1_000_000_000}


@pytest.mark.slow
def test_an_answer_that_lambda_cannot_hand_on_is_an_error_that_says_so(
    large: dict[str, Any], event_of: EventOf
) -> None:
    response = BEFORE.handler(event_of("/", large), None)
    over_mcp = mcp.handler(
        event_of("/mcp", tool_call(BEFORE) | {"params": {"name": BEFORE.name, "arguments": large}}), None
    )

    assert (response["statusCode"], over_mcp["statusCode"]) == (413, 413)
    said = json.loads(over_mcp["body"])
    assert said["id"] == 1
    for error in (json.loads(response["body"])["error"], said["error"]["data"]["error"]):
        assert error["code"] == "PAYLOAD_TOO_LARGE"
        assert error["details"]["field"] == "response"
        assert error["details"]["actual"] > error["details"]["limit"] == events.MAX_RESPONSE_BYTES
    assert BEFORE.handler(event_of("/", large | {"max_input_tok": 100}), None)["statusCode"] == 200


@pytest.mark.slow
@pytest.mark.parametrize("character", ["a", '"', "\x01", "é", "漢", "🪨"])
def test_what_is_handed_on_fits_however_lambda_writes_it(character: str) -> None:
    def written(count: int) -> int:
        return len(json.dumps(events.respond(200, character * count), ensure_ascii=True))

    fitting, too_many = 0, 7_000_000
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        try:
            written(middle)
        except PayloadTooLarge:
            too_many = middle
        else:
            fitting = middle

    assert 5_900_000 < written(fitting) < 6_291_556


def _corrupt() -> None:
    raise CorruptData("content")


def _timed_out() -> None:
    raise TimeoutError("its own")
