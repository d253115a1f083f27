"""Tenants' own settings in the store: as many tenants as there are, read by a process that serves them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.access.layout import tenant_settings_key
from cairn.access.tenant_settings import LIFETIME
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, Disabled, SettingsError
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Delete, Key, Put
from cairn.local.cli import main
from cairn.local.store import open_store, operator_services
from cairn.services import Services
from cairn.settings import settings
from cairn.settings.settings import provenance
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.services import services_over

ACME, GLOBEX = Tenant("acme"), Tenant("globex")
STORED = {
    "settings": {
        "mcp": {"tenants": "stored", "tools": {"memory": {"enabled": True}}, "memory": {"l1_retention_days": 3}}
    }
}
LAMBDA_ENVIRONMENT_BYTES = 4096


class Reads:
    """A table that counts how often anything is read of it."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.keys: list[Key] = []

    def get(self, key: Key) -> Attributes | None:
        self.keys.append(key)
        return self._table.get(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


@pytest.fixture
def process(adapters: Adapters) -> Services:
    return services_over(adapters, settings.load(STORED, {}))


@pytest.fixture
def cairn(data: Path, tmp_path: Path) -> Callable[[object], Result]:
    """Return a function that puts a document."""

    def put(document: object) -> Result:
        file = tmp_path / "tenants.json"
        file.write_text(json.dumps(document))
        environment = {"CAIRN_SETTINGS": json.dumps(STORED)}
        return CliRunner(env=environment).invoke(main, ["settings", "put", str(file), "--data", str(data)])

    return put


def of_tenants(own: Mapping[str, object]) -> dict[str, Any]:
    return {"settings": {"mcp": {"tenants": own}}}


def limit(services: Services, tenant: Tenant) -> int:
    return services.settings.memory_for(tenant).search_limit


def test_what_is_stored_holds_for_its_tenant_and_all_else_is_the_deployment_s(process: Services) -> None:
    process.tenant_settings.put(ACME, {"memory.search_limit": 9, "memory.shared_projects": ("shop/*", "b")})

    own = process.settings.memory_for(ACME)
    assert (own.search_limit, own.shared_projects, own.l1_retention_days) == (9, ("shop/*", "b"), 3)
    assert limit(process, GLOBEX) == 5
    shown = {each.key: (each.value, each.source) for each in provenance(process.settings, ACME)}
    assert shown["settings.mcp.memory.search_limit"] == (9, "tenant acme")
    assert shown["settings.mcp.memory.l1_retention_days"] == (3, "document")
    assert shown["settings.mcp.tenants"] == ("stored", "document")


def test_a_running_process_goes_by_what_is_put_within_five_minutes(
    process: Services, adapters: Adapters, clock: Any
) -> None:
    other = services_over(adapters, settings.load(STORED, {}))
    assert limit(process, ACME) == 5

    other.tenant_settings.put(ACME, {"memory.search_limit": 9})

    clock.advance(seconds=LIFETIME.total_seconds() - 1)
    assert limit(process, ACME) == 5
    clock.advance(seconds=1)
    assert limit(process, ACME) == 9
    other.tenant_settings.put(ACME, {})
    clock.advance(days=-1)  # a clock that was turned back keeps nothing for longer
    assert limit(process, ACME) == 5


def test_a_warm_call_reads_its_tenant_s_settings_no_more(adapters: Adapters, caller: Any) -> None:
    reads = Reads(adapters.table)
    services = services_over(replace(adapters, table=reads), settings.load(STORED, {}))
    question = {"project": "p", "session_id": "s", "current_input": "Which tea?"}

    for _ in range(3):
        execute(CATALOG, "memory_before_turn", question, Call(caller, services))

    assert reads.keys.count(tenant_settings_key(caller.tenant)) == 1


def test_a_tenant_whose_memory_is_switched_off_in_the_store_has_none(process: Services, caller: Any) -> None:
    process.tenant_settings.put(caller.tenant, {"tools.memory.enabled": False})

    with pytest.raises(Disabled):
        execute(CATALOG, "recall", {"project": "p", "question": "tea"}, Call(caller, process))


def test_what_was_sealed_for_one_tenant_opens_for_no_other(process: Services, adapters: Adapters) -> None:
    process.tenant_settings.put(ACME, {"memory.search_limit": 9})
    item = adapters.table.get(tenant_settings_key(ACME)) or {}
    adapters.table.put(Put({**item, "sk": tenant_settings_key(GLOBEX).sk}))

    with pytest.raises(CorruptData):
        limit(process, GLOBEX)
    adapters.table.delete(Delete(tenant_settings_key(GLOBEX)))
    assert limit(process, GLOBEX) == 5


def test_a_thousand_tenants_have_settings_of_their_own(cairn: Callable[[object], Result], data: Path) -> None:
    own = {f"tenant-{n:04d}": {"memory": {"search_limit": n % 20, "recall_scope": "user"}} for n in range(1000)}
    assert len(json.dumps(STORED)) < LAMBDA_ENVIRONMENT_BYTES < len(json.dumps(of_tenants(own)))

    result = cairn(of_tenants(own))

    assert result.output == "Stored the settings of 1,000 tenants.\n"
    with open_store(data, {"CAIRN_SETTINGS": json.dumps(STORED)}):
        services = wiring.services()
        assert [limit(services, Tenant(name)) for name in own] == [n % 20 for n in range(1000)]
        assert limit(services, ACME) == 5


def test_a_tenant_named_with_nothing_has_no_settings_of_its_own_any_more_and_others_stay(
    cairn: Callable[[object], Result], data: Path
) -> None:
    assert cairn(of_tenants({"acme": {"memory": {"search_limit": 9}}, "globex": {"memory": {"search_limit": 8}}}))

    assert cairn(of_tenants({"acme": {}})).output == "Stored the settings of 1 tenant.\n"

    services = operator_services(data, {"CAIRN_SETTINGS": json.dumps(STORED)})
    assert (limit(services, ACME), limit(services, GLOBEX)) == (5, 8)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (of_tenants({"acme": {"memory": {"search_limit": 9}}, "globex": {"memory": {"search_limit": -1}}}), "globex"),
        (of_tenants({"acme": {"limits": {"list_items": 3}}}), "settings.mcp.tenants.acme.limits.list_items"),
        (of_tenants({"acme": {"memory": {"search_limit": 9}}, "no tenant": {}}), "settings.mcp.tenants.no tenant"),
        ({"settings": {"mcp": {"tenants": {"acme": {}}, "audit": {"retention_days": 3}}}}, "tenants' own alone"),
        (of_tenants({"acme": {"memory": {"heuristic": {"enabled": True, "provider": "responses"}}}}), "base_url"),
    ],
)
def test_a_document_with_anything_wrong_in_it_stores_nothing(
    document: object, said: str, cairn: Callable[[object], Result], data: Path
) -> None:
    result = cairn(document)

    assert result.exit_code == 2
    assert said in result.output.replace("\n", " ")
    assert limit(operator_services(data, {"CAIRN_SETTINGS": json.dumps(STORED)}), ACME) == 5


def test_tenants_in_a_document_that_says_they_are_stored_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"settings\.mcp\.tenants: are in the document, and said to be stored"):
        settings.load(of_tenants({"acme": {"memory": {"search_limit": 9}}}), {"CAIRN_TENANTS": "stored"})


def test_the_command_says_where_what_it_stored_does_not_hold_yet(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "tenants.yaml"
    file.write_text("settings: {mcp: {tenants: {acme: {memory: {search_limit: 9}}}}}")

    result = CliRunner().invoke(main, ["settings", "put", str(file), "--data", str(data)])

    assert "They hold where the deployment's settings say `tenants: stored`" in result.stderr
    assert limit(operator_services(data, {}), ACME) == 5
    assert limit(operator_services(data, {"CAIRN_TENANTS": "stored"}), ACME) == 9


def test_the_settings_of_one_tenant_are_shown_as_the_store_has_them(
    cairn: Callable[[object], Result], data: Path
) -> None:
    cairn(of_tenants({"acme": {"memory": {"search_limit": 9}}}))

    environment = {"CAIRN_SETTINGS": json.dumps(STORED)}
    result = CliRunner(env=environment).invoke(main, ["settings", "--tenant", "acme", "--data", str(data)])

    assert "settings.mcp.memory.search_limit = 9  (tenant acme)" in result.output
