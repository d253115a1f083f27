"""Facts, conflicts and compactions are counted by what a turn did, and once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import TurnId
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Delete, Key, key_of
from cairn.services import Services
from cairn.sessions.layout import COMPACTED, guard_sk, session_pk
from cairn_tools.catalog import CATALOG
from support.services import services_over
from support.telemetry import Emitted, said
from support.turns import SESSION

BEFORE, AFTER, MAINTENANCE = (
    next(tool for tool in CATALOG if tool.name == f"memory_{name}")
    for name in ("before_turn", "after_turn", "run_maintenance")
)
EventOf = Callable[..., dict[str, Any]]


@pytest.mark.req("R110")
@pytest.mark.usefixtures("services")
def test_the_facts_of_a_turn_are_counted_by_tier_and_once(event_of: EventOf, emitted: Emitted) -> None:
    turn = said("t1", "My name is Ada. I prefer tea.", "Today I need to call Bob.", "I like beans.")

    answers = [AFTER.handler(event_of("/", body), None) for body in (turn, turn, said("t2", "Hello."))]

    assert [json.loads(answer["body"])["facts_written"] for answer in answers] == [4, 0, 0]
    assert emitted.total("mcp_memory_fact_write_total") == {"L0": 2, "L1": 1, "L2": 1}


@pytest.mark.req("R111")
@pytest.mark.req("R265")
def test_a_turn_id_that_comes_again_is_a_conflict_whatever_becomes_of_it(
    services: Services, adapters: Adapters, event_of: EventOf, emitted: Emitted
) -> None:
    assert services
    turn = said("t1", "My name is Ada.")
    statuses = [AFTER.handler(event_of("/", body), None)["statusCode"] for body in (turn, said("t1", "Other."), turn)]
    assert statuses == [200, 409, 200]
    assert emitted.total("mcp_memory_idempotency_conflicts_total") == {"": 2}

    def meanwhile(*_: object) -> NoReturn:
        statuses.append(AFTER.handler(event_of("/", said("t2", "Hello.")), None)["statusCode"])
        raise Unavailable("the store does not answer")

    wiring.provide(services_over(replace(adapters, table=_Failing(adapters.table, meanwhile)), services.settings))
    AFTER.handler(event_of("/", said("t2", "Hello.")), None)

    assert statuses[-1] == 409
    assert emitted.total("mcp_memory_idempotency_conflicts_total") == {"": 3}


@pytest.mark.req("R111")
def test_a_turn_that_comes_again_after_its_guard_has_expired_is_a_conflict_too(
    services: Services, adapters: Adapters, event_of: EventOf, emitted: Emitted
) -> None:
    assert services
    turn = said("t1", "My name is Ada.")
    AFTER.handler(event_of("/", turn), None)
    adapters.table.delete(Delete(Key(session_pk(SESSION), guard_sk(TurnId("t1")))))

    answer = AFTER.handler(event_of("/", turn), None)

    assert (answer["statusCode"], json.loads(answer["body"])["replayed"]) == (200, True)
    assert emitted.total("mcp_memory_idempotency_conflicts_total") == {"": 1}


class _Failing:
    """A table whose transactions, but calls' records and summaries, do something else once; that finds it as it is."""

    def __init__(self, table: Any, transact: Callable[..., NoReturn]) -> None:
        self._table = table
        self._transact: Callable[..., NoReturn] | None = transact

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def transact(self, writes: Any) -> None:
        pk, sk = key_of(writes[0]).pk, key_of(writes[0]).sk
        if self._transact is not None and "#audit" not in pk and not sk.startswith(COMPACTED):
            step, self._transact = self._transact, None
            step(writes)
        self._table.transact(writes)


def talk(event_of: EventOf, turns: int) -> None:
    for number in range(turns):
        AFTER.handler(event_of("/", said(f"t{number}", f"The oak number {number} stands by the river. " * 20)), None)


@pytest.mark.req("R109")
def test_a_compaction_counts_once_by_whoever_makes_it(
    tuned: Callable[..., Services], event_of: EventOf, emitted: Emitted
) -> None:
    tuned(recent_context_items=4, compact_threshold=0.5)
    talk(event_of, 4)
    tidy, ask = (MAINTENANCE, MAINTENANCE.example), (BEFORE, {**BEFORE.example, "max_input_tok": 700})

    for tool, body in (tidy, ask, tidy, ask):
        assert tool.handler(event_of("/", body), None)["statusCode"] == 200

    compacted = [document["tool_name"] for document in emitted.documents() if "mcp_memory_compaction_total" in document]
    assert compacted == ["memory_run_maintenance", "memory_before_turn"]
    assert emitted.total("mcp_memory_compaction_total") == {"": 2}


@pytest.mark.req("R109")
@pytest.mark.req("R108")
def test_a_compaction_counts_although_the_run_fails_after_it(
    services: Services, adapters: Adapters, event_of: EventOf, emitted: Emitted
) -> None:
    settings = replace(services.settings, memory=MemorySettings(recent_context_items=2, compaction_min_age_hours=0))
    talk(event_of, 4)

    def fail(*_: object) -> NoReturn:
        raise Unavailable("the store does not answer")

    wiring.provide(services_over(replace(adapters, table=_Failing(adapters.table, fail)), settings))
    assert MAINTENANCE.handler(event_of("/", MAINTENANCE.example), None)["statusCode"] == 503

    assert emitted.total("mcp_memory_maintenance_total") == {"UNAVAILABLE": 1}
    assert emitted.total("mcp_memory_compaction_total") == {"": 1}
