"""API keys end: by time, revocation and rotation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.access.api_keys import Grant, project_pattern, scope
from cairn.access.key_store import Credentials
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, NotFound
from cairn.ground.ids import Tenant

ACME = Tenant("acme")
DAY = timedelta(days=1)


def test_a_key_ends_when_its_time_is_over(credentials: Credentials, clock: Any) -> None:
    key = credentials.create(ACME, Grant(), DAY).text

    clock.advance(days=1, microseconds=-1)
    assert credentials.check(key) is not None
    clock.advance(microseconds=1)
    assert credentials.check(key) is None


def test_a_revoked_key_opens_nothing_at_once_in_every_process(adapters: Adapters, credentials: Credentials) -> None:
    other_process = Credentials(adapters)
    issued, kept = credentials.create(ACME, Grant()), credentials.create(ACME, Grant())
    assert other_process.check(issued.text) is not None

    credentials.revoke(issued.credential.id)

    assert other_process.check(issued.text) is None
    assert other_process.check(kept.text) is not None


def test_revoking_twice_keeps_the_first_moment(credentials: Credentials, clock: Any) -> None:
    issued = credentials.create(ACME, Grant())
    credentials.revoke(issued.credential.id)
    (first,) = credentials.list()
    clock.advance(hours=1)
    credentials.revoke(issued.credential.id)

    assert credentials.list() == (first,)


def test_a_rotated_key_goes_on_until_the_overlap_ends(credentials: Credentials, clock: Any) -> None:
    grant = Grant((project_pattern("garden"),), (scope("read"),))
    old = credentials.create(None, grant, timedelta(days=90))
    clock.advance(days=60)

    new = credentials.rotate(old.credential.id, DAY)

    assert (new.credential.tenant, new.credential.grant) == (old.credential.tenant, grant)
    assert new.credential.expires_at == clock.now() + timedelta(days=90)
    assert credentials.check(old.text) is not None
    clock.advance(days=1)
    assert credentials.check(old.text) is None
    assert credentials.check(new.text) == new.credential


def test_an_overlap_gives_no_key_a_longer_life(credentials: Credentials, clock: Any) -> None:
    old = credentials.create(ACME, Grant(), DAY)
    credentials.rotate(old.credential.id, timedelta(days=30))
    clock.advance(days=1)

    assert credentials.check(old.text) is None


def test_revoking_cuts_an_overlap_short(credentials: Credentials) -> None:
    old = credentials.create(ACME, Grant())
    credentials.rotate(old.credential.id, DAY)
    credentials.revoke(old.credential.id)

    assert credentials.check(old.text) is None


def test_a_key_that_has_ended_or_has_a_successor_is_not_rotated(credentials: Credentials, clock: Any) -> None:
    rotated, revoked = credentials.create(ACME, Grant()), credentials.create(ACME, Grant())
    expired = credentials.create(ACME, Grant(), DAY)
    credentials.rotate(rotated.credential.id, DAY)
    credentials.revoke(revoked.credential.id)
    clock.advance(days=1)
    before = credentials.list()

    for ended in (rotated, revoked, expired):
        with pytest.raises(Conflict, match="has ended or was rotated"):
            credentials.rotate(ended.credential.id, DAY)
    assert credentials.list() == before


def test_of_two_rotations_at_once_one_makes_a_key(adapters: Adapters, watched: Any) -> None:
    adapters = replace(adapters, table=watched)
    credentials, rival = Credentials(adapters), Credentials(adapters)
    old = credentials.create(ACME, Grant())

    def step_in(what: object) -> None:
        if isinstance(what, list):
            rival.rotate(old.credential.id, DAY)

    watched.before_call = step_in
    with pytest.raises(Conflict, match="changed meanwhile"):
        credentials.rotate(old.credential.id, DAY)
    assert len(credentials.list()) == 2


@pytest.mark.parametrize("key_id", ["", "0" * 16, "x" * 5000, "cairn_" + "0" * 16 + "_" + "A" * 43])
def test_an_unknown_id_is_not_found(credentials: Credentials, key_id: str) -> None:
    with pytest.raises(NotFound):
        credentials.revoke(key_id)
    with pytest.raises(NotFound):
        credentials.rotate(key_id, DAY)
