"""Whose a session is, on every store that Cairn has."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import PermissionDenied, ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.ground.session import Session
from cairn.process.system import in_turn
from cairn.sessions.ownership import Ownership
from support.doubles import RecordingJobs
from support.turns import cold

DIARY = Session(Tenant("acme"), Project("garden"), SessionId("diary"))
ALICE, BOB = UserId("alice"), UserId("bob")


@pytest.mark.req("R285")
def test_a_session_is_begun_by_one_user_and_not_beside_a_turn(
    *, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any
) -> None:
    adapters = Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())
    lease = cold(adapters).sessions.try_lease(DIARY, "somebody", 30)
    assert lease is not None
    with pytest.raises(ResourceBusy):
        Ownership(adapters).begin(DIARY, ALICE)
    cold(adapters).sessions.release(lease)

    Ownership(adapters).begin(DIARY, ALICE)

    assert Ownership(adapters).check(DIARY, {ALICE, BOB}) is True
    with pytest.raises(PermissionDenied):
        Ownership(adapters).begin(DIARY, BOB)
