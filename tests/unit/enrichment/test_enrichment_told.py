"""What a tool is told of earlier calls and of the conversation, through every door."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.enrichment.model import ContextSummary
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.session import Session
from cairn.ground.settings import EnrichmentSettings
from cairn.services import Services
from cairn.tool import enrichment
from cairn.tool.enrichment import AutoMemorySystem
from cairn.turns.after_turn import commit
from cairn_mcp import door
from cairn_tools.mcp_pipe import mcp_pipe
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE
from support.enrichment import CANARY, PODS, SlowTable, SpyTool, kept

EventOf: TypeAlias = Callable[..., dict[str, Any]]
CRASHED: dict[str, Any] = {**EXAMPLE, "pods": {"kind": "PodList", "items": [], "note": "CrashLoopBackOff"}}


def over_http(event_of: EventOf, spy: SpyTool) -> None:
    headers = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    assert spy.tool.handler(event_of("/", EXAMPLE, headers=headers), None)["statusCode"] == 200


def over_mcp(event_of: EventOf, _spy: SpyTool) -> None:
    params = {"name": PODS.name, "arguments": EXAMPLE}
    headers = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers=headers)
    assert json.loads(door.handler(event, None)["body"])["result"]["isError"] is False


def in_a_pipe(event_of: EventOf, _spy: SpyTool) -> None:
    steps = {"steps": [{"id": "pods", "tool": PODS.name, "arguments": EXAMPLE}]}
    headers = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    assert mcp_pipe.handler(event_of("/", steps, headers=headers), None)["statusCode"] == 200


def say(services: Services, text: str, session_id: str = "monday") -> None:
    turn = Completion(
        turn_id=TurnId("turn-1"),
        user_id=None,
        inputs=(message("user", text),),
        outputs=(message("assistant", "Noted."),),
    )
    commit(services, Session(Tenant("acme"), Project("garden"), SessionId(session_id)), turn)


@pytest.mark.req("R210")
def test_off_a_tool_gets_what_was_sent_answers_the_same_and_the_store_hears_nothing(
    spy: SpyTool,
    enrich: Callable[..., Services],
    ask: Callable[..., Any],
    table: SlowTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enrich(enabled=False)
    monkeypatch.setattr(enrichment, "enriched", None)  # calling it would fail
    off = ask(EXAMPLE)
    monkeypatch.undo()
    enrich()
    on = ask(EXAMPLE)
    assert codec.canonical(off) == codec.canonical(on)
    assert spy.requests[0].model_dump(by_alias=True, exclude_none=True) == EXAMPLE
    assert len(table.asked) == 2  # the look-up and the record of the call with it on


@pytest.mark.req("R216")
@pytest.mark.req("R221")
@pytest.mark.req("R231")
@pytest.mark.parametrize("through", [over_http, over_mcp, in_a_pipe])
def test_through_every_door_a_call_is_told_of_the_one_before(
    through: Callable[..., None], event_of: EventOf, spy: SpyTool, enrich: Callable[..., Services]
) -> None:
    enrich()
    for _ in range(2):
        through(event_of, spy)
    first, second = spy.told
    assert first is None
    assert second is not None
    (item,) = second["items"]
    assert {"tool:oc_diagnostic_pod_health", "namespace:shop", "error:memory"} <= set(item["tags"])
    assert second["summary"] == item["snippet"]
    assert item["snippet"].endswith("ended well; signs: eviction, memory")


@pytest.mark.req("R213")
@pytest.mark.req("R221")
def test_a_call_is_told_at_most_three_things_in_fifteen_hundred_bytes(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    enrich()
    for _ in range(6):
        ask(CRASHED)
    context = spy.told[-1]
    assert context is not None
    assert len(context["items"]) == 3
    assert len(json.dumps(context, ensure_ascii=False).encode()) <= 1500


@pytest.mark.req("R211")
def test_a_tool_that_is_not_on_the_list_is_not_told_but_its_calls_are_kept(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any], adapters: Adapters
) -> None:
    enrich(tools=("another_tool",))
    for _ in range(2):
        ask()
    assert spy.told == [None, None]
    assert [each["tags"][-3] for each in kept(adapters)] == ["mem_ctx:not_used"] * 2


@pytest.mark.req("R223")
def test_a_call_s_own_memory_context_goes_first(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    enrich()
    ask()
    own: dict[str, Any] = {"summary": "mine", "items": []}
    ask({**EXAMPLE, "memoryContext": own})
    assert spy.told[-1] == own


@pytest.mark.req("R220")
@pytest.mark.parametrize(
    ("mode", "earlier_call", "source"),
    [
        ("hybrid", True, "tool_exec"),
        ("hybrid", False, "conversation"),
        ("tool", False, None),
        ("conversation", True, "conversation"),
    ],
)
def test_the_session_s_conversation_is_asked_second_or_alone_as_the_mode_says(
    mode: Any, *, earlier_call: bool, source: str | None, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    services = enrich(mode=mode)
    say(services, f"The shop pods crash: CrashLoopBackOff, {CANARY}")
    if earlier_call:
        ask()
    memory = AutoMemorySystem(services, Tenant("acme"), Project("garden"))
    found = memory.retrieve_relevant_context(PODS.name, {"namespace": "shop"}, "monday")
    assert {each.source for each in found} == ({source} if source else set())
    assert CANARY not in str(found)


@pytest.mark.req("R220")
def test_no_other_session_s_conversation_is_asked(enrich: Callable[..., Services]) -> None:
    services = enrich()
    say(services, "The shop pods crash: CrashLoopBackOff", session_id="tuesday")
    memory = AutoMemorySystem(services, Tenant("acme"), Project("garden"))
    assert memory.look_up(PODS.name, {"namespace": "shop"}, "monday").outcome == "success"
    for session_id, number in (("monday", 0), (None, 0), ("tuesday", 1)):
        assert len(memory.retrieve_relevant_context(PODS.name, {"namespace": "shop"}, session_id)) == number


@pytest.mark.parametrize("place", [("globex", "garden"), ("acme", "attic"), ("acme", None)])
def test_no_other_tenant_s_or_project_s_calls_are_told(
    place: tuple[str, str | None], enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    services = enrich()
    ask()
    tenant, project = place
    memory = AutoMemorySystem(services, Tenant(tenant), Project(project) if project else None)
    assert memory.retrieve_relevant_context(PODS.name, EXAMPLE, "monday") == ()


@pytest.mark.req("R226")
def test_no_word_of_earlier_calls_results_errors_or_talk_is_told(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    services = enrich()
    say(services, f"{CANARY} CrashLoopBackOff")
    ask({"namespace": CANARY, "pod": CANARY, "pods": {CANARY: [CANARY], "note": f"OOMKilled {CANARY}"}})
    spy.error = NotFound(f"There is no {CANARY}: FailedMount")
    with pytest.raises(NotFound):
        ask(EXAMPLE)
    spy.error = None
    ask({"namespace": "shop", "pod": "web-1"})
    assert spy.told[-1] is not None
    assert len(spy.told[-1]["items"]) == 2
    assert CANARY not in str(spy.told[-1])


@pytest.mark.req("R218")
def test_other_people_s_tools_ask_and_record_in_a_few_lines(enrich: Callable[..., Services]) -> None:
    config = EnrichmentSettings(enabled=True, tools=("kubectl_node_drain",), top_k=2)
    memory = AutoMemorySystem(enrich(enabled=False), Tenant("acme"), Project("garden"), config)
    memory.initialize()
    asked = {"namespace": "shop"}
    assert memory.retrieve_relevant_context("kubectl_node_drain", asked, "monday") == ()
    for _ in range(3):
        memory.record("kubectl_node_drain", asked, "monday", error="context deadline exceeded")
    found: Sequence[ContextSummary] = memory.retrieve_relevant_context("kubectl_node_drain", asked, "monday")
    assert len(found) == 2
    assert {"tool:kubectl_node_drain", "resource:node", "error:timeouts", "domain:kubernetes"} <= set(found[0].tags)
    assert memory.look_up("another_tool", asked, "monday").outcome == "not-eligible"


@pytest.mark.req("R232")
def test_tools_of_the_second_phase_are_switched_on_by_name_and_told_of_their_own_calls_alone(
    enrich: Callable[..., Services],
) -> None:
    named = ("oc_diagnostic_namespace_health", "oc_diagnostic_rca_checklist", "oc_read_get_pods")
    memory = AutoMemorySystem(enrich(tools=named), Tenant("acme"), Project("garden"))
    for tool in (*named, PODS.name):
        memory.record(tool, {"namespace": "shop"}, "monday", error=f"FailedScheduling {tool}")
    for tool in named:
        (found,) = memory.retrieve_relevant_context(tool, {"namespace": "shop"}, "monday")
        assert {f"tool:{tool}", "namespace:shop", "error:scheduling"} <= set(found.tags)
    assert memory.look_up(PODS.name, {"namespace": "shop"}, "monday").outcome == "not-eligible"


@pytest.mark.req("R218")
def test_the_how_to_s_lines_do_what_it_says(enrich: Callable[..., Services]) -> None:
    page = Path(__file__).parents[3].joinpath("docs/how-to/enrich-your-tools.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    enrich(enabled=False)
    for number in (0, 1):
        said: dict[str, Any] = {}
        exec(lines, said)  # noqa: S102 - a page of this repository
        assert len(said["found"]) == number
