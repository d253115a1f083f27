"""What operators read of settings: what is in force for their tenant and why, and no secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.services import Services
from cairn.settings.settings import (
    CLUSTER_TOKEN,
    CLUSTER_TOKEN_ARN,
    MASTER_KEY,
    MODEL_KEY,
    Settings,
    load,
    provenance,
)
from support.access import EventOf
from support.bound import ACME, House
from support.services import services_over

ARN = "arn:aws:secretsmanager:eu-north-1:123456789012:secret:{}-AbCdEf"
PLANTED = {
    MASTER_KEY: "bWFzdGVyLWtleS1vZi10aGlzLW1hY2hpbmUtMDAwMDE=",
    MODEL_KEY: "sk-planted-model-key-000000000000",
    CLUSTER_TOKEN: "sha256~planted-cluster-token-0000",
    CLUSTER_TOKEN_ARN: ARN.format("cluster"),
}


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


@pytest.fixture
def operator(house: House) -> str:
    return house.key()


def planted(directory: Path) -> Settings:
    """Return settings in which there is a secret of each kind, of the deployment and of two tenants."""
    of_tenants = {
        "acme": {
            "memory": {"heuristic": {"api_key_arn": ARN.format("acme"), "base_url": "https://u:hunter22@a.example"}}
        },
        "globex": {"memory": {"search_limit": 77, "heuristic": {"model": "globex-model"}}},
    }
    mcp = {
        "memory": {"heuristic": {"api_key_arn": ARN.format("all")}},
        "cluster": {"ca_pem": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----"},
        "tenants": of_tenants,
    }
    return load({"settings": {"mcp": mcp}}, {**PLANTED, "CAIRN_DATA": str(directory), "CAIRN_MEMORY_ENABLED": "true"})


def test_no_secret_and_nothing_that_names_one_or_is_another_tenant_s_is_among_the_settings(
    house: House, operator: str, adapters: Adapters, tmp_path: Path
) -> None:
    wiring.provide(services_over(adapters, planted(tmp_path)))

    answer = json.dumps(house.ask(operator, "memory_list_settings", {}))

    for text in (*PLANTED.values(), "secretsmanager", "hunter22", "BEGIN PRIVATE", "globex", str(tmp_path)):
        assert text not in answer
    told = {each["key"]: each for each in json.loads(answer)["settings"]}
    hidden = {key for key, each in told.items() if each["value"] == "set"}
    assert hidden == {
        "settings.mcp.memory.heuristic.api_key_arn",
        "settings.mcp.memory.heuristic.base_url",
        "settings.mcp.cluster.ca_pem",
        MODEL_KEY,
        CLUSTER_TOKEN,
    }
    assert told["settings.mcp.memory.search_limit"]["value"] == 5


def test_settings_are_told_as_the_command_prints_them(house: House, operator: str, adapters: Adapters) -> None:
    mcp = {"tenants": {"acme": {"memory": {"search_limit": 7}}}, "quotas": {"tenant_items": 9}}
    settings = load(
        {"settings": {"mcp": mcp}}, {"CAIRN_MEMORY_ENABLED": "true", "CAIRN_ALLOWED_ORIGINS": "https://a.example"}
    )
    wiring.provide(services_over(adapters, settings))

    listed = house.ask(operator, "memory_list_settings", {})["settings"]

    of_acme = provenance(settings, ACME)
    assert [(each["key"], each["source"], each["description"]) for each in listed] == [
        (each.key, each.source, each.description) for each in of_acme
    ]
    told = {each["key"].removeprefix("settings.mcp."): each for each in listed}
    assert (told["memory.search_limit"]["value"], told["memory.search_limit"]["default"]) == (7, 5)
    assert told["memory.search_limit"]["source"] == "tenant acme"
    assert (told["quotas.tenant_items"]["value"], told["quotas.tenant_items"]["source"]) == (9, "document")
    assert (told["allowed_origins"]["value"], told["allowed_origins"]["default"]) == (["https://a.example"], [])
    assert told["tools.memory.enabled"] == {
        "key": "settings.mcp.tools.memory.enabled",
        "value": True,
        "source": "CAIRN_MEMORY_ENABLED",
        "description": told["tools.memory.enabled"]["description"],
        "default": False,
    }
