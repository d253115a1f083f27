"""What a token's claims bind is as what a key binds: neither named, nor listed, nor overridden."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from cairn.ground.settings import AuthSettings
from cairn.settings.settings import Settings
from support.access import KEY_HOST, LIST_TOOLS, RESOURCE, Issuer, bearer

pytestmark = [pytest.mark.enable_socket, pytest.mark.req("R284")]

TOLD = {"session_id": "monday", "turn_id": "1", "input_items": "I live in Oslo.", "output_items": "Noted."}
ASKED = {"session_id": "monday", "query": "Where do I live?"}


@pytest.fixture
def settings(issuer: Issuer) -> Settings:
    """Return settings by which many people share a tenant, and tokens say who they are and where they work."""
    oidc = issuer.settings(resource=RESOURCE, tenant_claim="org", user_claim="login", projects_claim="repos")
    return Settings(memory_enabled=True, auth=AuthSettings(oidc=oidc))


@pytest.fixture
def ask(open_client: Callable[[str], TestClient]) -> Any:
    """Return a function that calls a tool with a token, and headers."""

    def asked(token: str, tool: str, arguments: object, **headers: str) -> Any:
        with open_client(KEY_HOST) as client:
            named = {f"X-Cairn-{name}": value for name, value in headers.items()}
            return client.post(f"/v1/tools/{tool}", json=arguments, headers={**bearer(token), **named}).json()

    return asked


def test_the_claims_of_a_token_say_of_which_project_and_user_its_calls_are(ask: Any, token: Callable[..., str]) -> None:
    ada = token(org="acme", login="ada", repos=["owner/repo"])
    everywhere = token(org="acme", login="ada", repos="*")

    assert ask(ada, "memory_after_turn", TOLD)["facts_written"] == 1

    assert "home: Oslo" in json.dumps(ask(ada, "recall", ASKED))
    assert "home: Oslo" in json.dumps(ask(everywhere, "recall", {**ASKED, "project": "owner/repo"}))
    assert "X-Cairn-Project" in ask(everywhere, "recall", ASKED)["error"]["message"]


@pytest.mark.parametrize("other", [{"project": "owner/other"}, {"user_id": "bob"}])
def test_they_cannot_be_overridden(other: dict[str, str], ask: Any, token: Callable[..., str]) -> None:
    ada = token(org="acme", login="ada", repos=["owner/repo"])
    headers = {name.removesuffix("_id").title(): value for name, value in other.items()}

    assert ask(ada, "recall", {**ASKED, **other})["error"]["code"] == "PERMISSION_DENIED"
    assert ask(ada, "recall", ASKED, **headers)["error"]["code"] == "PERMISSION_DENIED"


def test_what_they_bind_is_not_listed_and_what_they_leave_open_is(
    open_client: Callable[[str], TestClient], token: Callable[..., str]
) -> None:
    def shown(**claims: object) -> set[str]:
        with open_client(KEY_HOST) as client:
            listed = client.post("/mcp/agent", json=LIST_TOOLS, headers=bearer(token(org="acme", **claims))).json()
        return set(listed["result"]["tools"][0]["inputSchema"]["properties"]) & {"project", "user_id"}

    assert shown(login="ada", repos=["owner/repo"]) == set()
    assert shown(login="ada", repos=["owner/*"]) == {"project"}
    assert shown(login=["ada", "bob"], repos=["owner/repo"]) == {"user_id"}
