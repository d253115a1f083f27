"""A full segment keeps in pages what is asked of few documents; a search reads the pages of what may answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.facts.facts import Changes
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, NotFound, Unavailable
from cairn.ground.ids import Digest
from cairn.ground.jobs import IndexLog
from cairn.ground.table import Key, Put
from cairn.log import manifest, pages
from cairn.log.layout import MANIFEST
from cairn.log.log import MemoryLog
from cairn.log.manifest import Manifest, SegmentRef
from cairn.log.segment import Segment
from cairn.log.segment_writer import written
from cairn.process.system import in_turn
from cairn.recall import ranker
from cairn.vault.vault import Vault
from support.doubles import Counted
from support.log import SESSIONS, Journal, folded, records
from support.recall import Ranked, ToyEmbedder, assert_same, ranked
from support.turns import SESSION

ENTRIES = 400
QUESTIONS = ("row 42", "green beans", "dwarf 7", "row 399 runner", "my home on street 7")


@pytest.fixture(params=[None, ToyEmbedder()], ids=["words", "vectors"])
def long_log(adapters: Adapters, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Journal:
    """Return a log of which one segment is full, where few entries are many."""
    monkeypatch.setattr(manifest, "FULL", 0)
    monkeypatch.setattr(pages, "LONG", ENTRIES // 2)
    monkeypatch.setattr(ranker, "FINALISTS", 8)
    return Journal(adapters, embedder=request.param).indexed(ENTRIES)


class Process:
    """A process that has nothing in memory, and what it asks of its blobs."""

    def __init__(self, journal: Journal) -> None:
        self.calls: list[str] = []
        counted: Any = Counted(journal.adapters.blobs, self.calls)
        self.journal = journal
        self.log = MemoryLog(replace(journal.adapters, blobs=counted), Vault(journal.adapters))

    def found(self, question: str) -> Ranked:
        journal, now = self.journal, self.journal.adapters.clock.now()
        self.log.refresh(SESSION.tenant, SESSION.project, journal.owner)
        with self.log.view(SESSION.tenant, SESSION.project, journal.owner) as view:
            return ranked(view, question, now, embedder=journal.embedder)

    def overdue(self) -> IndexLog | None:
        return self.log.overdue(SESSION.tenant, SESSION.project, self.journal.owner)


def paged(journal: Journal) -> SegmentRef:
    return next(ref for ref in journal.manifest().segments if ref.head)


def test_a_search_reads_the_head_and_the_pages_of_what_may_answer(long_log: Journal) -> None:
    process = Process(long_log)

    process.found("row 42")

    assert process.calls.count("get") == 0
    # The head; then at most a page for each finalist, and one beside it where its neighbour begins another.
    assert 2 <= process.calls.count("get_part") <= 1 + 2 * ranker.FINALISTS
    assert process.calls.count("get_part") - 1 < ENTRIES // pages.DOCUMENTS


def test_what_was_read_a_moment_ago_is_not_read_again(long_log: Journal) -> None:
    process = Process(long_log)
    process.found("row 42")
    process.calls.clear()

    process.found("row 42")

    assert process.calls == []


def test_pages_hold_what_a_log_at_hand_finds_by_the_same_two_steps(
    long_log: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_pages = [Process(long_log).found(question) for question in QUESTIONS]
    assert paged(long_log)

    monkeypatch.setattr(manifest, "FULL", 9)
    long_log.rebuild()

    assert not any(ref.head for ref in long_log.manifest().segments)
    for question, found in zip(QUESTIONS, of_pages, strict=True):
        assert found
        assert_same(found, Process(long_log).found(question))


def test_the_best_of_all_is_the_best_of_the_finalists(long_log: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    of_one_text = ("row 42", "row 123", "row 399 runner")
    of_finalists = {question: Process(long_log).found(question)[0] for question in of_one_text}

    monkeypatch.setattr(manifest, "FULL", 9)
    long_log.rebuild()
    monkeypatch.setattr(pages, "LONG", 10 * ENTRIES)

    for question, (best, _) in of_finalists.items():
        assert best == Process(long_log).found(question)[0][0]


def test_what_a_log_says_of_its_turns_and_texts_is_the_same(long_log: Journal) -> None:
    answers = long_log.answers()
    folded = long_log.folded()

    assert {name: each for name, each in answers.items() if name != "found"} == {
        name: each for name, each in folded.items() if name != "found"
    }


def garbled(data: bytes, head: int) -> bytes:
    """Return the bytes with every page changed."""
    return data[:head] + bytes(byte ^ 1 for byte in data[head:])


def shifted(data: bytes, head: int) -> bytes:
    """Return the bytes with every page a byte further on."""
    return data[:head] + data[head + 1 :] + data[head : head + 1]


class ChangedBlobs:
    """Blobs of which what is read by parts was changed."""

    def __init__(self, blobs: Any, changed: Callable[[bytes], bytes] | None) -> None:
        self._blobs = blobs
        self.changed = changed
        self.put, self.get, self.delete = blobs.put, blobs.get, blobs.delete

    def get_part(self, tenant: Any, digest: Any, start: int, length: int) -> bytes:
        whole = self._blobs.get(tenant, digest)
        return (self.changed(whole) if self.changed else whole)[start : start + length]


@pytest.mark.parametrize("change", [garbled, shifted])
def test_a_damaged_page_is_told_asked_to_be_made_anew_and_then_is_sound(
    long_log: Journal, change: Callable[[bytes, int], bytes]
) -> None:
    head = paged(long_log).head
    blobs: Any = ChangedBlobs(long_log.adapters.blobs, lambda data: change(data, head))
    process = Process(long_log)
    process.log = MemoryLog(replace(long_log.adapters, blobs=blobs), Vault(long_log.adapters))

    for _ in range(2):
        with pytest.raises(Unavailable, match="ask again"):
            process.found("row 42")
    job = process.overdue()
    assert job is not None
    assert job.rebuild
    assert process.overdue() is None

    blobs.changed = None
    long_log.rebuild()
    assert process.found("row 42")
    assert process.overdue() is None


def test_a_page_in_the_place_of_another_is_refused() -> None:
    said = [(SESSIONS[0], (f"t{number}", [f"tea {number}"]), Changes()) for number in range(2 * pages.DOCUMENTS)]
    made = written(folded(records(said)), "", "m#100", {}, ["texts"])
    first, second = made.pages

    def read(page: pages.PageBytes) -> bytes:
        return (second, first)[page.number]

    held = Segment(made.head, pages.PageSource(read, in_turn, pages.page_cache()))

    with pytest.raises(Unavailable, match="ask again"):
        held.chunk(0)
    assert held.pages is not None
    assert held.pages.is_lost


def test_a_process_that_kept_a_head_for_long_reads_the_log_anew_where_its_pages_are_gone(
    long_log: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "CACHE_BYTES", 0)
    process = Process(long_log)
    process.found("row 42")
    old = paged(long_log)
    long_log.rebuild()
    long_log.adapters.blobs.delete(SESSION.tenant, old.digest)
    with pytest.raises(NotFound):
        long_log.adapters.blobs.get(SESSION.tenant, old.digest)

    with pytest.raises(Unavailable, match="ask again"):
        process.found("row 300 tall")

    assert process.found("row 300 tall")
    assert process.overdue() is None


@pytest.mark.parametrize("cut", [0, 3, 20, -1])
def test_bytes_that_are_no_page_are_refused(cut: int) -> None:
    data = pages.Page(b"kept", memoryview(b"").cast("I"), [0], bytes(64)).to_bytes()
    assert pages.Page.of(data).vectors == bytes(64)
    with pytest.raises(CorruptData):
        pages.Page.of(data[:cut])


@pytest.mark.parametrize("line", ["0" * 64 + " m#1 5 7 9", "0" * 64 + " m#1", "0" * 64 + " m#1 5 x"])
def test_a_line_of_other_words_is_no_segment(adapters: Adapters, line: str) -> None:
    adapters.table.put(Put({"pk": "acme#m#x#u:ada", "sk": MANIFEST, "version": 1, "segments": line}))
    item = adapters.table.get(Key("acme#m#x#u:ada", MANIFEST))
    assert item is not None
    with pytest.raises(CorruptData):
        Manifest.of(item)


def test_how_long_a_head_is_comes_back_from_a_manifest() -> None:
    refs = (SegmentRef(Digest("0" * 64), "m#1", 90_000, 1234), SegmentRef(Digest("1" * 64), "m#2", 5))
    assert Manifest.of(Manifest(3, refs).to_item("pk")).segments == refs
