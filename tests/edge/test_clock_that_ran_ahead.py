"""A clock that ran ahead, and is right again, locks nothing out and hides nothing that is said afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from cairn import wiring
from cairn.access import policies
from cairn.access.issuer_keys import IssuerKeys
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.session import Session
from cairn.ground.settings import OidcSettings, RateSettings
from cairn.services import Services
from cairn.sessions.head import stored_head
from cairn.settings.settings import Settings
from cairn.tool.tool import Tool
from cairn.upkeep.health import Health
from cairn_tools.catalog import CATALOG
from support.services import services_over

EventOf = Callable[..., dict[str, Any]]
AHEAD = {"an hour": 3600, "a year": 365 * 86400}
MONDAY = {"project": "garden", "session_id": "monday"}
SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
BURST = 3


@pytest.fixture
def fresh_process(settings: Settings) -> Iterator[Callable[[Adapters], Services]]:
    """Return a function that starts a process over a store."""

    def start(adapters: Adapters, **changes: Any) -> Services:
        services = services_over(adapters, replace(settings, **changes))
        wiring.provide(services)
        return services

    yield start
    wiring.provide(None)


def status(tool: Tool, event_of: EventOf, body: object | None = None) -> int:
    return tool.handler(event_of("/", tool.example if body is None else body), None)["statusCode"]


def every_status(event_of: EventOf) -> dict[str, int]:
    return {tool.name: status(tool, event_of) for tool in CATALOG}


@pytest.mark.req("R303")
@pytest.mark.parametrize("seconds", AHEAD.values(), ids=AHEAD)
def test_every_tool_answers_as_it_would_have_had_the_clock_been_right(
    seconds: int, new_adapters: Any, fresh_process: Any, event_of: EventOf
) -> None:
    answered: list[list[dict[str, int]]] = []
    for ahead in (0, seconds):
        _, adapters = new_adapters()
        fresh_process(adapters)
        adapters.clock.advance(seconds=ahead)
        every_status(event_of)
        adapters.clock.advance(seconds=-ahead)
        same_process = every_status(event_of)
        fresh_process(adapters)
        answered.append([same_process, every_status(event_of)])

    right, was_ahead = answered
    assert was_ahead == right
    assert 429 not in {code for each in was_ahead for code in each.values()}


@pytest.mark.req("R303")
def test_the_limits_that_a_clock_ran_ahead_of_still_limit(
    new_adapters: Any, fresh_process: Any, event_of: EventOf
) -> None:
    """Each tool of its own, at once and by a process that has no tokens yet; then it has as many as ever, no more."""
    rates = RateSettings(tool_per_second=0.5, tool_burst=BURST)
    for tool in CATALOG:
        _, adapters = new_adapters()
        adapters.clock.advance(days=365)
        fresh_process(adapters, rate_limits=rates)
        while status(tool, event_of) != 429:
            pass
        adapters.clock.advance(days=-365)
        fresh_process(adapters, rate_limits=rates)

        codes = [status(tool, event_of) for _ in range(BURST + 2)]

        assert [code == 429 for code in codes] == [False] * BURST + [True] * 2, tool.name
        adapters.clock.advance(seconds=2)
        assert status(tool, event_of) != 429


@pytest.mark.req("R303")
@pytest.mark.req("R050")
def test_a_lease_and_a_claim_of_a_call_that_died_while_the_clock_was_ahead_are_taken_over(
    new_adapters: Any, fresh_process: Any, event_of: EventOf
) -> None:
    tools = {tool.name: tool for tool in CATALOG}
    after = tools["memory_after_turn"]
    turn = {**MONDAY, "turn_id": "t1", "input_items": [said("I live in Bern.")], "output_items": []}
    _, adapters = new_adapters()
    services = fresh_process(adapters)
    adapters.clock.advance(days=1)
    services.sessions.try_lease(SESSION, "dead", 30)
    claimed = Completion(turn_id=TurnId("t1"), inputs=(said("I live in Bern."),), outputs=())
    services.guards.claim(SESSION, claimed, "dead", 30)
    adapters.clock.advance(days=-1)
    before = stored_head(adapters.table, SESSION)

    assert status(after, event_of, turn) == 200

    after_it = stored_head(adapters.table, SESSION)
    assert before is not None
    assert after_it is not None
    assert after_it.fence == before.fence + 1


def said(text: str) -> dict[str, str]:
    return {"type": "message", "role": "user", "content": text}


@pytest.mark.req("R303")
def test_what_is_said_once_the_clock_is_right_comes_after_what_was_said_ahead_and_is_recalled(
    new_adapters: Any, fresh_process: Any, event_of: EventOf
) -> None:
    tools = {tool.name: tool for tool in CATALOG}
    _, adapters = new_adapters()
    services = fresh_process(adapters)

    def answer(name: str, **arguments: Any) -> Any:
        response = tools[name].handler(event_of("/", {**MONDAY, **arguments}), None)
        assert response["statusCode"] == 200, response["body"]
        return json.loads(response["body"])

    def say(number: int, text: str) -> None:
        answer("memory_after_turn", turn_id=f"t{number}", input_items=[said(text)], output_items=[])

    adapters.clock.advance(days=365)
    say(1, "I live in Bern. I like tea.")
    answer("remember", content="The shed is green.")
    adapters.clock.advance(days=-365)
    say(2, "I moved to Basel. I like plums.")
    answer("remember", content="The gate is red.")
    say(3, "My dog is called Rex.")

    for process in (services, fresh_process(adapters)):
        assert [seq for seq, _ in process.sessions.history(SESSION)] == [1, 2, 3]
        context = json.dumps(answer("memory_before_turn", turn_id="t4", current_input=[said("Where do I live?")]))
        assert context.index("Bern") < context.index("plums") < context.index("Rex")
        for question, found in (("plums", "plums"), ("gate", "red"), ("shed", "green"), ("tea", "tea"), ("dog", "Rex")):
            assert found in json.dumps(answer("recall", query=question)["memories"]), question
    assert answer("memory_run_maintenance")
    say(4, "I like figs.")
    assert "figs" in json.dumps(answer("recall", query="figs")["memories"])


@pytest.mark.req("R303")
def test_what_a_process_kept_while_its_clock_was_ahead_is_asked_for_again(adapters: Adapters, clock: Any) -> None:
    """Else a policy that was narrowed, a key that was taken back or a store that is down goes unseen for as long."""
    asked: list[str] = []

    class Watched:
        def get(self, *_: object) -> None:
            asked.append("health")

    def document() -> None:
        asked.append("policy")

    def keys(_: str, /) -> bytes:
        asked.append("keys")
        return json.dumps({"keys": [{"kid": "k", "kty": "RSA"}]}).encode()

    oidc = OidcSettings(issuer="https://issuer.example", jwks_uri="https://issuer.example/keys")
    held = policies.of_table(document, clock)
    issuer_keys = IssuerKeys(oidc, keys, clock)
    health = Health(replace(adapters, table=cast("Any", Watched())))
    clock.advance(days=365)
    for _ in range(2):
        held.permission(None, "getMemory")
        issuer_keys.find("k")
        health.stores()
    assert asked == ["policy", "keys", "health"]

    clock.advance(days=-365)
    held.permission(None, "getMemory")
    issuer_keys.find("k")
    health.stores()

    assert asked == ["policy", "keys", "health"] * 2
