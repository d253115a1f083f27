"""The life of API keys on every table and every key ring."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.access.api_keys import Grant
from cairn.access.key_store import Credentials
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, NotFound
from cairn.ground.ids import Tenant
from cairn.ground.ports import KeyRing, Table

OVERLAP = timedelta(hours=1)


@pytest.fixture
def wide_adapters(adapters: Adapters, table: Table, keyring: KeyRing) -> Adapters:
    return replace(adapters, table=table, keys=keyring)


def test_a_key_is_made_checked_rotated_and_revoked(wide_adapters: Adapters, clock: Any) -> None:
    office, gateway = Credentials(wide_adapters), Credentials(wide_adapters)
    old = office.create(Tenant("acme"), Grant())
    assert gateway.check(old.text) == old.credential

    new = office.rotate(old.credential.id, OVERLAP)
    with pytest.raises(Conflict):
        office.rotate(old.credential.id, OVERLAP)
    assert gateway.check(old.text) is not None
    assert gateway.check(new.text) == new.credential

    clock.advance(hours=1)
    assert gateway.check(old.text) is None
    office.revoke(new.credential.id)
    assert gateway.check(new.text) is None
    assert {each.id for each in gateway.list()} == {old.credential.id, new.credential.id}


@pytest.mark.parametrize("key_id", ["", "0" * 16, "x" * 5000, "\ud800"])
def test_what_is_no_key_s_id_is_not_found(wide_adapters: Adapters, key_id: str) -> None:
    with pytest.raises(NotFound):
        Credentials(wide_adapters).revoke(key_id)
