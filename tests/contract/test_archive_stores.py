"""The archive on every store that Cairn has: one pointer, tags that join, look-ups, deletion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.archive.archive import Archive
from cairn.archive.model import Deposit
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound
from cairn.ground.ids import SessionId, Tenant
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.process.system import in_turn
from support.doubles import RecordingJobs
from support.turns import cold

ACME = Tenant("acme")
DEPOSIT = Deposit(session_id=SessionId("monday"), tags=("garden",), session={"summary": "Planned the rows."})


@pytest.mark.req("R181")
@pytest.mark.req("R196")
@pytest.mark.req("R205")
@pytest.mark.req("R277")
def test_a_session_is_stored_once_found_read_and_deleted(
    *, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any
) -> None:
    archive = Archive(cold(Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())))

    digest = archive.store(ACME, DEPOSIT).digest
    clock.advance(seconds=1)
    assert archive.store(ACME, replace(DEPOSIT, tags=("beans",))).digest == digest
    assert archive.store(ACME, replace(DEPOSIT, session={"summary": "Another."})).digest != digest

    [found] = archive.query(ACME, "", ["bean"], 10)
    assert (found.digest, found.tags) == (digest, ("garden", "beans"))
    assert len(archive.query(ACME, "monday", [], 10)) == 2
    assert archive.retrieve(ACME, digest) == {"session_id": "monday", "summary": "Planned the rows."}
    archive.delete(ACME, digest)
    assert [entry.tags for entry in archive.query(ACME, "", [], 10)] == [("garden",)]
    with pytest.raises(NotFound):
        archive.retrieve(ACME, digest)
