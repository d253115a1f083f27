"""Which cluster a sandbox reads and with which token: of its settings, and no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.aws.sandbox import LambdaSandbox
from cairn.embedded.sandbox import ProcessSandbox
from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.ground.ids import Tenant
from cairn.ground.settings import ClusterSettings
from cairn.settings.settings import AwsStore, EmbeddedStore, Settings, load, provenance
from cairn.wiring import wiring_of
from cairn_sandbox import clusters, door
from cairn_tools.oc_diagnostic_pod_health import oc_diagnostic_pod_health
from support.sandbox import Serve, pod, pod_list

URL = "https://cluster.example.com:6443"
ASKED = {"tool": oc_diagnostic_pod_health.name, "arguments": {"namespace": "shop"}, "request_id": "request-1"}


def document(**cluster: Any) -> dict[str, Any]:
    return {"settings": {"mcp": {"cluster": cluster}}}


def test_the_cluster_is_one_section_of_the_settings_document() -> None:
    settings = load(document(base_url=URL, ca_pem="PEM", timeout_ms=500), {"CAIRN_CLUSTER_TOKEN": "t"})

    assert settings.cluster == ClusterSettings(base_url=URL, ca_pem="PEM", timeout_ms=500)
    assert settings.cluster_token == "t"


@pytest.mark.parametrize(
    "base_url",
    [
        "cluster.example.com",
        "http://cluster.example.com",
        "https://u:p@h.example",
        "https://h.example?a=1",
        "file:///x",
    ],
)
def test_a_base_url_that_could_lead_the_token_astray_is_refused_at_start_up(base_url: str) -> None:
    with pytest.raises(SettingsError, match=r"^settings\.mcp\.cluster\.base_url: must "):
        load(document(base_url=base_url), {})


@pytest.mark.parametrize("timeout_ms", [0, -1, 15_001, 1.5, "500"])
def test_a_timeout_out_of_range_is_refused_at_start_up(timeout_ms: object) -> None:
    with pytest.raises(SettingsError, match=r"^settings\.mcp\.cluster\.timeout_ms: "):
        load(document(timeout_ms=timeout_ms), {})


def test_the_token_is_shown_nowhere_but_that_it_is_set() -> None:
    settings = load(None, {"CAIRN_CLUSTER_TOKEN": "canary"})

    shown = {each.key: (each.value, each.source) for each in provenance(settings, Tenant("acme"))}

    assert shown["CAIRN_CLUSTER_TOKEN"] == ("set", "environment")
    assert "canary" not in f"{settings!r}{shown}"
    with pytest.raises(SettingsError, match=r"^CAIRN_CLUSTER_TOKEN: must be printable") as raised:
        load(None, {"CAIRN_CLUSTER_TOKEN": "canary 2"})
    assert "canary" not in str(raised.value)


def test_no_cluster_is_the_caller_s_to_know_and_no_token_the_operator_s() -> None:
    with pytest.raises(InvalidArgument, match=r"settings\.mcp\.cluster\.base_url"):
        clusters.cluster_of(Settings(memory_enabled=True))
    with pytest.raises(SettingsError, match=r"^CAIRN_CLUSTER_TOKEN_ARN or CAIRN_CLUSTER_TOKEN: is missing"):
        clusters.cluster_of(Settings(memory_enabled=True, cluster=ClusterSettings(base_url=URL)))


@pytest.mark.enable_socket
@pytest.mark.parametrize("given", ["document", "variables"])
def test_the_sandbox_reads_its_own_environment(given: str, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    api = serve(lambda exchange: exchange.say(pod_list(pod())))
    if given == "document":
        monkeypatch.setenv("CAIRN_SETTINGS", json.dumps(document(base_url=api.url)))
    else:
        monkeypatch.setenv("CAIRN_CLUSTER_BASE_URL", api.url)
    monkeypatch.setenv("CAIRN_CLUSTER_TOKEN", "token-1")

    answered = door.answer(ASKED)

    assert answered == {"result": {"findings": [], "summary": "1 pod in shop, 0 with findings."}}
    assert {shown for _, shown in api.asked} == {"Bearer token-1"}


@pytest.mark.enable_socket
def test_the_token_of_secrets_manager_is_kept_from_one_call_to_the_next_until_it_is_refused(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Secret:
        def __init__(self, _clients: object, arn: str) -> None:
            assert arn == "arn:aws:secretsmanager:us-east-1:123456789012:secret:token"
            self.reads = self.forgotten = 0
            made.append(self)

        def read(self) -> str:
            self.reads += 1
            return f"token-{self.forgotten}"

        def forget(self) -> None:
            self.forgotten += 1

    made: list[Secret] = []
    api = serve(lambda exchange: exchange.say({}, 401))
    monkeypatch.setattr("cairn.aws.secret_parameter.SecretParameter", Secret)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("CAIRN_CLUSTER_BASE_URL", api.url)
    monkeypatch.setenv("CAIRN_CLUSTER_TOKEN_ARN", "arn:aws:secretsmanager:us-east-1:123456789012:secret:token")

    answers = [door.answer(ASKED)["error"]["code"] for _ in range(2)]

    assert answers == ["UNAVAILABLE", "UNAVAILABLE"]
    assert [shown for _, shown in api.asked] == ["Bearer token-0", "Bearer token-1"]
    assert len(made) == 1


def test_the_store_decides_where_the_sandbox_is(tmp_path: Path) -> None:
    aws = Settings(memory_enabled=True, store=AwsStore(table="t", bucket="b", key_id="k"), sandbox="function")
    embedded = Settings(memory_enabled=True, store=EmbeddedStore(directory=tmp_path))

    assert isinstance(wiring_of(aws).sandbox(), LambdaSandbox)
    assert isinstance(wiring_of(embedded).sandbox(), ProcessSandbox)
