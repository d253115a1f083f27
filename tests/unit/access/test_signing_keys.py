"""Keys with which AWS's clients sign: their secrets are derived anew, and no store can make or widen one."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from cairn.access.api_keys import Grant, named_by, parse, scope
from cairn.access.key_store import Credentials
from cairn.access.layout import CREDENTIALS, credential_sk, credentials_pk
from cairn.ground.adapters import Adapters
from cairn.ground.codec import of_base64url
from cairn.ground.ids import Tenant, UserId
from cairn.ground.table import Key, Put, Scalar
from cairn.vault.vault import Vault

ACME = Tenant("acme")
DAY = timedelta(days=1)


@pytest.fixture
def stored(adapters: Adapters) -> Callable[[str], dict[str, Scalar]]:
    """Return a function that reads a key's item."""

    def read(key_id: str) -> dict[str, Scalar]:
        item = adapters.table.get(Key(credentials_pk(), credential_sk(key_id)))
        assert item is not None
        return dict(item)

    return read


def secret_of(text: str) -> str:
    key = parse(text)
    assert key is not None
    return key.secret


def test_the_secret_that_was_printed_is_the_one_that_is_derived_later(
    credentials: Credentials, adapters: Adapters
) -> None:
    issued = credentials.create(ACME, Grant(users=(UserId("ada"),)), derived=True)

    found = Credentials(adapters).signer(issued.credential.id)

    assert found is not None
    assert (found[0], found[1].secret) == (issued.credential, secret_of(issued.text))
    assert named_by(found[1].access_key_id) == issued.credential.id


def test_it_is_a_key_like_any_other_as_well(credentials: Credentials) -> None:
    issued = credentials.create(ACME, Grant(), derived=True)

    assert credentials.check(issued.text) == issued.credential


def test_a_key_with_a_random_secret_cannot_sign(credentials: Credentials) -> None:
    assert credentials.signer(credentials.create(ACME, Grant()).credential.id) is None
    assert credentials.signer("0" * 16) is None


def test_it_signs_no_more_once_it_is_revoked_ended_or_expired(credentials: Credentials, clock: Any) -> None:
    revoked, rotated = (credentials.create(ACME, Grant(), derived=True).credential.id for _ in range(2))
    expiring = credentials.create(ACME, Grant(), DAY, derived=True).credential.id
    credentials.revoke(revoked)
    successor = credentials.rotate(rotated, DAY / 2).credential.id

    assert [credentials.signer(each) is not None for each in (revoked, rotated, expiring)] == [False, True, True]
    clock.advance(days=1)
    assert [credentials.signer(each) is not None for each in (rotated, expiring, successor)] == [False, False, True]


def test_a_new_data_key_leaves_the_secrets_of_keys_as_they_are(credentials: Credentials, adapters: Adapters) -> None:
    before = credentials.create(ACME, Grant(), derived=True)
    Vault(adapters).rotate(CREDENTIALS)
    after = Credentials(adapters).create(ACME, Grant(), derived=True)

    assert before.credential.derived_under != after.credential.derived_under
    for issued in (before, after):
        found = Credentials(adapters).signer(issued.credential.id)
        assert found is not None
        assert found[1].secret == secret_of(issued.text)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "x"},
        {"scopes": ["read", "write"]},
        {"tenant": "another"},
        {"users": []},
        {"derived_under": 2},
        {"derived_under": "1"},
    ],
)
def test_a_record_that_was_changed_in_the_store_signs_nothing(
    credentials: Credentials,
    adapters: Adapters,
    stored: Callable[[str], dict[str, Scalar]],
    change: dict[str, Any],
) -> None:
    issued = credentials.create(ACME, Grant(scopes=(scope("read"),), users=(UserId("ada"),)), derived=True)
    item = stored(issued.credential.id)
    adapters.table.put(Put({**item, "record": json.dumps({**json.loads(str(item["record"])), **change})}))

    assert credentials.signer(issued.credential.id) is None


def test_a_record_under_another_id_signs_nothing(
    credentials: Credentials, adapters: Adapters, stored: Callable[[str], dict[str, Scalar]]
) -> None:
    issued = credentials.create(ACME, Grant(), derived=True)
    item = stored(issued.credential.id)
    adapters.table.put(Put({**item, "sk": f"key#{'0' * 16}"}))

    assert credentials.signer("0" * 16) is None


def test_a_plain_key_that_is_marked_as_derived_signs_nothing(
    credentials: Credentials, adapters: Adapters, stored: Callable[[str], dict[str, Scalar]]
) -> None:
    issued = credentials.create(ACME, Grant())
    item = stored(issued.credential.id)
    adapters.table.put(Put({**item, "record": json.dumps({**json.loads(str(item["record"])), "derived_under": 1})}))

    assert credentials.signer(issued.credential.id) is None


def test_the_secret_is_in_no_byte_of_the_store_and_in_no_repr(credentials: Credentials, store: Any) -> None:
    issued = credentials.create(ACME, Grant(), derived=True)

    secret = secret_of(issued.text)

    assert secret.encode() not in store.contents()
    assert secret not in repr(issued)
    assert secret not in repr(credentials.signer(issued.credential.id))


def test_another_id_and_another_purpose_have_other_secrets(credentials: Credentials, adapters: Adapters) -> None:
    issued = credentials.create(ACME, Grant(), derived=True)
    message, number = issued.credential.id.encode(), issued.credential.derived_under
    assert number is not None
    vault = Vault(adapters)

    found = [
        vault.derived(CREDENTIALS, "api key's secret", number, message),
        vault.derived(CREDENTIALS, "api key's secret", number, b"another"),
        vault.derived(CREDENTIALS, "another", number, message),
    ]

    assert len(set(found)) == 3
    assert found[0] == of_base64url(secret_of(issued.text))
