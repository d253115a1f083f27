"""A segment that is not what it was costs a longer read, never a wrong answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest
from cairn.ground.jobs import IndexLog
from cairn.ground.paging import every
from cairn.ground.table import Delete, Key, Put, Query, Scalar
from cairn.log.closing import close
from cairn.log.layout import MANIFEST, log_range
from cairn.log.manifest import Manifest
from cairn.log.segment_writer import Written
from cairn.recall.indexing import FEWEST, Indexer
from cairn.vault.vault import Vault
from support.log import Counting, Journal
from support.turns import SESSION


@pytest.fixture
def journal(adapters: Adapters, watched: Any) -> Journal:
    return Journal(replace(adapters, table=watched))


def corrupt(journal: Journal, number: int, change: Callable[[bytes], bytes]) -> None:
    """Put other bytes in the place of a segment's blob."""
    digest = journal.manifest().segments[number].digest
    blobs: Any = journal.adapters.blobs
    path = blobs._path(SESSION.tenant, digest)
    path.write_bytes(change(path.read_bytes()))


def rename(journal: Journal, other: Journal) -> None:
    """Have the manifest name a segment of another log, as whoever may write to the table could."""
    other.indexed(200, 70)
    point(journal, [other.manifest().segments[0].digest, journal.manifest().segments[1].digest])


def point(journal: Journal, digests: Sequence[Digest]) -> None:
    held = journal.manifest()
    segments = tuple(replace(ref, digest=each) for ref, each in zip(held.segments, digests, strict=True))
    journal.adapters.table.put(Put(Manifest(held.version, segments).to_item(journal.pk)))


def spoil(journal: Journal) -> None:
    version = journal.manifest().version
    journal.adapters.table.put(Put({"pk": journal.pk, "sk": MANIFEST, "version": version, "segments": "spoilt"}))


def damage_version(journal: Journal, version: Scalar | None) -> None:
    """Put something else in the place of the manifest's version, or nothing."""
    held = {name: value for name, value in journal.manifest().to_item(journal.pk).items() if name != "version"}
    journal.adapters.table.put(Put(held if version is None else {**held, "version": version}))


DAMAGES: dict[str, Callable[[Journal], None]] = {
    "gone": lambda journal: journal.adapters.blobs.delete(SESSION.tenant, journal.manifest().segments[-1].digest),
    "torn": lambda journal: corrupt(journal, -1, lambda data: data[:-1]),
    "changed": lambda journal: corrupt(journal, -1, lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:]),
    "another's": lambda journal: rename(journal, Journal(journal.adapters, "u:bob")),
    "in the wrong place": lambda journal: point(journal, [ref.digest for ref in reversed(journal.manifest().segments)]),
    "no manifest": spoil,
}


@pytest.mark.req("R252")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_segment_is_passed_over_told_once_and_mended_by_a_rebuild(journal: Journal, damage: str) -> None:
    journal.indexed(2_000, 70)
    DAMAGES[damage](journal)
    process = Counting(journal)
    assert process.read() == journal.folded()
    where = (SESSION.tenant, SESSION.project, journal.owner)
    assert process.log.wanted(*where) == [IndexLog(*where, rebuild=True)]
    assert process.log.wanted(*where) == []

    Indexer(journal.adapters, Vault(journal.adapters)).do(IndexLog(*where, rebuild=True), timedelta(minutes=1))
    after = Counting(journal)
    assert after.read() == journal.folded()
    assert after.log.wanted(*where) == []
    assert "get" in after.calls


@pytest.mark.req("R252")
@pytest.mark.parametrize("version", [None, "7", 0, -3, True, b"7"])
def test_a_manifest_without_a_sound_version_is_replaced_by_whoever_changes_the_log_next(
    journal: Journal, version: Scalar | None
) -> None:
    segments, where = Indexer(journal.adapters, Vault(journal.adapters)), (SESSION.tenant, SESSION.project)
    journal.indexed(70)
    damage_version(journal, version)
    assert segments.run(*where, journal.owner).entries == 70
    assert Counting(journal).read() == journal.folded()
    damage_version(journal, version)
    segments.segments.rewrite(journal.pk, [])
    assert (journal.manifest().version, journal.manifest().segments, journal.manifest().erasures) == (1, (), 1)
    damage_version(journal, version)
    table: Any = journal.adapters.table
    for each in list(every(table, Query(journal.pk, *log_range()))):
        if each["sk"] != MANIFEST:
            table.delete(Delete(Key.of(each)))
    segments.segments.drop_discarded(SESSION.tenant, journal.pk)
    assert close(journal.adapters, journal.pk, None)
    assert table.get(Key(journal.pk, MANIFEST)) is None


def test_an_indexer_that_was_slower_leaves_the_manifest_that_another_put_in_place_of_a_damaged_one(
    journal: Journal,
) -> None:
    journal.indexed(70)
    damage_version(journal, "7")
    indexer = Indexer(journal.adapters, Vault(journal.adapters))
    damaged = indexer.segments.damaged_manifest(journal.pk)
    built = indexer.segments.build(SESSION.tenant, journal.pk, "m#1", 1, Written(b""))
    indexer.run(SESSION.tenant, SESSION.project, journal.owner)
    sound = journal.manifest()

    assert indexer.segments.switch(journal.pk, damaged, 0, built) is None
    assert journal.manifest() == sound


def test_a_process_learns_of_what_was_taken_out_though_a_damaged_version_began_anew(journal: Journal) -> None:
    journal.indexed(70)
    process = Counting(journal)
    process.read()
    taken = next(iter(every(journal.adapters.table, Query(journal.pk, *log_range()))))
    segments = Indexer(journal.adapters, Vault(journal.adapters)).segments
    damage_version(journal, None)
    segments.rewrite(journal.pk, [Delete(Key.of(taken))])
    assert (journal.manifest().version, journal.manifest().erasures) == (1, 1)

    assert process.read() == journal.folded()


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["gone", "torn", "changed", "no manifest"])
def test_an_indexer_that_would_merge_a_damaged_segment_makes_all_anew(journal: Journal, damage: str) -> None:
    journal.indexed(200, FEWEST)
    DAMAGES[damage](journal)
    journal.indexed(FEWEST)
    assert sum(ref.entries for ref in journal.manifest().segments) == 200 + 2 * FEWEST
    process = Counting(journal)
    assert process.read() == journal.folded()
    assert process.log.wanted(SESSION.tenant, SESSION.project, journal.owner) == []


def test_the_log_alone_gives_the_same_segments_again(journal: Journal) -> None:
    journal.indexed(200, 40)
    before = journal.answers()
    for ref in journal.manifest().segments:
        journal.adapters.blobs.delete(SESSION.tenant, ref.digest)
    journal.rebuild()
    assert journal.answers() == before == journal.folded()


def test_a_malformed_manifest_is_told_from_an_absent_one() -> None:
    for version, text in ((1, ""), (1, "x m#1 2"), ("1", "0" * 64 + " m#1 2"), (1, "0" * 64 + " m#1 x")):
        with pytest.raises(CorruptData):
            Manifest.of({"version": version, "segments": text})
    first, second = (f"{'0' * 64} m#{number} 2" for number in (1, 2))
    assert Manifest.of({"version": 1, "segments": f"{first}\n{second}"}).through == "m#2"
    with pytest.raises(CorruptData):
        Manifest.of({"version": 1, "segments": f"{second}\n{first}"})
