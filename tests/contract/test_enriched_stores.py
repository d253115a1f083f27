"""Enrichment over every store: an incident that was met before is told to the next call like it, from any process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn.access.callers import Caller
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.ground.session import Session
from cairn.ground.settings import EnrichmentSettings
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.tool.enrichment import AutoMemorySystem
from cairn.turns.after_turn import commit
from cairn_tools.oc_diagnostic_pod_health import oc_diagnostic_pod_health
from conftest import FakeClock
from support.doubles import RecordingJobs
from support.services import services_over

PODS = oc_diagnostic_pod_health
ACME, GARDEN, MONDAY = Tenant("acme"), Project("garden"), SessionId("monday")
PATIENT = EnrichmentSettings(enabled=True, timeout_ms=60_000)


def pods(namespace: str, **waiting: str) -> dict[str, Any]:
    """Return the arguments of a call about a pod that waits for a reason."""
    status = {"phase": "Pending", "containerStatuses": [{"name": "web", "state": {"waiting": waiting}}]}
    pod = {"metadata": {"name": "web-1", "namespace": namespace}, "status": status}
    return {"namespace": namespace, "pods": {"kind": "PodList", "items": [pod]}}


CRASHES = pods("shop", reason="CrashLoopBackOff")
OTHERS = (pods("bank", reason="ImagePullBackOff"), pods("mail", reason="ErrImagePull"), pods("shop"))


@pytest.fixture
def adapters(*, table: Table, blobs: Blobs, keyring: KeyRing, clock: FakeClock, entropy: Any) -> Adapters:
    return Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())


@pytest.fixture
def process(adapters: Adapters) -> Callable[..., Services]:
    """Return a function that starts a process over the store, with enrichment unless told otherwise."""

    def start(enrichment: EnrichmentSettings = PATIENT) -> Services:
        settings = Settings(memory_enabled=True, enrichment=enrichment)
        return services_over(adapters, settings)

    return start


@pytest.mark.slow
@pytest.mark.req("R230")
@pytest.mark.req("R231")
def test_the_incident_that_is_most_like_a_call_is_told_first_and_no_finding_changes_but_its_hint(
    process: Callable[..., Services], caller: Caller, clock: FakeClock
) -> None:
    def ask(services: Services, arguments: dict[str, Any]) -> dict[str, Any]:
        return PODS.execute(arguments, Call(caller, services, names={"project": GARDEN, "session_id": MONDAY}))

    def found_in(answer: dict[str, Any]) -> bytes:
        return codec.canonical([{**each, "hint": ""} for each in answer["findings"]])

    plain, first = process(EnrichmentSettings()), process()
    assert codec.canonical(ask(first, CRASHES)) == codec.canonical(ask(plain, CRASHES))
    clock.advance(minutes=10)
    for arguments in OTHERS:
        assert found_in(ask(first, arguments)) == found_in(ask(plain, arguments))
        clock.advance(minutes=10)

    second = process()
    found = AutoMemorySystem(second, ACME, GARDEN).retrieve_relevant_context(PODS.name, CRASHES, MONDAY)

    assert [(each.source, each.origin) for each in found] == [("tool_exec", "json")] * 3
    assert {"namespace:shop", "error:crashloop"} <= set(found[0].tags)
    assert found[0].timestamp == min(each.timestamp or 0 for each in found)
    told, untold = ask(second, CRASHES), ask(plain, CRASHES)
    assert found_in(told) == found_in(untold)
    assert told["findings"][0]["hint"].startswith(untold["findings"][0]["hint"])
    assert "for this pod met crashloop (2026-03-01 12:00 UTC)." in told["findings"][0]["hint"]


@pytest.mark.slow
@pytest.mark.req("R230")
def test_where_no_call_was_before_the_conversation_tells_what_was_seen(process: Callable[..., Services]) -> None:
    said = message("user", "The pods of the shop are in CrashLoopBackOff again.")
    turn = Completion(turn_id=TurnId("turn-1"), inputs=(said,), outputs=(message("assistant", "Noted."),))
    commit(process(), Session(ACME, GARDEN, MONDAY), turn)

    memory = AutoMemorySystem(process(), ACME, GARDEN)
    (found,) = memory.retrieve_relevant_context(PODS.name, {"namespace": "shop"}, MONDAY)

    assert (found.source, found.origin, found.session_id) == ("conversation", "json", MONDAY)
    assert found.tags == ("kind:conversation", "error:crashloop")
    assert memory.retrieve_relevant_context(PODS.name, {"namespace": "shop"}, "tuesday") == ()
