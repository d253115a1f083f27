"""Each heuristic.* setting, from the environment to the endpoint and back into memory."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cairn import wiring
from cairn.access.callers import Caller
from cairn.conversation.items import message
from cairn.ground.errors import SettingsError
from cairn.ground.ids import Tenant
from cairn.local.cli import main
from cairn.local.store import open_store
from cairn.settings.settings import load, provenance
from cairn.telemetry import record as telemetry
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG

pytestmark = pytest.mark.enable_socket

KEY = "canary-key-51c2"
SAID = "Look how my cat Tom jumps!"
Serve = Callable[..., Any]
Says = Callable[..., Callable[[Any], object]]
Learnt = Callable[..., int]


@pytest.fixture
def learnt(tmp_path: Path, caller: Caller) -> Iterator[Learnt]:
    """Return a function that stores a turn under an environment and returns how many facts that made.

    Without a model the turn is read by rules and by its words alone, which find none.
    """
    turn: dict[str, Any] = {"project": "garden", "session_id": "monday", "turn_id": "t1", "output_items": []}
    arguments = {**turn, "input_items": [message("user", SAID)]}
    with ExitStack() as stores:

        def remember(environment: dict[str, str], tenant: str = "acme") -> int:
            data = tmp_path / f"data-{len(list(tmp_path.iterdir()))}"
            stores.enter_context(open_store(data, {**environment, "CAIRN_EMBEDDING_EMBEDDER": "none"}))
            call = Call(replace(caller, tenant=Tenant(tenant)), wiring.services())
            return execute(CATALOG, "memory_after_turn", arguments, call)["facts_written"]

        yield remember


def environment(endpoint: Any, **knobs: object) -> dict[str, str]:
    """Return an environment with the heuristic on, and these knobs."""
    given = {"enabled": True, "base_url": endpoint.url, **knobs}
    own = {f"CAIRN_MEMORY_HEURISTIC_{name.upper()}": str(value) for name, value in given.items()}
    return {"CAIRN_MEMORY_ENABLED": "true", "CAIRN_HEURISTIC_API_KEY": KEY, **own}


@pytest.fixture
def endpoint(serve: Serve, says: Says, good: bytes) -> Any:
    return serve(says(good))


@pytest.mark.req("R122")
@pytest.mark.req("R127")
def test_enabled_decides_whether_a_model_is_asked(endpoint: Any, learnt: Learnt) -> None:
    assert (learnt(environment(endpoint, enabled=False)), len(endpoint.asked)) == (0, 0)
    assert (learnt(environment(endpoint)), len(endpoint.asked)) == (1, 1)


@pytest.mark.req("R063")
@pytest.mark.parametrize("key", [None, ""])
def test_without_credentials_no_model_is_asked(key: str | None, endpoint: Any, learnt: Learnt) -> None:
    given = environment(endpoint)
    del given["CAIRN_HEURISTIC_API_KEY"]

    assert learnt(given if key is None else {**given, "CAIRN_HEURISTIC_API_KEY": key}) == 0
    assert endpoint.asked == []


@pytest.mark.req("R063")
def test_a_model_is_asked_for_the_tenant_that_opted_in(endpoint: Any, learnt: Learnt) -> None:
    heuristic = {"enabled": True, "base_url": endpoint.url}
    own = {"tools": {"memory": {"enabled": True}}, "tenants": {"acme": {"memory": {"heuristic": heuristic}}}}
    given = {"CAIRN_SETTINGS": json.dumps({"settings": {"mcp": own}}), "CAIRN_HEURISTIC_API_KEY": KEY}

    assert (learnt(given, tenant="other"), len(endpoint.asked)) == (0, 0)
    assert (learnt(given, tenant="acme"), len(endpoint.asked)) == (1, 1)


class Vault:
    """A stand-in for Secrets Manager: it holds what a test says, and refuses where that is None."""

    def __init__(self, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secrets: dict[str, str | None] = {}
        self.server = serve(self._answer)
        monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", self.server.url)
        for name, value in ("DEFAULT_REGION", "eu-central-1"), ("ACCESS_KEY_ID", "i"), ("SECRET_ACCESS_KEY", "s"):
            monkeypatch.setenv(f"AWS_{name}", value)

    def arn(self, name: str, secret: str | None) -> str:
        """Keep a secret and return its ARN."""
        arn = f"arn:aws:secretsmanager:eu-central-1:123456789012:secret:{name}-AbCdEf"
        self.secrets[arn] = secret
        return arn

    def _answer(self, exchange: Any) -> None:
        secret = self.secrets[self.server.asked[-1][2]["SecretId"]]
        status, said = "200 OK", {"SecretString": secret}
        if secret is None:
            status, said = "400 Bad Request", {"__type": "AccessDeniedException", "message": KEY}
        body = json.dumps(said).encode()
        exchange.send(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


@pytest.fixture
def vault(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Vault:
    return Vault(serve, monkeypatch)


def settings_of_tenants(**heuristics: Mapping[str, object]) -> dict[str, str]:
    """Return an environment with a heuristic for each of these tenants."""
    own = {name: {"memory": {"heuristic": {"enabled": True, **each}}} for name, each in heuristics.items()}
    document = {"tools": {"memory": {"enabled": True}}, "tenants": own}
    return {"CAIRN_SETTINGS": json.dumps({"settings": {"mcp": document}})}


@pytest.mark.req("R063")
def test_each_tenant_s_model_is_asked_with_the_key_of_its_own_secret_and_never_the_caller_s(
    endpoint: Any, vault: Vault, learnt: Learnt, log: io.StringIO
) -> None:
    given = settings_of_tenants(
        acme={"base_url": endpoint.url, "api_key_arn": vault.arn("acme", f"{KEY}-acme\n")},
        other={"base_url": endpoint.url, "api_key_arn": vault.arn("other", f"{KEY}-other")},
        third={"base_url": endpoint.url},
    )

    for tenant in ("acme", "other", "third"):
        assert learnt({**given, "CAIRN_HEURISTIC_API_KEY": f"{KEY}-shared"}, tenant=tenant) == 1

    sent = [headers["Authorization"].removeprefix(f"Bearer {KEY}-") for _, headers, _ in endpoint.asked]
    assert sent == ["acme", "other", "shared"]
    assert KEY not in log.getvalue()


@pytest.mark.req("R062")
@pytest.mark.req("R063")
@pytest.mark.parametrize(
    ("secret", "told"),
    [
        (None, "GetSecretValue failed: AccessDeniedException"),
        ("", "there is no usable API key"),
        (f'{{"key": "{KEY}"}}', "there is no usable API key"),
        (f"{KEY}\r\nX-Injected: 1", "there is no usable API key"),
    ],
)
def test_a_secret_that_is_no_key_stores_the_turn_without_a_model_and_without_telling_it(  # noqa: PLR0913 - fixtures
    *, secret: str | None, told: str, endpoint: Any, vault: Vault, learnt: Learnt, log: io.StringIO
) -> None:
    given = settings_of_tenants(acme={"base_url": endpoint.url, "api_key_arn": vault.arn("acme", secret)})

    assert learnt(given) == 0
    assert endpoint.asked == []
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["heuristic_failure"] for line in lines if line["message"] == "call"] == [told]
    assert KEY not in log.getvalue()


@pytest.mark.req("R062")
@pytest.mark.parametrize("provider", ["responses", "bedrock"])
def test_where_aws_is_not_set_up_the_turn_is_stored_without_a_model(
    provider: str, endpoint: Any, vault: Vault, learnt: Learnt, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"provider": provider, "base_url": endpoint.url, "api_key_arn": vault.arn("acme", KEY)}
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")

    assert learnt(settings_of_tenants(acme=own)) == 0
    assert endpoint.asked == []


@pytest.mark.slow
@pytest.mark.req("R064")
def test_a_secret_that_does_not_come_is_waited_for_no_longer_than_a_model(
    endpoint: Any, serve: Serve, vault: Vault, learnt: Learnt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hesitate(exchange: Any) -> None:
        exchange.hesitate(8)

    silent = serve(hesitate)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", silent.url)
    own = {"base_url": endpoint.url, "api_key_arn": vault.arn("acme", KEY), "timeout_ms": 300}
    started = time.monotonic()

    assert learnt(settings_of_tenants(acme=own)) == 0
    assert time.monotonic() - started < 6
    assert endpoint.asked == []


@pytest.mark.req("R063")
def test_a_tenant_may_have_its_facts_from_bedrock_and_another_from_an_endpoint(  # noqa: PLR0913 - fixtures
    *, endpoint: Any, serve: Serve, says: Says, vault: Vault, learnt: Learnt, monkeypatch: pytest.MonkeyPatch
) -> None:
    upsert = {"fact_id": "pet", "key": "cat", "value": "Tom", "tier": "L0", "confidence": 1, "quote": "my cat Tom"}
    call = {"toolUse": {"toolUseId": "t", "name": "record_facts", "input": {"upserts": [upsert], "deletes": []}}}
    bedrock = serve(says(json.dumps({"output": {"message": {"role": "assistant", "content": [call]}}}).encode()))
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", bedrock.url)
    given = settings_of_tenants(
        acme={"provider": "bedrock", "model": "amazon.nova-micro-v1:0"},
        other={"base_url": endpoint.url, "api_key_arn": vault.arn("other", KEY)},
    )

    assert (learnt(given, tenant="acme"), len(bedrock.asked), len(endpoint.asked)) == (1, 1, 0)
    assert (learnt(given, tenant="other"), len(bedrock.asked), len(endpoint.asked)) == (1, 1, 1)
    assert (learnt(given, tenant="third"), len(bedrock.asked), len(endpoint.asked)) == (0, 1, 1)
    assert KEY not in str(bedrock.asked)


@pytest.mark.req("R123")
@pytest.mark.req("R126")
@pytest.mark.req("R064")
@pytest.mark.req("R127")
def test_model_and_max_output_tokens_are_those_of_the_request(endpoint: Any, learnt: Learnt) -> None:
    learnt(environment(endpoint))
    learnt(environment(endpoint, model="another/model", max_output_tokens=64))

    asked = [(body["model"], body["max_output_tokens"]) for _, _, body in endpoint.asked]
    assert asked == [("openai/gpt-oss-120b", 800), ("another/model", 64)]


@pytest.mark.req("R124")
@pytest.mark.req("R127")
def test_base_url_is_where_the_model_is(endpoint: Any, serve: Serve, says: Says, learnt: Learnt) -> None:
    other = serve(says(b"{}"))
    learnt(environment(endpoint, base_url=f"{other.url}/proxy/v1"))

    assert endpoint.asked == []
    assert [path for path, _, _ in other.asked] == ["/proxy/v1/responses"]


@pytest.mark.slow
@pytest.mark.req("R062")
@pytest.mark.req("R064")
@pytest.mark.req("R125")
@pytest.mark.req("R127")
def test_timeout_ms_is_how_long_a_turn_waits_for_its_model(
    serve: Serve, says: Says, good: bytes, learnt: Learnt
) -> None:
    def answer(exchange: Any) -> None:
        exchange.hesitate(0.4)
        says(good)(exchange)

    slow = serve(answer)

    assert learnt(environment(slow, timeout_ms=100)) == 0
    assert learnt(environment(slow, timeout_ms=20_000)) == 1


def test_the_call_s_line_tells_what_came_of_the_model_and_nothing_that_was_said(
    endpoint: Any, serve: Serve, says: Says, learnt: Learnt, log: io.StringIO
) -> None:
    learnt(environment(endpoint))
    learnt(environment(serve(says(f"{KEY} {SAID}".encode(), status="429 Too Many Requests"))))
    learnt(environment(endpoint, enabled=False))

    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    turns = [line for line in lines if line["message"] == "call" and line["tool"] == "memory_after_turn"]
    calls = [(line.get("heuristic"), line.get("heuristic_failure")) for line in turns]
    assert calls == [("ok", None), ("failed", "status 429"), (None, None)]
    assert KEY not in log.getvalue()
    assert "Tom" not in log.getvalue()


def test_noting_an_outcome_outside_a_call_does_nothing(log: io.StringIO) -> None:
    telemetry.note_heuristic("ok")

    assert log.getvalue() == ""


@pytest.mark.req("R063")
def test_whether_the_key_is_set_is_shown_and_never_the_key() -> None:
    settings = load(None, {"CAIRN_HEURISTIC_API_KEY": KEY})
    shown = {each.key: (each.value, each.source) for each in provenance(settings)}
    printed = CliRunner(env={"CAIRN_HEURISTIC_API_KEY": KEY}).invoke(main, ["settings"]).output

    assert shown["CAIRN_HEURISTIC_API_KEY"] == ("set", "environment")
    assert "CAIRN_HEURISTIC_API_KEY = set  (environment)" in printed
    assert "CAIRN_HEURISTIC_API_KEY = none  (default)" in CliRunner().invoke(main, ["settings"]).output
    assert KEY not in repr(settings) + repr(shown) + printed


@pytest.mark.parametrize("key", ["canary\n", "canary canary", "canaré", "canary\x7f", " "])
def test_a_key_that_no_header_can_carry_is_refused_without_being_quoted(key: str) -> None:
    with pytest.raises(SettingsError, match=r"^CAIRN_HEURISTIC_API_KEY: ") as refused:
        load(None, {"CAIRN_HEURISTIC_API_KEY": key})

    assert "canar" not in str(refused.value)
