"""The users that a credential speaks for: in a key's signed record, in a token's claims, in the context."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.access.api_keys import MOST_USERS, Grant
from cairn.access.callers import USERS_POLICY, Caller
from cairn.access.claims import identity
from cairn.access.key_store import Credentials
from cairn.access.layout import credential_sk, credentials_pk
from cairn.access.policies import parse
from cairn.access.policy import STANDARD
from cairn.edge.callers import caller
from cairn.edge.events import read
from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument, PermissionDenied
from cairn.ground.ids import Tenant, UserId
from cairn.ground.settings import OidcSettings
from cairn.ground.table import Key, Put
from cairn.services import Services
from support.access import judged

pytestmark = [pytest.mark.req("R284"), pytest.mark.req("R285")]

ACME = Tenant("acme")
ALICE, ODD = UserId("alice"), UserId('Ada "L", ü 名 #~')
EventOf = Callable[..., dict[str, Any]]


def test_a_record_that_names_users_opens_nothing_once_they_are_taken_out_or_changed(
    credentials: Credentials, adapters: Adapters
) -> None:
    key = credentials.create(ACME, Grant(users=(ALICE,))).text
    where = Key(credentials_pk(), credential_sk(key.split("_")[1]))
    item = adapters.table.get(where)
    assert item is not None
    record: dict[str, Any] = json.loads(str(item["record"]))
    unbound = {name: value for name, value in record.items() if name != "users"}

    users: list[list[str]] = [[], ["bob"]]
    for changed in (unbound, *({**record, "users": each} for each in users)):
        adapters.table.put(Put({**item, "record": json.dumps(changed, sort_keys=True, separators=(",", ":"))}))
        assert credentials.check(key) is None


def test_a_key_without_users_has_the_record_that_it_always_had(credentials: Credentials, adapters: Adapters) -> None:
    key = credentials.create(ACME, Grant()).text
    item = adapters.table.get(Key(credentials_pk(), credential_sk(key.split("_")[1])))
    assert item is not None

    assert "users" not in json.loads(str(item["record"]))
    found = credentials.check(key)
    assert found is not None
    assert found.grant.users == ()


def test_a_key_speaks_for_so_many_users_at_most() -> None:
    users = tuple(UserId(f"u{number}") for number in range(MOST_USERS + 1))

    assert Grant(users=users[1:]).users == users[1:]
    with pytest.raises(InvalidArgument):
        Grant(users=users)


def test_the_authorizer_s_word_reaches_the_call_whatever_a_user_is_called(
    services: Services, event_of: EventOf
) -> None:
    key = services.credentials.create(ACME, Grant(users=(ALICE, ODD))).text
    context = judged(key)
    assert all(isinstance(value, str) for value in context.values())

    found = caller(read(of(event_of, context)))

    assert found.users == (ALICE, ODD)
    assert found.policy == USERS_POLICY
    assert caller(read(of(event_of, judged(services.credentials.create(ACME, Grant()).text)))).policy is None


def of(event_of: EventOf, context: dict[str, Any]) -> dict[str, Any]:
    event = event_of("/", {})
    event["requestContext"]["authorizer"]["lambda"] = context
    return event


@pytest.mark.parametrize("users", ["", "[]", "null", '"alice"', "[7]", '["a/b"]', '[""]', "{}", "alice", 7, ["alice"]])
def test_a_binding_that_cannot_be_read_opens_nothing(users: object, event_of: EventOf) -> None:
    context = {"tenant": "acme", "scopes": "read", "projects": "*", "users": users}

    with pytest.raises(PermissionDenied):
        caller(read(of(event_of, context)))


@pytest.mark.parametrize(
    ("settings", "claims", "users"),
    [
        ({}, {}, ()),
        ({"user_claim": "sub"}, {}, ("ada",)),
        ({"tenant_claim": "org"}, {}, ("ada",)),
        ({"tenant_claim": "org", "user_claim": "none"}, {}, ()),
        ({"user_claim": "team"}, {"team": ["ada", "bob", "ada"]}, ("ada", "bob")),
        ({"user_claim": "name"}, {"name": "Ada L"}, ("Ada L",)),
        ({"user_claim": "name"}, {}, None),
        ({"user_claim": "name"}, {"name": ""}, None),
        ({"user_claim": "name"}, {"name": "a/b"}, None),
        ({"user_claim": "name"}, {"name": []}, None),
        ({"user_claim": "name"}, {"name": ["ada", 7]}, None),
        ({"user_claim": "name"}, {"name": {"ada": True}}, None),
        ({"user_claim": "name"}, {"name": [f"u{number}" for number in range(MOST_USERS + 1)]}, None),
    ],
)
def test_a_token_speaks_for_whom_its_claim_names(
    settings: dict[str, str], claims: dict[str, Any], users: tuple[str, ...] | None
) -> None:
    oidc = OidcSettings(issuer="https://a.example", **settings)

    found = identity({"sub": "ada", "org": "acme", **claims}, oidc)

    assert (None if found is None else found.users) == users


def test_a_credential_settles_one_user_and_one_project_and_nothing_wider() -> None:
    one = Caller(ACME, frozenset(), "", Grant().projects, users=(ALICE,))

    assert one.bound == {"user_id": "alice"}
    assert replace(one, users=(ALICE, ODD)).bound == {}
    assert replace(one, users=()).bound == {}


@pytest.mark.parametrize(
    ("projects", "bound"),
    [("garden", "garden"), ("team.a", "team.a"), ("team.*", None), ("*", None), ("garden orchard", None), (".", None)],
)
def test_a_key_to_one_project_settles_it(projects: str, bound: str | None, event_of: EventOf) -> None:
    context = {"tenant": "acme", "scopes": "read", "projects": projects}

    assert caller(read(of(event_of, context))).bound.get("project") == bound


def test_what_bound_callers_may_do_by_policy_is_little_unless_a_document_says_so() -> None:
    document = {"tool_permissions": {"getMemory": {"operations": ["read"], "allowed_namespaces": ["*"]}}}
    books = [STANDARD, parse(json.dumps(document))]
    opened = parse(json.dumps({**document, "policies": {USERS_POLICY: document}}))

    for book in books:
        assert book.permission(USERS_POLICY, "getMemory").namespaces == ("public.*",)
        assert not book.permission(USERS_POLICY, "putMemory").rights
        assert book.permission(USERS_POLICY, "getContext").rights
    assert opened.permission(USERS_POLICY, "getMemory").namespaces == ("*",)
