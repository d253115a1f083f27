"""Settings: what each key is unless set, where it can be set, and which setting wins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.errors import SettingsError
from cairn.ground.ids import Tenant
from cairn.ground.settings import (
    ArchiveSettings,
    AuditSettings,
    BackupSettings,
    BudgetSettings,
    ClusterSettings,
    ContextSettings,
    EmbeddingSettings,
    EnrichmentSettings,
    HeuristicSettings,
    Limits,
    MemorySettings,
    OidcSettings,
    Quotas,
    RateSettings,
)
from cairn.settings import settings as settings_of
from cairn.settings.options import OPTIONS, Option
from cairn.settings.settings import AwsStore, EmbeddedStore, load, provenance, read, variables
from support.settings import MODEL_KEY, OTHER_VALUES, document_of

NEEDS_URL = "memory.heuristic.enabled"
NEEDS_AUDIENCE = "auth.oidc.issuer"
EXAMPLE = """
settings:
  mcp:
    tools:
      memory:
        enabled: true
    memory:
      recent_context_items: 30
      recall_facts_limit: 20
      search_limit: 5
      compact_threshold: 0.8
      l1_retention_days: 1
      l2_retention_days: 7
      compaction_min_age_hours: 24
      summary_refresh_interval_minutes: 60
      max_processed_turns: 1024
      heuristic:
        enabled: false
        model: openai/gpt-oss-120b
        base_url: ''
        timeout_ms: 12000
        max_output_tokens: 800
"""


def in_force(settings: settings_of.Settings, tenant: Tenant | None = None) -> dict[str, object]:
    return {each.key.removeprefix("settings.mcp."): each.value for each in provenance(settings, tenant)}


def text_of(value: object) -> str:
    return ",".join(json.loads(json.dumps(value))) if isinstance(value, tuple) else str(value)


def as_json(value: object) -> object:
    return json.loads(json.dumps(value))


def every_option() -> list[Any]:
    return [pytest.param(option, id=key) for key, option in OPTIONS.items()]


@pytest.mark.req("R001")
def test_the_one_required_switch_is_enough() -> None:
    settings = load(document_of("tools", "memory", "enabled", True), {})

    assert settings.memory_enabled
    assert settings.memory == MemorySettings()
    assert settings.limits == Limits()


@pytest.mark.req("R002")
@pytest.mark.parametrize("document", [None, {}, document_of("tools", "memory", "enabled", False)])
def test_memory_is_off_unless_switched_on(document: Mapping[str, Any] | None) -> None:
    assert not load(document, {}).memory_enabled


@pytest.mark.parametrize(
    ("key", "default"),
    [
        pytest.param("recent_context_items", 30, marks=pytest.mark.req("R113")),
        pytest.param("recall_facts_limit", 20, marks=pytest.mark.req("R114")),
        pytest.param("search_limit", 5, marks=pytest.mark.req("R115")),
        pytest.param("compact_threshold", 0.8, marks=pytest.mark.req("R116")),
        pytest.param("l1_retention_days", 1, marks=pytest.mark.req("R117")),
        pytest.param("l2_retention_days", 7, marks=pytest.mark.req("R118")),
        pytest.param("compaction_min_age_hours", 24, marks=pytest.mark.req("R119")),
        pytest.param("summary_refresh_interval_minutes", 60, marks=pytest.mark.req("R120")),
        pytest.param("max_processed_turns", 1024, marks=pytest.mark.req("R121")),
        pytest.param("session_lock_timeout_ms", 5000),
        pytest.param("guard_lease_seconds", 30),
        pytest.param("heuristic.enabled", False, marks=pytest.mark.req("R122")),
        pytest.param("heuristic.model", "openai/gpt-oss-120b", marks=pytest.mark.req("R123")),
        pytest.param("heuristic.base_url", "", marks=pytest.mark.req("R124")),
        pytest.param("heuristic.timeout_ms", 12000, marks=pytest.mark.req("R125")),
        pytest.param("heuristic.max_output_tokens", 800, marks=pytest.mark.req("R126")),
    ],
)
def test_a_key_that_is_not_set_has_the_contract_s_default(key: str, default: object) -> None:
    assert in_force(load(None, {}))[f"memory.{key}"] == default


@pytest.mark.req("R127")
def test_the_full_example_document_loads_and_says_the_defaults() -> None:
    settings = read({"CAIRN_SETTINGS": EXAMPLE})

    assert settings.memory_enabled
    assert settings.memory == MemorySettings()


@pytest.mark.req("R127")
@pytest.mark.parametrize("option", every_option())
def test_each_key_can_be_set_alone_in_the_document(option: Option) -> None:
    value = OTHER_VALUES[option.key]
    document = document_of(*option.key.split("."), as_json(value))
    if option.key == NEEDS_URL:
        document["settings"]["mcp"]["memory"]["heuristic"]["base_url"] = "https://models.example.com"
    needed = {"memory.heuristic.base_url"}
    if option.key == NEEDS_AUDIENCE:
        document["settings"]["mcp"]["auth"]["oidc"]["audience"] = "cairn"
        needed = {"auth.oidc.audience"}

    found = in_force(load(document, MODEL_KEY))

    assert found[option.key] == value != option.default
    changed = {key for key, each in OPTIONS.items() if found[key] != each.default}
    assert changed - needed == {option.key} - needed


@pytest.mark.req("R127")
@pytest.mark.parametrize("option", every_option())
def test_each_key_can_be_set_by_its_environment_variable(option: Option) -> None:
    environment = {option.variable: text_of(OTHER_VALUES[option.key]), **MODEL_KEY}
    if option.key == NEEDS_URL:
        environment["CAIRN_MEMORY_HEURISTIC_BASE_URL"] = "https://models.example.com"
    if option.key == NEEDS_AUDIENCE:
        environment["CAIRN_AUTH_OIDC_AUDIENCE"] = "cairn"

    settings = load(None, environment)

    assert in_force(settings)[option.key] == OTHER_VALUES[option.key]
    assert option.variable in {each.source for each in provenance(settings)}


@pytest.mark.parametrize(
    "option", [pytest.param(o, id=k) for k, o in OPTIONS.items() if k.startswith(("memory.", "tools.memory."))]
)
def test_each_memory_key_can_be_set_for_one_tenant(option: Option) -> None:
    document = document_of("tenants", "acme", *option.key.split("."), OTHER_VALUES[option.key])
    if option.key == NEEDS_URL:
        document["settings"]["mcp"]["tenants"]["acme"]["memory"]["heuristic"]["base_url"] = "https://models.example.com"

    settings = load(document, MODEL_KEY)

    assert in_force(settings, Tenant("acme"))[option.key] == OTHER_VALUES[option.key]
    assert in_force(settings, Tenant("other"))[option.key] == option.default
    assert settings.memory_for(Tenant("other")) == MemorySettings()


@pytest.mark.req("R128")
@pytest.mark.parametrize("where", [("memory",), ("tools", "memory")])
def test_memory_keys_are_read_under_both_names(where: tuple[str, ...]) -> None:
    assert load(document_of(*where, {"search_limit": 9, "heuristic": {"model": "m"}}), {}).memory == MemorySettings(
        search_limit=9, heuristic=HeuristicSettings(model="m")
    )


@pytest.mark.req("R128")
def test_the_two_names_may_agree_but_not_differ() -> None:
    document = document_of("tools", "memory", {"enabled": True, "search_limit": 9})
    document["settings"]["mcp"]["memory"] = {"search_limit": 9}
    assert load(document, {}).memory.search_limit == 9

    document["settings"]["mcp"]["memory"]["search_limit"] = 8
    with pytest.raises(SettingsError, match=r"memory\.search_limit: differs from settings\.mcp\.memory\.search_limit"):
        load(document, {})


def test_a_tenant_s_value_goes_before_the_environment_s_and_that_before_the_document_s() -> None:
    document = document_of("memory", "search_limit", 1)
    document["settings"]["mcp"]["tenants"] = {"acme": {"memory": {"search_limit": 3}}}

    settings = load(document, {"CAIRN_MEMORY_SEARCH_LIMIT": "2"})

    assert settings.memory.search_limit == 2
    assert settings.memory_for(Tenant("acme")).search_limit == 3


def test_every_effective_value_says_where_it_came_from() -> None:
    document = document_of("memory", {"search_limit": 1, "recall_facts_limit": 2})
    document["settings"]["mcp"]["tenants"] = {"acme": {"memory": {"max_processed_turns": 3}}}
    settings = load(document, {"CAIRN_MEMORY_SEARCH_LIMIT": "2"})

    sources = {each.key.rpartition(".")[2]: each.source for each in provenance(settings, Tenant("acme"))}

    assert sources["search_limit"] == "CAIRN_MEMORY_SEARCH_LIMIT"
    assert sources["recall_facts_limit"] == "document"
    assert sources["max_processed_turns"] == "tenant acme"
    assert sources["recent_context_items"] == "default"


@pytest.mark.req("R004")
def test_a_single_tool_can_be_switched_off() -> None:
    settings = load(document_of("tools", {"memory": {"enabled": True}, "memory_after_turn": {"enabled": False}}), {})

    assert settings.tool_switches == {"memory_after_turn": False}


def test_a_document_may_be_json_or_a_file(tmp_path: Path) -> None:
    document = document_of("memory", "search_limit", 9)
    path = tmp_path / "settings.yaml"
    path.write_text("settings: {mcp: {memory: {search_limit: 9}}}")

    assert read({"CAIRN_SETTINGS": json.dumps(document)}).memory.search_limit == 9
    assert read({"CAIRN_SETTINGS_FILE": str(path)}).memory.search_limit == 9
    with pytest.raises(SettingsError, match="CAIRN_SETTINGS: is given beside CAIRN_SETTINGS_FILE"):
        read({"CAIRN_SETTINGS": "{}", "CAIRN_SETTINGS_FILE": str(path)})


def test_the_store_is_a_directory_or_aws() -> None:
    aws = {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "k"}

    assert load(None, {}).store is None
    assert load(None, {"CAIRN_DATA": "/data"}).store == EmbeddedStore(directory=Path("/data"))
    assert load(None, aws).store == AwsStore(table="t", bucket="b", key_id="k")
    queued = load(None, {**aws, "CAIRN_QUEUE_URL": "https://sqs/jobs"}).store
    assert queued == AwsStore(table="t", bucket="b", key_id="k", queue_url="https://sqs/jobs")
    with pytest.raises(SettingsError, match="CAIRN_DATA: is given beside CAIRN_TABLE"):
        load(None, {"CAIRN_DATA": "/data", **aws})
    with pytest.raises(SettingsError, match="CAIRN_DATA: is given beside CAIRN_QUEUE_URL"):
        load(None, {"CAIRN_DATA": "/data", "CAIRN_QUEUE_URL": "https://sqs/jobs"})
    with pytest.raises(SettingsError, match="CAIRN_TABLE: is missing beside CAIRN_QUEUE_URL"):
        load(None, {"CAIRN_QUEUE_URL": "https://sqs/jobs"})


def test_every_setting_has_another_value_in_these_tests() -> None:
    assert set(OTHER_VALUES) == set(OPTIONS)
    assert {option.variable for option in OPTIONS.values()} < set(variables())
    assert len({option.variable for option in OPTIONS.values()}) == len(OPTIONS)


def test_every_field_of_the_settings_is_a_setting() -> None:
    kinds = (
        MemorySettings,
        ContextSettings,
        HeuristicSettings,
        Limits,
        Quotas,
        OidcSettings,
        ClusterSettings,
        EnrichmentSettings,
        EmbeddingSettings,
        RateSettings,
        AuditSettings,
        ArchiveSettings,
        BackupSettings,
        BudgetSettings,
    )
    assert sum(len(fields(kind)) for kind in kinds) - 2 + 3 == len(OPTIONS)
