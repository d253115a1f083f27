"""Tools for operators of a tenant: its API keys, and the policies that hold for them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

import pytest

from cairn.access.api_keys import Grant, IssuedKey, project_pattern, scope
from cairn.access.layout import credential_sk, credentials_pk
from cairn.access.policies import of_table
from cairn.access.policy_store import PolicyStore
from cairn.ground.errors import Conflict, InvalidArgument, NotFound, PermissionDenied
from cairn.ground.ids import Tenant, UserId
from cairn.ground.table import Key, Update
from cairn.services import Services
from cairn.tool.call import Call
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.access import bearer, judged, through
from support.services import changed

ACME, GLOBEX = Tenant("acme"), Tenant("globex")
DAY = timedelta(days=1)
TOOLS = {tool.name: tool for tool in CATALOG}
KEY_TOOLS = [
    TOOLS[f"memory_{name}"] for name in ("list_keys", "create_key", "rotate_key", "revoke_key", "list_policies")
]
EventOf: TypeAlias = Callable[..., dict[str, Any]]
Do: TypeAlias = Callable[..., dict[str, Any]]
READ = {"allowed_namespaces": ["public.*"], "operations": ["read"]}
WIDE = {"allowed_namespaces": ["*"], "operations": ["read"]}
DOCUMENT = {
    "tool_permissions": {"getMemory": {"allowed_namespaces": ["public.*", "agent.*"], "operations": ["read"]}},
    "policies": {
        "narrow": {"tool_permissions": {"getMemory": READ}},
        "wide": {"tool_permissions": {"getMemory": WIDE}},
    },
}


@pytest.fixture
def operator(services: Services) -> IssuedKey:
    """A key of acme that opens all."""
    return services.credentials.create(ACME, Grant())


@pytest.fixture
def do(call: Call, operator: IssuedKey) -> Do:
    """Return a function that calls a tool as the operator does, or as a caller with other rights."""

    def execute(tool: str, changes: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        caller = replace(call.caller, scopes=frozenset({"read", "write", "admin"}), credential=operator.credential.id)
        return TOOLS[tool].execute(arguments, replace(call, caller=replace(caller, **(changes or {}))))

    return execute


def told(services: Services, key: str) -> dict[str, Any]:
    """Return what the authorizer says of a key."""
    assert services
    return judged(key)


# Who may not


@pytest.mark.parametrize("tool", KEY_TOOLS, ids=lambda each: each.name)
@pytest.mark.parametrize(
    "grant",
    [
        Grant(scopes=(scope("read"), scope("write"))),
        Grant(users=(UserId("ada"),)),
        Grant((project_pattern("garden"),)),
        Grant((project_pattern("team.*"), project_pattern("garden"))),
    ],
    ids=["without admin", "of a user", "of a project", "of some projects"],
)
def test_only_a_key_with_admin_to_all_projects_and_of_no_user_may_call_them(
    services: Services, event_of: EventOf, tool: Any, grant: Grant
) -> None:
    issued = services.credentials.create(ACME, grant)
    event = through(bearer(issued.text), event_of(f"/v1/tools/{tool.name}", dict(tool.example)))

    response = tool.handler(event, None)

    assert response["statusCode"] == 403
    assert services.credentials.list() == (issued.credential,)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_no_agent_is_shown_them(services: Services, event_of: EventOf, operator: IssuedKey, path: str) -> None:
    assert services
    event = event_of(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    body = json.loads(door.handler(through(bearer(operator.text), event), None)["body"])

    assert {tool.name for tool in KEY_TOOLS} & {each["name"] for each in body["result"]["tools"]} == set()


@pytest.mark.parametrize("tool", ["memory_rotate_key", "memory_revoke_key"])
def test_the_key_of_another_tenant_is_as_one_that_never_was(do: Do, services: Services, tool: str) -> None:
    theirs = services.credentials.create(GLOBEX, Grant())
    before = services.credentials.list()

    said: list[tuple[str, dict[str, object]]] = []
    for key_id in (theirs.credential.id, "0123456789abcdef"):
        with pytest.raises(NotFound) as refused:
            do(tool, key_id=key_id)
        said.append((refused.value.message, refused.value.details))

    assert said[0] == said[1]
    assert services.credentials.list() == before
    assert services.credentials.check(theirs.text) is not None


def test_a_damaged_record_is_no_tenants_and_keeps_nobody_from_their_keys(
    do: Do, services: Services, operator: IssuedKey
) -> None:
    theirs = services.credentials.create(GLOBEX, Grant()).credential
    where = Key(credentials_pk(), credential_sk(theirs.id))
    services.adapters.table.update(Update(where, {"record": "[]"}))

    assert [each["id"] for each in do("memory_list_keys")["keys"]] == [operator.credential.id]
    for tool in ("memory_rotate_key", "memory_revoke_key"):
        with pytest.raises(NotFound):
            do(tool, key_id=theirs.id)


# List


def test_a_list_tells_of_the_tenants_own_keys_what_they_open_and_how_they_stand(
    do: Do, services: Services, operator: IssuedKey, clock: Any
) -> None:
    grant = Grant((project_pattern("team.*"),), (scope("read"),), "narrow", (UserId("ada"), UserId("bob")))
    clock.advance(seconds=1)
    bound = services.credentials.create(ACME, grant, DAY).credential
    clock.advance(seconds=1)
    rotated, revoked = (services.credentials.create(ACME, Grant()).credential for _ in range(2))
    services.credentials.create(GLOBEX, Grant())
    clock.advance(seconds=1)
    services.credentials.rotate(rotated.id, timedelta(hours=1))
    services.credentials.revoke(revoked.id)

    listed = {each["id"]: each for each in do("memory_list_keys")["keys"]}

    assert len(listed) == 5
    assert next(iter(listed)) == operator.credential.id
    assert listed[bound.id] == {
        "id": bound.id,
        "projects": ["team.*"],
        "scopes": ["read"],
        "users": ["ada", "bob"],
        "policy": "narrow",
        "created_at": "2026-03-01T12:00:01Z",
        "expires_at": "2026-03-02T12:00:01Z",
        "ends_at": "2026-03-02T12:00:01Z",
        "state": "open",
        "own": False,
    }
    states = {key_id: (each["state"], each["ends_at"], each["own"]) for key_id, each in listed.items()}
    assert states[operator.credential.id] == ("open", None, True)
    assert states[rotated.id] == ("ending", "2026-03-01T13:00:03Z", False)
    assert states[revoked.id] == ("ended", "2026-03-01T12:00:03Z", False)
    clock.advance(hours=1)
    again = {each["id"]: each["state"] for each in do("memory_list_keys")["keys"]}
    assert (again[rotated.id], again[bound.id]) == ("ended", "open")


# Create


def test_a_new_key_opens_what_was_asked_for(do: Do, services: Services) -> None:
    asked = {"projects": ["garden", "team.*"], "scopes": ["read"], "users": ["ada lovelace", "bob", "bob"], "days": 1}

    answer = do("memory_create_key", **asked)

    assert told(services, answer["key"]) == {
        "tenant": "acme",
        "scopes": "read",
        "projects": "garden team.*",
        "users": '["ada lovelace", "bob"]',
        "credential": answer["made"]["id"],
    }
    assert answer["made"]["expires_at"] == "2026-03-02T12:00:00Z"
    assert answer["made"]["own"] is False
    assert answer["made"] in do("memory_list_keys")["keys"]


def test_without_a_word_a_key_reads_and_writes_for_ever(do: Do) -> None:
    made = do("memory_create_key")["made"]

    assert (made["projects"], made["scopes"], made["users"], made["policy"]) == (["*"], ["read", "write"], [], None)
    assert (made["expires_at"], made["ends_at"]) == (None, None)


@pytest.mark.parametrize("lacked", ["read", "write"])
def test_a_key_gets_no_scope_that_its_maker_lacks(do: Do, services: Services, lacked: str) -> None:
    before = services.credentials.list()
    lacking = {"scopes": frozenset({"read", "write", "admin"}) - {lacked}}

    with pytest.raises(PermissionDenied, match=lacked):
        do("memory_create_key", lacking, scopes=["admin", lacked])
    assert services.credentials.list() == before
    assert do("memory_create_key", lacking, scopes=["admin"])["made"]["scopes"] == ["admin"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"projects": ["a b"]}, "projects"),
        ({"projects": []}, "projects"),
        ({"projects": ["a"] * 65}, "projects"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes[0]"),
        ({"users": [str(number) for number in range(17)]}, "users"),
        ({"users": ["a/b"]}, "users[0]"),
        ({"policy": "unheard-of"}, "policy"),
        ({"policy": "a b"}, "policy"),
        ({"days": 0}, "days"),
        ({"days": 36501}, "days"),
        ({"tenant": "globex"}, "tenant"),
    ],
)
def test_what_no_key_can_have_is_refused_by_name(
    do: Do, services: Services, arguments: dict[str, Any], field: str
) -> None:
    before = services.credentials.list()

    with pytest.raises(InvalidArgument) as refused:
        do("memory_create_key", **arguments)

    assert list(refused.value.details["fields"]) == [field]  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert services.credentials.list() == before


# Policies


@pytest.fixture
def governed(call: Call, services: Services, operator: IssuedKey) -> Do:
    """Return a function as `do` is, under a document with policies of names."""
    PolicyStore(services.adapters).write(json.dumps(DOCUMENT))
    held = of_table(PolicyStore(services.adapters).stored, services.adapters.clock)
    under = changed(services, policies=held)

    def execute(tool: str, changes: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        scopes = frozenset({"read", "write", "admin"})
        caller = replace(call.caller, scopes=scopes, credential=operator.credential.id, **(changes or {}))
        return TOOLS[tool].execute(arguments, replace(call, services=under, caller=caller))

    return execute


def test_a_key_gets_a_policy_that_permits_no_more_than_its_makers(governed: Do) -> None:
    assert governed("memory_create_key", policy="narrow")["made"]["policy"] == "narrow"
    with pytest.raises(PermissionDenied):
        governed("memory_create_key", policy="wide")


def test_a_key_for_a_user_is_held_to_the_policy_that_the_deployment_has_for_users(governed: Do) -> None:
    made = governed("memory_create_key", users=["ada"])["made"]

    assert made["policy"] is None
    listed = {each["name"]: each for each in governed("memory_list_policies")["policies"]}
    assert listed["users"]["keys"] == [made["id"]]


def test_a_key_under_a_policy_gives_the_same_one_and_never_the_deployments_own(governed: Do) -> None:
    narrow = {"policy": "narrow"}

    assert governed("memory_create_key", narrow)["made"]["policy"] == "narrow"
    assert governed("memory_create_key", narrow, users=["ada"])["made"]["policy"] == "narrow"
    for policy in ("wide", "users"):
        with pytest.raises(PermissionDenied):
            governed("memory_create_key", narrow, policy=policy)
    assert governed("memory_create_key", {"policy": "wide"}, policy="narrow")["made"]["policy"] == "narrow"


def test_a_list_of_policies_tells_what_each_permits_and_for_which_keys_it_holds(
    governed: Do, services: Services, operator: IssuedKey
) -> None:
    make = services.credentials.create
    narrow, wide, gone = (make(ACME, Grant(policy=name)).credential.id for name in ("narrow", "wide", "gone"))
    bound = make(ACME, Grant(users=(UserId("ada"),))).credential.id
    services.credentials.revoke(wide)
    make(GLOBEX, Grant(policy="narrow"))

    listed = {each["name"]: each for each in governed("memory_list_policies")["policies"]}

    assert {name: (each["origin"], each["version"], each["keys"]) for name, each in listed.items()} == {
        None: ("stored", 1, [operator.credential.id]),
        "gone": ("none", None, [gone]),
        "narrow": ("stored", 1, [narrow]),
        "users": ("standard", None, [bound]),
        "wide": ("stored", 1, []),
    }
    assert list(listed) == [None, "gone", "narrow", "users", "wide"]
    permitted = {each["tool"]: each for each in listed["narrow"]["tools"]}
    assert permitted["getMemory"] == {
        "tool": "getMemory",
        "operations": ["read"],
        "namespaces": ["public.*"],
        "context_types": [],
        "max_ttl_seconds": None,
        "on_sensitive": "refuse",
    }
    assert [each["operations"] for each in listed["gone"]["tools"]] == [[]] * len(permitted)


def test_the_standard_policies_are_told_where_none_was_set(do: Do, operator: IssuedKey) -> None:
    listed = {each["name"]: each for each in do("memory_list_policies")["policies"]}

    assert {name: each["origin"] for name, each in listed.items()} == {None: "standard", "users": "standard"}
    put = next(each for each in listed[None]["tools"] if each["tool"] == "putMemory")
    assert (put["operations"], put["namespaces"], put["max_ttl_seconds"]) == (
        ["write"],
        ["session.*", "agent.*"],
        3600,
    )
    context = next(each for each in listed[None]["tools"] if each["tool"] == "getContext")
    assert context["context_types"] == ["session", "agent", "task"]
    assert listed[None]["keys"] == [operator.credential.id]


# Rotate and revoke


def test_a_rotated_key_has_a_successor_and_goes_on_for_the_hours_that_were_asked_for(
    do: Do, services: Services, clock: Any
) -> None:
    old = services.credentials.create(ACME, Grant((project_pattern("garden"),), (scope("read"),)), DAY)

    answer = do("memory_rotate_key", key_id=old.credential.id, hours=1)

    assert told(services, answer["key"])["projects"] == "garden"
    assert (answer["made"]["state"], answer["made"]["ends_at"]) == ("open", "2026-03-02T12:00:00Z")
    replaced = answer["replaced"]
    assert (replaced["id"], replaced["state"], replaced["own"]) == (old.credential.id, "ending", False)
    assert replaced["ends_at"] == "2026-03-01T13:00:00Z"
    assert services.credentials.check(old.text) is not None
    clock.advance(hours=1)
    assert services.credentials.check(old.text) is None
    with pytest.raises(Conflict):
        do("memory_rotate_key", key_id=old.credential.id)


def test_a_key_that_may_do_more_than_the_callers_cannot_be_rotated_into_its_hands(
    do: Do, governed: Do, services: Services
) -> None:
    scoped = services.credentials.create(ACME, Grant()).credential.id
    wide = services.credentials.create(ACME, Grant(policy="wide")).credential.id
    before = services.credentials.list()

    with pytest.raises(PermissionDenied, match="write"):
        do("memory_rotate_key", {"scopes": frozenset({"read", "admin"})}, key_id=scoped)
    with pytest.raises(PermissionDenied):
        governed("memory_rotate_key", key_id=wide)
    with pytest.raises(PermissionDenied):
        governed("memory_rotate_key", {"policy": "narrow"}, key_id=scoped)

    assert services.credentials.list() == before


def test_a_revoked_key_opens_nothing_any_more(do: Do, services: Services) -> None:
    issued = services.credentials.create(ACME, Grant())

    answer = do("memory_revoke_key", key_id=issued.credential.id)

    assert (answer["key_id"], answer["own"]) == (issued.credential.id, False)
    assert services.credentials.check(issued.text) is None
    assert do("memory_revoke_key", key_id=issued.credential.id)["key_id"] == issued.credential.id


def test_the_key_of_the_call_can_be_rotated_and_revoked_and_the_answer_says_so(
    services: Services, event_of: EventOf, operator: IssuedKey
) -> None:
    def ask(name: str, key: str, **arguments: Any) -> dict[str, Any]:
        event = through(bearer(key), event_of(f"/v1/tools/{name}", arguments))
        response = TOOLS[name].handler(event, None)
        assert response["statusCode"] == 200
        return json.loads(response["body"])

    rotated = ask("memory_rotate_key", operator.text, key_id=operator.credential.id, hours=0)

    assert (rotated["replaced"]["own"], rotated["replaced"]["state"], rotated["made"]["own"]) == (True, "ended", False)
    assert services.credentials.check(operator.text) is None
    revoked = ask("memory_revoke_key", rotated["key"], key_id=rotated["made"]["id"])
    assert revoked["own"] is True
    assert "key of this call" in revoked["message"]
    assert services.credentials.check(rotated["key"]) is None


@pytest.mark.parametrize("tool", ["memory_rotate_key", "memory_revoke_key"])
def test_a_key_that_is_shown_in_place_of_its_id_is_refused_and_kept_nowhere(
    do: Do, operator: IssuedKey, store: Any, log: io.StringIO, tool: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        do(tool, key_id=operator.text)

    secret = operator.text[-43:]
    assert secret not in f"{refused.value} {refused.value.details}"
    assert secret not in log.getvalue()
    assert secret.encode() not in store.contents()


def test_the_keys_text_is_in_the_answer_once_and_nowhere_else(
    services: Services, event_of: EventOf, operator: IssuedKey, store: Any, log: io.StringIO
) -> None:
    def ask(name: str, **arguments: Any) -> tuple[str, str]:
        """Return the text and the id of the key that is made."""
        services.adapters.clock.sleep(1)
        event = through(bearer(operator.text), event_of(f"/v1/tools/{name}", arguments))
        body = TOOLS[name].handler(event, None)["body"]
        answer = json.loads(body)
        assert body.count(answer["key"][-43:]) == 1
        return answer["key"], answer["made"]["id"]

    first, key_id = ask("memory_create_key", users=["ada"])
    second, _ = ask("memory_rotate_key", key_id=key_id)

    now = services.adapters.clock.now()
    rotated, created = services.audit.records(ACME, now - DAY, now + DAY)
    assert (created.tool, created.arguments) == ("memory_create_key", {"users": len('["ada"]')})
    assert (rotated.tool, rotated.subject.key) == ("memory_rotate_key", key_id)
    assert "memory_rotate_key" in log.getvalue()
    for secret in (first[-43:], second[-43:]):
        assert secret not in log.getvalue()
        assert secret not in repr((rotated, created))
        assert secret.encode() not in store.contents()
