"""Settings of what Cairn asks of others: language models, an issuer's tokens, enrichment."""

from __future__ import annotations

import pytest

from cairn.ground.errors import SettingsError
from cairn.ground.ids import Tenant
from cairn.ground.settings import (
    EnrichmentSettings,
    HeuristicSettings,
)
from cairn.settings.settings import load, provenance
from support.settings import MODEL_KEY, OTHER_VALUES, document_of


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


@pytest.mark.req("R213")
@pytest.mark.req("R214")
@pytest.mark.req("R215")
@pytest.mark.parametrize(
    ("variable", "value"), [("CONTEXT_TOPK", 10), ("CONTEXT_TIMEOUT_MS", 2000), ("CONTEXT_SUMMARY_BYTES", 6000)]
)
def test_what_its_pilot_proposes_is_no_maximum(variable: str, value: int) -> None:
    assert getattr(load(None, {variable: str(value)}).enrichment, ENRICHMENT[variable][1]) == value


@pytest.mark.req("R212")
@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("ENABLE_ORCH_CONTEXT", "perhaps"),
        ("ORCH_CONTEXT_MODE", "vector"),
        ("CONTEXT_TOPK", "0"),
        ("CONTEXT_TOPK", "21"),
        ("CONTEXT_TIMEOUT_MS", "0"),
        ("CONTEXT_TIMEOUT_MS", "5001"),
        ("CONTEXT_SUMMARY_BYTES", "63"),
        ("CONTEXT_SUMMARY_BYTES", "16001"),
    ],
)
def test_any_other_value_of_enrichment_is_refused_by_its_variable(variable: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"^{variable}: "):
        load(None, {variable: text})
