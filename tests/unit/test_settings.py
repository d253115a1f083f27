from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.domain.errors import SettingsError
from cairn.domain.ids import Tenant
from cairn.domain.settings import (
    AuditSettings,
    ClusterSettings,
    EmbeddingSettings,
    EnrichmentSettings,
    HeuristicSettings,
    Limits,
    MemorySettings,
    OidcSettings,
    Quotas,
    RateSettings,
)
from cairn.runtime import settings as settings_of
from cairn.runtime.options import OPTIONS, Option
from cairn.runtime.settings import AwsStore, EmbeddedStore, load, provenance, read, variables

OTHER_VALUES: Mapping[str, Any] = {
    "tools.memory.enabled": True,
    "memory.recent_context_items": 3,
    "memory.recall_facts_limit": 4,
    "memory.search_limit": 1,
    "memory.compact_threshold": 0.5,
    "memory.l1_retention_days": 2,
    "memory.session_retention_days": 30,
    "memory.l2_retention_days": 14,
    "memory.compaction_min_age_hours": 48,
    "memory.summary_refresh_interval_minutes": 5,
    "memory.max_processed_turns": 10,
    "memory.session_lock_timeout_ms": 100,
    "memory.guard_lease_seconds": 60,
    "memory.recall_scope": "user",
    "memory.legacy_files": True,
    "memory.lenient": True,
    "memory.heuristic.enabled": True,
    "memory.heuristic.provider": "bedrock",
    "memory.heuristic.model": "another/model",
    "memory.heuristic.base_url": "https://models.example.com/v1",
    "memory.heuristic.api_key_arn": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:model-AbCdEf",
    "memory.heuristic.timeout_ms": 500,
    "memory.heuristic.max_output_tokens": 64,
    "limits.request_bytes": 4096,
    "limits.list_items": 7,
    "limits.text_bytes": 100,
    "limits.json_depth": 8,
    "limits.value_bytes": 50,
    "quotas.namespace_items": 2,
    "quotas.namespace_bytes": 200,
    "quotas.tenant_items": 3,
    "quotas.tenant_bytes": 300,
    "limits.file_bytes": 5000,
    "limits.project_bytes": 50_000,
    "auth.oidc.issuer": "https://login.example.com/realm",
    "auth.oidc.resource": "https://memory.example.com/mcp",
    "auth.oidc.audience": "cairn",
    "auth.oidc.jwks_uri": "https://login.example.com/keys",
    "auth.oidc.tenant_claim": "org_id",
    "auth.oidc.projects_claim": "projects",
    "auth.oidc.scope_prefix": "memory/",
    "cluster.base_url": "https://cluster.example.com:6443",
    "cluster.ca_pem": "-----BEGIN CERTIFICATE-----",
    "cluster.timeout_ms": 300,
    "enrichment.enabled": True,
    "enrichment.tools": ("another_tool", "a_third"),
    "enrichment.mode": "tool",
    "enrichment.top_k": 2,
    "enrichment.timeout_ms": 50,
    "enrichment.summary_bytes": 300,
    "enrichment.retention_days": 7,
    "embedding.embedder": "titan",
    "embedding.directory": "/opt/model",
    "embedding.titan_mean": 0.06,
    "embedding.titan_deviation": 0.12,
    "rate_limits.tenant_per_second": 2.5,
    "rate_limits.tenant_burst": 7,
    "rate_limits.tool_per_second": 1.5,
    "rate_limits.tool_burst": 6,
    "rate_limits.namespace_per_second": 0.5,
    "rate_limits.namespace_burst": 5,
    "audit.retention_days": 30,
    "allowed_origins": ("https://app.example.com",),
}
NEEDS_URL = "memory.heuristic.enabled"
MODEL_KEY = {"CAIRN_HEURISTIC_API_KEY": "key"}
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


def document_of(*path_and_value: object) -> dict[str, Any]:
    *path, value = path_and_value
    node: Any = value
    for name in reversed(("settings", "mcp", *path)):
        node = {str(name): node}
    return node


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


@pytest.mark.req("R116")
@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, float("nan"), float("inf"), "0.5", True, None])
def test_a_compact_threshold_outside_zero_to_one_is_refused_by_name(value: object) -> None:
    with pytest.raises(SettingsError, match=r"^settings\.mcp\.memory\.compact_threshold: "):
        load(document_of("memory", "compact_threshold", value), {})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("memory", "recent_context_items"), -1),
        (("memory", "recent_context_items"), 1.5),
        (("memory", "recent_context_items"), "30"),
        (("memory", "recent_context_items"), True),
        (("memory", "l1_retention_days"), 0),
        (("memory", "recall_scope"), "everything"),
        (("memory", "heuristic", "timeout_ms"), 0),
        (("memory", "heuristic"), "on"),
        (("memory", "enabled"), True),
        (("memory", "recent_contextitems"), 3),
        (("memory",), [1]),
        (("limits", "json_depth"), 10_000),
        (("limits", "memory"), {"x": 1}),
        (("tools", "memory", "enabled"), "yes"),
        (("tools", "memory_before_turn", "enabled"), "no"),
        (("tools", "memory_before_turn"), False),
        (("tools", "memory_before_turn", "limit"), 3),
        (("tenants", "acme", "limits", "list_items"), 3),
        (("tenants", "acme", "memory", "nothing"), 3),
        (("tenants", "acme", "memory", "enabled"), True),
        (("tenants", "acme", "tools", "memory", "enabled"), "yes"),
        (("tenants", "acme", "tools", "memory_before_turn", "enabled"), False),
        (("auth", "oidc", "issuer"), "http://login.example.com"),
        (("auth", "oidc", "issuer"), "login.example.com"),
        (("auth", "oidc", "issuer"), "https://login.example.com?a=b"),
        (("auth", "oidc", "resource"), "http://memory.example.com/mcp"),
        (("auth", "oidc", "jwks_uri"), "https://user@login.example.com/keys"),
        (("auth", "oidc", "resource"), "https://memory.example.com"),
        (("auth", "oidc", "resource"), "https://memory.example.com/mcp/"),
        (("auth", "oidc", "scope_prefix"), 'a"b'),
        (("auth", "oidc", "scope_prefix"), "a b"),
        (("auth", "oidc", "secret"), "x"),
        (("tenants", "acme", "auth", "oidc", "issuer"), "https://login.example.com"),
        (("allowed_origins",), "https://example.com"),
        (("allowed_origins",), ["example.com"]),
        (("nothing",), 1),
    ],
)
def test_what_is_unknown_or_out_of_range_is_refused_with_its_full_key(path: tuple[str, ...], value: object) -> None:
    with pytest.raises(SettingsError) as raised:
        load(document_of(*path, value), {})

    assert str(raised.value).startswith(".".join(("settings", "mcp", *path)))


@pytest.mark.parametrize(
    "document", [{"mcp": {}}, {"settings": {"memory": {"x": 1}}}, {"settings": 3}, {"setting": None}]
)
def test_a_document_that_does_not_begin_with_settings_mcp_is_refused(document: Mapping[str, Any]) -> None:
    with pytest.raises(SettingsError):
        load(document, {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "settings:",
        "settings:\n  mcp:\n    memory:\n    tools:\n    tenants:\n      acme:\n        tools:\n          memory:\n",
        '{"settings": {}}',
    ],
)
def test_an_empty_section_sets_nothing(text: str) -> None:
    assert read({"CAIRN_SETTINGS": text}) == load(None, {})


@given(st.text(max_size=60))
def test_any_text_as_a_document_loads_or_is_refused_plainly(text: str) -> None:
    try:
        read({"CAIRN_SETTINGS": text})
    except SettingsError as error:
        assert "CAIRN_SETTINGS" in str(error) or "no setting" in str(error)  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize("name", ["CAIRN_MEMORY_RECENT_ITEMS", "CAIRN_", "CAIRN_SETTING"])
def test_an_unknown_variable_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: is no setting$"):
        load(None, {name: "1"})


def test_variables_of_others_are_none_of_its_business() -> None:
    assert load(None, {"PATH": "/bin", "AWS_REGION": "eu-central-1", "MEMORY_ENABLED": "true"}) == load(None, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [("CAIRN_MEMORY_SEARCH_LIMIT", "many"), ("CAIRN_MEMORY_ENABLED", "perhaps"), ("CAIRN_LIMITS_LIST_ITEMS", "0")],
)
def test_a_variable_out_of_range_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: "):
        load(None, {name: text})


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
        read({"CAIRN_SETTINGS": "", "CAIRN_SETTINGS_FILE": str(path)})


@pytest.mark.parametrize("text", ["[1, 2]", "3", "{a: [", "\ttab", "a: !!python/object:os.system x"])
def test_a_text_that_is_no_document_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^CAIRN_SETTINGS: ") as raised:
        read({"CAIRN_SETTINGS": text})

    assert text not in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="CAIRN_SETTINGS_FILE: cannot be read"):
        read({"CAIRN_SETTINGS_FILE": str(tmp_path / "missing")})


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


@pytest.mark.parametrize("missing", ["CAIRN_TABLE", "CAIRN_BUCKET", "CAIRN_KEY_ID"])
def test_half_an_aws_store_is_refused(missing: str) -> None:
    aws = {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "k"}
    del aws[missing]

    with pytest.raises(SettingsError, match=f"^{missing}: is missing"):
        load(None, aws)


def test_the_master_key_is_in_no_repr() -> None:
    settings = load(None, {"CAIRN_DATA": "/data", "LUMERA_MEMORY_KEY": "canary" * 10})

    assert isinstance(settings.store, EmbeddedStore)
    assert settings.store.master_key == "canary" * 10
    assert "canary" not in repr(settings)


@pytest.mark.req("R065")
@pytest.mark.parametrize("base_url", ["", "api.example.com", "/v1", "https://", "ftp://example.com"])
def test_the_heuristic_needs_an_absolute_url_when_it_is_enabled(base_url: str) -> None:
    heuristic = {"enabled": True, "base_url": base_url}

    for where in (("memory",), ("tenants", "acme", "memory")):
        key = ".".join(("settings", "mcp", *where, "heuristic", "base_url"))
        with pytest.raises(SettingsError, match=f"^{key}: "):
            load(document_of(*where, {"heuristic": heuristic}), {})
    assert not load(document_of("memory", {"heuristic": {"base_url": base_url}}), {}).memory.heuristic.enabled


def test_bedrock_needs_no_url_and_no_key() -> None:
    heuristic = {"enabled": True, "provider": "bedrock", "model": "amazon.nova-micro-v1:0"}

    assert load(document_of("memory", {"heuristic": heuristic}), {}).memory.heuristic == HeuristicSettings(
        enabled=True, provider="bedrock", model="amazon.nova-micro-v1:0"
    )


@pytest.mark.req("R063")
def test_a_heuristic_without_credentials_is_off_and_on_with_the_environment_s_key_or_a_secret_of_the_tenant() -> None:
    heuristic = {"enabled": True, "base_url": "https://models.example.com"}
    own = {**heuristic, "api_key_arn": OTHER_VALUES["memory.heuristic.api_key_arn"]}
    document = document_of("tenants", {"acme": {"memory": {"heuristic": own}}})
    document["settings"]["mcp"]["memory"] = {"heuristic": heuristic}

    def is_on(tenant: str, environment: dict[str, str]) -> bool:
        return load(document, environment).memory_for(Tenant(tenant)).heuristic.enabled

    assert (is_on("acme", {}), is_on("other", {})) == (True, False)
    assert (is_on("acme", MODEL_KEY), is_on("other", MODEL_KEY)) == (True, True)
    assert load(document, {}).memory.heuristic.base_url == "https://models.example.com"


@pytest.mark.req("R063")
@pytest.mark.parametrize("given", ["sk-canary", "model-key", "arn:aws:s3:::canary", "arn:aws:secretsmanager:canary"])
def test_a_key_in_place_of_its_secret_s_arn_is_refused_without_being_quoted(given: str) -> None:
    with pytest.raises(SettingsError, match=r"^settings\.mcp\.memory\.heuristic\.api_key_arn: ") as refused:
        load(document_of("memory", {"heuristic": {"api_key_arn": given}}), {})

    assert given not in str(refused.value)


def test_an_issuer_needs_an_audience_or_a_resource_and_a_claim_that_names_the_tenant() -> None:
    issuer = {"issuer": "https://login.example.com"}

    with pytest.raises(SettingsError, match=r"^settings\.mcp\.auth\.oidc\.audience: "):
        load(document_of("auth", "oidc", issuer), {})
    with pytest.raises(SettingsError, match=r"^settings\.mcp\.auth\.oidc\.tenant_claim: "):
        load(document_of("auth", "oidc", {**issuer, "audience": "a", "tenant_claim": ""}), {})
    for enough in ({"audience": "a"}, {"resource": "https://memory.example.com/mcp"}):
        assert load(document_of("auth", "oidc", {**issuer, **enough}), {}).auth.oidc.issuer == issuer["issuer"]
    local = {"issuer": "http://127.0.0.1:9000", "resource": "http://localhost:8788/mcp"}
    assert load(document_of("auth", "oidc", local), {}).auth.oidc.resource == local["resource"]


def test_every_setting_has_another_value_in_these_tests() -> None:
    assert set(OTHER_VALUES) == set(OPTIONS)
    assert {option.variable for option in OPTIONS.values()} < set(variables())
    assert len({option.variable for option in OPTIONS.values()}) == len(OPTIONS)


def test_every_field_of_the_settings_is_a_setting() -> None:
    kinds = (
        MemorySettings,
        HeuristicSettings,
        Limits,
        Quotas,
        OidcSettings,
        ClusterSettings,
        EnrichmentSettings,
        EmbeddingSettings,
        RateSettings,
        AuditSettings,
    )
    assert sum(len(fields(kind)) for kind in kinds) - 1 + 2 == len(OPTIONS)


ENRICHMENT = {
    "ENABLE_ORCH_CONTEXT": ("true", "enabled", True),
    "MEM_CTX_TOOLS": ("one_tool, another", "tools", ("one_tool", "another")),
    "ORCH_CONTEXT_MODE": ("conversation", "mode", "conversation"),
    "CONTEXT_TOPK": ("1", "top_k", 1),
    "CONTEXT_TIMEOUT_MS": ("250", "timeout_ms", 250),
    "CONTEXT_SUMMARY_BYTES": ("700", "summary_bytes", 700),
}


@pytest.mark.req("R210")
@pytest.mark.req("R211")
@pytest.mark.req("R212")
@pytest.mark.req("R213")
@pytest.mark.req("R214")
@pytest.mark.req("R215")
def test_enrichment_is_off_and_has_the_defaults_of_its_pilot() -> None:
    assert load(None, {}).enrichment == EnrichmentSettings(
        enabled=False,
        tools=("oc_diagnostic_pod_health",),
        mode="hybrid",
        top_k=3,
        timeout_ms=400,
        summary_bytes=1500,
    )


@pytest.mark.req("R211")
@pytest.mark.parametrize("variable", ENRICHMENT)
def test_enrichment_is_set_by_its_pilot_s_variables_too(variable: str) -> None:
    text, name, value = ENRICHMENT[variable]
    settings = load(None, {variable: text})
    assert getattr(settings.enrichment, name) == value
    assert variable in {each.source for each in provenance(settings)}
    own = f"CAIRN_ENRICHMENT_{name.upper()}"
    with pytest.raises(SettingsError, match=f"{variable}: is given beside {own}"):
        load(None, {variable: text, own: text})


@pytest.mark.req("R212")
@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("ENABLE_ORCH_CONTEXT", "perhaps"),
        ("ORCH_CONTEXT_MODE", "vector"),
        ("CONTEXT_TOPK", "4"),
        ("CONTEXT_TIMEOUT_MS", "401"),
        ("CONTEXT_SUMMARY_BYTES", "1501"),
    ],
)
def test_any_other_value_of_enrichment_is_refused_by_its_variable(variable: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"^{variable}: "):
        load(None, {variable: text})
