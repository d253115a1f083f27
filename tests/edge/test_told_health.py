"""What a key is told of the service's health, more than the public probe tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from cairn import wiring
from cairn.access.api_keys import Grant, project_pattern
from cairn.calls import layout, unsealed
from cairn.embedded.queue import InProcessJobs
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.jobs import MaintainShard, SealAudit
from cairn.ground.settings import EmbeddingSettings
from cairn.ground.table import Put, Query
from cairn.services import Services
from cairn_tools.memory_tell_health import memory_tell_health
from support.access import EventOf, bearer, through
from support.bound import ACME, ALICE, House
from support.calls import HOUR
from support.doubles import HeldWork
from support.operators import GLOBEX, MONDAY, of_another_tenant
from support.recall import ToyEmbedder
from support.routes import routed
from support.services import services_over


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


@pytest.fixture
def operator(house: House) -> str:
    return house.key()


def health(house: House, key: str) -> dict[str, Any]:
    event = through(bearer(key), house.event_of("/", {}))
    response = memory_tell_health.handler(routed(memory_tell_health, {}, event), None)
    return json.loads(response["body"])


def test_health_is_told_to_every_key_that_reads_and_to_nobody_else(house: House) -> None:
    garden = (project_pattern("garden"),)
    for key in (house.key(), house.key(ALICE), house.key(projects=garden)):
        assert health(house, key)["status"] == "ok"
    write = house.services.credentials.create(ACME, Grant(scopes=("write",))).text
    assert health(house, write)["error"]["code"] == "PERMISSION_DENIED"


def test_health_tells_stores_recall_sealing_and_key(
    house: House, operator: str, clock: Any, services: Services
) -> None:
    house.ask(operator, "recall", MONDAY)
    clock.advance(minutes=10)
    services.sealer.seal(ACME, HOUR)
    house.ask(operator, "recall", MONDAY)
    clock.advance(minutes=6)

    told = health(house, operator)

    assert told["stores"] == {"table": True, "blobs": True, "key": True}
    assert (told["reasons"], told["runs_on"], told["jobs_waiting"]) == ([], "AWS", None)
    assert told["recall"] == {"by": "hybrid", "embedder": "minilm", "loaded": None}
    assert told["data_key"] == {"number": 1, "made_at": "2026-03-01T12:00:00Z"}
    sealing = told["sealing"]
    assert (sealing["sealed_until"], sealing["oldest_unsealed"]) == ("2026-03-01T12:00:00Z", "2026-03-01T12:10:00Z")
    assert (sealing["unsealed"], sealing["more"]) == (1, False)


def test_where_nobody_seals_for_many_days_it_is_told_that_more_wait_than_are_counted(
    house: House, operator: str, clock: Any
) -> None:
    for _ in range(20):
        house.ask(operator, "recall", MONDAY)
        clock.advance(days=1)

    sealing = health(house, operator)["sealing"]

    assert sealing["oldest_unsealed"] == "2026-03-01T12:00:00Z"
    assert 0 < sealing["unsealed"] < 20
    assert sealing["more"]


def test_a_key_to_certain_projects_or_users_is_told_nothing_of_what_the_whole_tenant_does(house: House) -> None:
    for key in (house.key(ALICE), house.key(projects=(project_pattern("garden"),))):
        told = health(house, key)
        assert (told["sealing"], told["data_key"], told["jobs_waiting"]) == (None, None, None)


def test_health_tells_another_tenant_nothing_of_this_one(house: House, operator: str, clock: Any) -> None:
    house.ask(operator, "recall", MONDAY)
    clock.advance(hours=1)

    told = health(house, of_another_tenant(house))

    assert told["sealing"] == {"sealed_until": None, "oldest_unsealed": None, "unsealed": 0, "more": False}


class Loaded(ToyEmbedder):
    """An embedder that says whether its model is loaded."""

    is_loaded = True


@pytest.mark.parametrize(
    ("embedder", "told"),
    [
        (Loaded(), {"by": "hybrid", "embedder": "toy", "loaded": True}),
        (ToyEmbedder(), {"by": "hybrid", "embedder": "toy", "loaded": None}),
        (None, {"by": "text", "embedder": None, "loaded": None}),
    ],
)
def test_on_one_machine_it_is_told_what_recall_goes_by_and_whether_that_is_loaded(
    house: House, adapters: Adapters, embedder: ToyEmbedder | None, told: dict[str, Any]
) -> None:
    wiring.provide(services_over(replace(adapters, own_disk=True), house.services.settings, embedder=embedder))

    found = health(house, house.key())

    assert (found["recall"], found["runs_on"]) == (told, "this machine")
    assert found["stores"]["writes"] is True


def test_without_an_embedder_recall_goes_by_words(house: House, adapters: Adapters) -> None:
    settings = replace(house.services.settings, embedding=EmbeddingSettings(embedder="none"))
    wiring.provide(services_over(adapters, settings))

    assert health(house, house.key())["recall"] == {"by": "text", "embedder": None, "loaded": None}


@pytest.fixture
def held() -> Iterator[tuple[InProcessJobs, Event]]:
    """Return a queue whose first job has begun and waits for an event."""
    work = HeldWork()
    jobs = InProcessJobs(work)
    jobs.send([SealAudit(ACME)])
    assert work.started.wait(30)
    yield jobs, work.go_on
    work.go_on.set()
    jobs.close()


def test_jobs_of_the_tenant_that_wait_in_this_process_are_counted(
    house: House, adapters: Adapters, held: tuple[InProcessJobs, Event]
) -> None:
    jobs, _ = held
    wiring.provide(services_over(replace(adapters, jobs=jobs), house.services.settings))
    assert health(house, house.key())["jobs_waiting"] == 0

    jobs.send([SealAudit(ACME), SealAudit(GLOBEX), MaintainShard(0), SealAudit(ACME)])

    assert health(house, house.key())["jobs_waiting"] == 2
    assert health(house, of_another_tenant(house))["jobs_waiting"] == 1
    assert health(house, house.key(ALICE))["jobs_waiting"] is None


def test_no_more_records_are_counted_than_may_be(
    house: House, operator: str, monkeypatch: pytest.MonkeyPatch, clock: Any
) -> None:
    assert f"{unsealed.MOST_COUNTED} at most" in str(memory_tell_health.output.model_json_schema())
    monkeypatch.setattr(unsealed, "MOST_COUNTED", 3)
    for _ in range(5):
        house.ask(operator, "recall", MONDAY)
        clock.advance(hours=10)

    sealing = health(house, operator)["sealing"]

    assert sealing == {
        "sealed_until": None,
        "oldest_unsealed": "2026-03-01T12:00:00Z",
        "unsealed": 3,
        "more": True,
    }


def test_what_is_too_new_to_be_sealed_does_not_wait(house: House, operator: str, clock: Any) -> None:
    house.ask(operator, "recall", MONDAY)
    clock.advance(minutes=4)
    assert health(house, operator)["sealing"]["unsealed"] == 0

    clock.advance(minutes=2)

    assert health(house, operator)["sealing"]["unsealed"] == 1


def test_a_log_that_is_sealed_has_nothing_that_waits(
    house: House, operator: str, services: Services, clock: Any
) -> None:
    house.ask(operator, "recall", MONDAY)
    house.ask(operator, "getMemory", {"namespace": "session.a", "key": "absent"})
    clock.advance(days=2)
    services.sealer.seal(ACME, HOUR)

    found = unsealed.unsealed(services.adapters, ACME)

    assert (found.records, found.oldest, found.more) == (0, None, False)
    assert found.sealed_until == clock.now().replace(day=1)


def test_a_damaged_digest_is_a_reason_and_no_failure(
    house: House, operator: str, services: Services, adapters: Adapters, clock: Any
) -> None:
    house.ask(operator, "recall", MONDAY)
    clock.advance(minutes=10)
    services.sealer.seal(ACME, HOUR)
    (digest,) = adapters.table.query(Query(layout.audit_pk(ACME), *layout.digest_range())).items
    adapters.table.put(Put({**digest, "blob": 7}))

    told = health(house, operator)

    assert (told["status"], told["reasons"], told["sealing"]) == ("degraded", ["damage_met"], None)


class Silent:
    """A blob store, or a key ring, that does not answer."""

    def __getattr__(self, name: str) -> Any:
        def fail(*_: object) -> Any:
            raise Unavailable(f"no answer to {name}")

        return fail


def test_a_store_that_does_not_answer_is_named(house: House, operator: str, adapters: Adapters) -> None:
    silent: Any = Silent()
    wiring.provide(services_over(replace(adapters, blobs=silent), house.services.settings))

    told = health(house, operator)

    assert (told["status"], told["stores"]["blobs"]) == ("unavailable", False)
    assert told["sealing"] is not None
