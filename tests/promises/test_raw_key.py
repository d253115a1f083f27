"""The key that a client holds is nowhere else: neither stored, logged nor answered, whatever the door."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from cairn.access.api_keys import Grant, IssuedKey, parse
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn_mcp import door as mcp
from cairn_tools import memory_hook
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.access import EventOf, bearer, through
from support.agentcore import Gateway, client, signing_at
from support.console import Browser
from support.custody import forms
from support.hooks import prompted
from support.mem0 import Client


def asked(services: Services, event_of: EventOf, issued: IssuedKey) -> dict[str, str]:
    """Have a client of each kind store or read something with a key; return what it is answered, by its door."""
    clock: Any = services.adapters.clock
    key, browser, gateway, turn = issued.text, Browser(), Gateway(), dict(EXAMPLE)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "?"}},
    }
    said = {"actorId": "ada", "sessionId": "s1", "eventTimestamp": clock.now()}
    payload = [{"conversational": {"role": "USER", "content": {"text": "I like beans."}}}]
    hook = {**event_of("/v1/hooks/claude-code", prompted("1", "Hello.")), "pathParameters": {"agent": "claude-code"}}
    names = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    hook["headers"] |= names
    answers: dict[str, Any] = {
        "http": memory_after_turn.handler(through(bearer(key), event_of("/", turn)), None),
        "x-api-key": memory_after_turn.handler(through({"x-api-key": key}, event_of("/", turn)), None),
        "mcp": mcp.handler(through(bearer(key), event_of("/mcp", call, headers=names)), None),
        "hooks": memory_hook.handler(through(bearer(key), hook), None),
        "mem0": Client(key).add("I like tea.", user_id="ada"),
        "console": browser.sign_in(key).body,
        "page": browser.get("/console").body,
    }
    with signing_at(clock):
        answers["agentcore"] = client(issued, gateway).create_event(
            memoryId="garden-0123456789", **said, payload=payload
        )
    assert [each["statusCode"] for each in answers.values() if "statusCode" in each] == [200] * 4
    assert gateway.answers[-1]["statusCode"] < 300
    assert browser.kept
    return {door: str(answer) for door, answer in {**answers, "cookies": browser.kept, "sent": gateway.answers}.items()}


@pytest.mark.enable_socket
@pytest.mark.req("R009")
@pytest.mark.req("R100")
def test_at_every_door_a_key_of_no_tenant_opens_the_memory_of_its_hash_and_its_secret_is_nowhere(
    services: Services, event_of: EventOf, store: Any, said: Callable[[], str]
) -> None:
    issued = services.credentials.create(None, Grant(scopes=("read", "write", "admin")), derived=True)
    key = parse(issued.text)
    assert key is not None
    tenant = Tenant(sha256(issued.text.encode()).hexdigest())

    answers = asked(services, event_of, issued)

    assert issued.credential.tenant == tenant
    table: Any = services.adapters.table
    assert {owner for owner in table.owners() if not owner.startswith("~")} == {tenant}
    heard, kept = said(), store.contents()
    assert [door for door, answer in answers.items() if key.secret in answer] == []
    assert key.secret not in heard
    assert [form for form in forms(key.secret) if form in kept] == []
