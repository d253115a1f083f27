"""What a changed, moved or damaged record of an API key opens: nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from cairn.access.api_keys import Grant, project_pattern, scope
from cairn.access.key_store import Credentials
from cairn.access.layout import CREDENTIALS, credential_sk, credentials_pk
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, CorruptData
from cairn.ground.ids import Tenant, tenant
from cairn.ground.table import Key, Put, Scalar, Update
from cairn.vault.layout import keys_pk

ACME = Tenant("acme")
DAY = timedelta(days=1)


@pytest.fixture
def stored(adapters: Adapters) -> Callable[[str], dict[str, Scalar]]:
    """Return a function that reads a key's item."""

    def read(key: str) -> dict[str, Scalar]:
        item = adapters.table.get(Key(credentials_pk(), credential_sk(key.split("_")[1])))
        assert item is not None
        return dict(item)

    return read


@pytest.mark.parametrize(
    ("was", "becomes"),
    [('"acme"', '"rival"'), ('"read"', '"admin"'), ('"garden"', '"*"'), ("2026-03-02", "2027-03-02")],
)
def test_a_record_that_was_changed_in_the_store_opens_nothing(
    credentials: Credentials, adapters: Adapters, stored: Callable[[str], dict[str, Scalar]], was: str, becomes: str
) -> None:
    key = credentials.create(ACME, Grant((project_pattern("garden"),), (scope("read"),)), DAY).text
    item = stored(key)
    record = str(item["record"])
    assert was in record

    adapters.table.put(Put({**item, "record": record.replace(was, becomes)}))

    assert credentials.check(key) is None


def test_a_record_under_another_id_opens_nothing(
    credentials: Credentials, adapters: Adapters, stored: Callable[[str], dict[str, Scalar]]
) -> None:
    mine, theirs = credentials.create(ACME, Grant()).text, credentials.create(Tenant("rival"), Grant()).text
    adapters.table.put(Put({**stored(theirs), "sk": credential_sk(mine.split("_")[1])}))

    assert credentials.check(mine) is None


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"id":1}', "null"])
def test_a_damaged_record_is_said_to_be_damaged(
    credentials: Credentials, adapters: Adapters, stored: Callable[[str], dict[str, Scalar]], record: str
) -> None:
    key = credentials.create(ACME, Grant()).text
    adapters.table.put(Put({**stored(key), "record": record}))

    with pytest.raises(CorruptData):
        credentials.list()
    with pytest.raises(CorruptData):
        credentials.revoke(key.split("_")[1])


def test_an_item_without_a_record_is_damaged_too(
    credentials: Credentials, adapters: Adapters, stored: Callable[[str], dict[str, Scalar]]
) -> None:
    key = credentials.create(ACME, Grant()).text
    adapters.table.update(Update(Key(*map(str, (stored(key)["pk"], stored(key)["sk"]))), remove=("record",)))

    with pytest.raises(CorruptData):
        credentials.check(key)


class CollidingEntropy:
    """Bytes that give every key the same id and a secret of its own."""

    def __init__(self) -> None:
        self.draws = 0

    def token(self, size: int) -> bytes:
        self.draws += 1
        return bytes(8) + bytes([self.draws]) * (size - 8)


def test_an_id_that_is_taken_replaces_no_key(adapters: Adapters) -> None:
    credentials = Credentials(replace(adapters, entropy=CollidingEntropy()))
    first = credentials.create(ACME, Grant())

    with pytest.raises(Conflict):
        credentials.create(ACME, Grant())
    assert credentials.check(first.text) == first.credential


def test_no_tenant_can_own_the_partitions_of_credentials() -> None:
    with pytest.raises(ValueError, match="tenant"):
        tenant(CREDENTIALS)
    assert credentials_pk() != keys_pk(CREDENTIALS)
    assert all(pk.startswith("~") for pk in (credentials_pk(), keys_pk(CREDENTIALS)))
