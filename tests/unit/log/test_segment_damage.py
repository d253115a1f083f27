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
from cairn.ground.table import Put
from cairn.log.layout import MANIFEST
from cairn.log.manifest import Manifest
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
    journal.indexed(200, 70)
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
