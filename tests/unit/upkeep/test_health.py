"""GET /healthz tells whether table, blobs and key answer, and asks them seldom."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.settings import EmbedderName, EmbeddingSettings
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn_health.door import handler
from support.recall import ToyEmbedder
from support.services import services_over

EVENT = {
    "version": "2.0",
    "rawPath": "/healthz",
    "requestContext": {"http": {"method": "GET", "path": "/healthz"}, "requestId": "request-1"},
}


class Silent:
    """A table, blobs and a key ring that do not answer, and count how often they were asked."""

    def __init__(self) -> None:
        self.asked = 0

    def get(self, *_asked_for: object) -> Any:
        self.asked += 1
        raise Unavailable("no answer")

    def generate(self, tenant: Tenant) -> Any:
        return self.get(tenant)


class Full:
    """A table or blobs that answer, and take no more."""

    def __init__(self, store: Any) -> None:
        self.get = store.get

    def put(self, *_kept: object) -> Any:
        raise Unavailable("no room")


def answer() -> tuple[int, dict[str, Any]]:
    response = handler(EVENT, None)
    return response["statusCode"], json.loads(response["body"])


@pytest.mark.usefixtures("services")
def test_health_is_ok_where_all_stores_answer_and_needs_no_caller() -> None:
    status, body = answer()

    assert (status, body["status"]) == (200, "ok")
    assert body["stores"] == {"table": True, "blobs": True, "key": True}


@pytest.mark.req("R293")
@pytest.mark.parametrize(
    ("embedder", "own_disk", "model", "told"),
    [
        ("minilm", True, ToyEmbedder(), "hybrid"),
        ("minilm", True, None, "text"),
        ("none", True, ToyEmbedder(), "text"),
        ("titan", False, None, "hybrid"),
    ],
)
def test_health_says_whether_recall_goes_by_meaning(  # noqa: PLR0913, PLR0917 - fixtures and columns
    adapters: Adapters,
    settings: Settings,
    embedder: EmbedderName,
    own_disk: bool,  # noqa: FBT001 - a column
    model: ToyEmbedder | None,
    told: str,
) -> None:
    chosen = replace(settings, embedding=EmbeddingSettings(embedder=embedder))
    wiring.provide(services_over(replace(adapters, own_disk=own_disk), chosen, embedder=model))
    try:
        assert answer()[1]["recall_by"] == told
    finally:
        wiring.provide(None)


@pytest.mark.parametrize(("port", "name"), [("table", "table"), ("blobs", "blobs"), ("keys", "key")])
def test_health_is_503_and_names_the_store_that_does_not_answer(
    adapters: Adapters, settings: Settings, services: Services, port: str, name: str
) -> None:
    broken: Any = {port: Silent()}
    wiring.provide(services_over(replace(adapters, **broken), settings))

    status, body = answer()

    assert (status, body["status"]) == (503, "unavailable")
    assert [store for store, well in body["stores"].items() if not well] == [name]
    assert services.health.stores()[name] is True


@pytest.mark.parametrize("port", ["table", "blobs"])
def test_where_only_writes_fail_health_is_degraded_and_no_store_is_down(
    adapters: Adapters, settings: Settings, port: str
) -> None:
    full: Any = {port: Full(getattr(adapters, port))}
    wiring.provide(services_over(replace(adapters, own_disk=True, **full), settings))
    try:
        status, body = answer()
    finally:
        wiring.provide(None)

    assert (status, body["status"], body["reasons"]) == (503, "degraded", ["writes_fail"])
    assert body["stores"] == {"table": True, "blobs": True, "key": True, "writes": False}


@pytest.mark.usefixtures("services")
def test_the_stores_are_asked_once_in_a_while_however_many_ask(
    adapters: Adapters, settings: Settings, clock: Any
) -> None:
    silent: Any = Silent()
    health = services_over(replace(adapters, table=silent), settings).health

    for _ in range(3):
        health.stores()
    assert silent.asked == 1

    clock.advance(seconds=15)
    health.stores()
    assert silent.asked == 2


def test_health_without_settings_for_a_store_is_an_error_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_TABLE", "only-a-table")
    wiring.provide(None)

    status, body = answer()

    assert (status, body["error"]["code"]) == (500, "INTERNAL_ERROR")
