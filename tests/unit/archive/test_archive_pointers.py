"""Where an archived session is kept: by its content, sealed, with one entry whose tags grow."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from cairn.archive.archive import Archive
from cairn.archive.layout import archive_pk, pointer_sk
from cairn.archive.model import Deposit, Entry, pack
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, InvalidArgument, NotFound
from cairn.ground.ids import Digest, SessionId
from cairn.ground.table import Key, Put
from support.archive import ACME, OTHER, SESSION, archive_of, deposit, fields_of, rows
from support.turns import cold


@pytest.mark.req("R191")
@pytest.mark.req("R181")
def test_a_blob_is_a_nonce_of_12_bytes_the_ciphertext_and_a_tag_of_16(archive: Archive, store: Any) -> None:
    receipt = archive.store(ACME, deposit())

    [path] = (store.directory / "blobs").rglob(str(receipt.digest))
    data = path.read_bytes()
    assert sha256(data).hexdigest() == receipt.digest
    assert len(data) == 12 + len(pack(SESSION)) + 16
    assert b"Runner beans" in pack(SESSION)
    assert b"Runner beans" not in store.contents()


@pytest.mark.req("R191")
def test_different_sessions_never_share_a_nonce(archive: Archive, store: Any) -> None:
    receipts = [archive.store(ACME, deposit(summary=f"Row {number}")) for number in range(12)]

    blobs = [next((store.directory / "blobs").rglob(each.digest)).read_bytes() for each in receipts]
    assert len({blob[:12] for blob in blobs}) == 12


@pytest.mark.req("R196")
@pytest.mark.req("R200")
def test_the_same_session_is_one_pointer_one_object_and_one_entry_inside_a_tenant_and_nowhere_else(
    archive: Archive, adapters: Adapters, store: Any
) -> None:
    first = archive.store(ACME, deposit("garden"))
    size = store.rows()
    turned = Deposit(session_id=SessionId("monday"), tags=("garden",), session=dict(reversed(SESSION.items())))

    assert archive_of(adapters).store(ACME, turned).digest == first.digest
    assert store.rows() == size
    assert archive.store(OTHER, deposit("garden")).digest != first.digest
    with pytest.raises(NotFound):
        archive.retrieve(OTHER, first.digest)


@pytest.mark.req("R195")
@pytest.mark.req("R277")
def test_another_tenants_pointer_is_as_unknown_as_one_that_never_was(archive: Archive) -> None:
    archive.store(OTHER, deposit())
    theirs = archive.store(ACME, deposit()).digest
    for digest in (theirs, Digest("0" * 64)):
        for call in (archive.retrieve, archive.delete):
            with pytest.raises(NotFound) as refusal:
                call(OTHER, digest)
            assert (str(refusal.value), refusal.value.details) == ("No such session in the archive", {})
    assert archive.retrieve(ACME, theirs) == SESSION


def test_a_blob_that_is_no_archived_session_is_neither_shown_nor_deleted(archive: Archive, adapters: Adapters) -> None:
    archive.store(ACME, deposit())
    other = adapters.blobs.put(ACME, b"a blob of a turn")
    for call in (archive.retrieve, archive.delete):
        with pytest.raises(NotFound):
            call(ACME, other)
    assert adapters.blobs.get(ACME, other) == b"a blob of a turn"


@pytest.mark.req("R192")
@pytest.mark.req("R197")
@pytest.mark.parametrize("position", [0, 11, 12, -17, -16, -1])
def test_a_flipped_bit_anywhere_is_refused_by_its_hash(archive: Archive, store: Any, position: int) -> None:
    digest = archive.store(ACME, deposit()).digest
    [path] = (store.directory / "blobs").rglob(str(digest))
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)
    with pytest.raises(CorruptData, match="digest"):
        archive.retrieve(ACME, digest)


@pytest.mark.req("R192")
@pytest.mark.parametrize("position", [0, 11, 12, -17, -16, -1])
def test_a_flipped_bit_under_a_hash_that_was_made_to_fit_is_refused_by_its_tag(
    archive: Archive, adapters: Adapters, position: int
) -> None:
    digest = archive.store(ACME, deposit()).digest
    data = bytearray(adapters.blobs.get(ACME, digest))
    data[position] ^= 1
    forged = adapters.blobs.put(ACME, bytes(data))
    item = adapters.table.get(Key(archive_pk(ACME), pointer_sk(digest)))
    assert item is not None
    adapters.table.put(Put({**item, "sk": pointer_sk(forged), "content_hash": forged}))
    with pytest.raises(CorruptData, match="tag"):
        archive.retrieve(ACME, forged)


@pytest.mark.req("R192")
def test_a_blob_and_its_entry_moved_to_another_tenant_do_not_open_there(archive: Archive, adapters: Adapters) -> None:
    archive.store(OTHER, deposit())
    digest = archive.store(ACME, deposit()).digest
    item = adapters.table.get(Key(archive_pk(ACME), pointer_sk(digest)))
    assert item is not None
    adapters.blobs.put(OTHER, adapters.blobs.get(ACME, digest))
    adapters.table.put(Put({**item, "pk": archive_pk(OTHER)}))
    with pytest.raises(CorruptData):
        archive.retrieve(OTHER, digest)


@pytest.mark.req("R203")
def test_the_schema_version_is_in_index_and_blob_and_an_older_one_is_read(archive: Archive, adapters: Adapters) -> None:
    digest = archive.store(ACME, deposit()).digest
    item = adapters.table.get(Key(archive_pk(ACME), pointer_sk(digest)))
    assert item is not None
    assert item["schema_version"] == "0.1.0"
    assert json.loads(pack(SESSION))["schema_version"] == "0.1.0"

    old = codec.canonical({"schema_version": "0.0.9", "session": {"session_id": "old", "note": "dropped since"}})
    number, sealed = cold(adapters).vault.seal_alike(ACME, "archive", old)
    older = adapters.blobs.put(ACME, sealed)
    entry = replace(Entry.of(item), digest=older, key_number=number, schema_version="0.0.9")
    where = {"pk": archive_pk(ACME), "sk": pointer_sk(older)}
    adapters.table.put(Put({**where, **entry.attributes()}))
    assert archive.retrieve(ACME, older) == {"session_id": "old", "note": "dropped since"}


@pytest.mark.req("R201")
def test_an_entry_says_what_an_index_record_holds(archive: Archive, adapters: Adapters) -> None:
    digest = archive.store(ACME, deposit("garden", "beans")).digest
    item = adapters.table.get(Key(archive_pk(ACME), pointer_sk(digest)))
    assert item is not None
    assert len(str(item["id"])) == 26
    assert {name: item[name] for name in item if name not in {"pk", "sk", "id"}} == {
        "content_hash": digest,
        "blob_kid": 1,
        "tags": "garden,beans",
        "created_at": codec.rfc3339(adapters.clock.now()),
        "schema_version": "0.1.0",
        "source_session_id": "monday",
        "source_tool": "planner",
    }


@pytest.mark.parametrize("name", ["has spaces in it", "ab-" * 22, "", 7, None])
def test_a_tool_name_that_is_no_name_is_not_in_the_index(archive: Archive, store: Any, name: object) -> None:
    [found] = [archive.store(ACME, deposit(tool_name=name)).digest]

    assert b"has spaces in it" not in store.contents()
    assert [entry.tool_name for entry in archive.query(ACME, "", [], 9)] == [None]
    assert archive.retrieve(ACME, found)["tool_name"] == name


def test_a_session_archived_again_gets_the_tags_it_lacks_and_keeps_its_time(
    archive: Archive, clock: Any, adapters: Adapters
) -> None:
    archive.store(ACME, deposit("garden", "beans"))
    first = archive.query(ACME, "", [], 9)
    clock.advance(days=1)
    archive.store(ACME, deposit("fence", "beans"))

    [entry] = archive.query(ACME, "", [], 9)
    assert entry == replace(first[0], tags=("garden", "beans", "fence"))
    for tag in entry.tags:
        assert archive.query(ACME, "", [tag], 9) == (entry,)
    assert archive.query(ACME, "monday", [], 9) == (entry,)
    assert sorted(rows(adapters)) == ["at", "ptr", "ses", "tag", "tag", "tag"]


def test_more_tags_than_an_entry_holds_are_refused_and_change_nothing(archive: Archive, adapters: Adapters) -> None:
    archive.store(ACME, deposit(*(f"t{number}" for number in range(30))))
    before = rows(adapters)
    with pytest.raises(InvalidArgument) as refusal:
        archive.store(ACME, deposit("a", "b", "c"))
    assert fields_of(refusal) == ["tags"]
    assert rows(adapters) == before


@pytest.mark.req("R277")
def test_a_deleted_session_is_gone_from_index_and_blobs_and_others_stay(archive: Archive, store: Any) -> None:
    archive.store(ACME, deposit(session_id="other"))
    before = store.rows()
    digest = archive.store(ACME, deposit("garden", "beans")).digest

    archive.delete(ACME, digest)

    assert store.rows() == before
    with pytest.raises(NotFound):
        archive.retrieve(ACME, digest)
    with pytest.raises(NotFound):
        archive.delete(ACME, digest)
    assert len(archive.query(ACME, "", [], 9)) == 1
    assert archive.store(ACME, deposit("garden", "beans")).digest == digest
