"""What an agent's own files take of the store: parts, round trips, blobs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from cairn.ground.adapters import Adapters
from cairn.sessions.layout import session_pk
from support.doubles import Counted
from support.files import APPEND, OVERWRITE, TRUNCATE, files_of, usage
from support.turns import SESSION, cold, partition


def test_a_file_s_content_and_nothing_of_it_in_the_clear_is_stored(adapters: Adapters, store: Any) -> None:
    files = files_of(adapters)
    for size in (1, 20_000):
        files.write(SESSION, f"a{size}", "canary " * size, TRUNCATE)
        files.write(SESSION, f"a{size}", "canary", APPEND)
    assert b"canary" not in store.contents()
    assert b"file#a1" in store.contents()


def test_an_append_to_a_large_file_writes_its_end_only(adapters: Adapters, store: Any) -> None:
    files = files_of(adapters)
    for _ in range(4):
        files.write(SESSION, "a", noise(400_000), APPEND)
    before = {path: path.stat().st_size for path in blobs(store)}
    files.write(SESSION, "a", noise(1000), APPEND)
    assert set(before) == set(blobs(store))
    files.write(SESSION, "a", noise(60_000), APPEND)
    assert len(set(blobs(store)) - set(before)) == 1
    assert len(files.read(SESSION, "a")) == 1_661_000


def test_a_range_of_a_large_file_needs_no_more_than_the_parts_it_is_in(adapters: Adapters, store: Any) -> None:
    files = files_of(adapters)
    text = noise(1_600_000)
    for start in range(0, 1_600_000, 400_000):
        files.write(SESSION, "a", text[start : start + 400_000], APPEND)
    assert len(blobs(store)) == 4
    calls: list[str] = []
    counted = files_of(counting(adapters, calls))
    assert counted.read(SESSION, "a", 399_990, 20).decode() == text[399_990:400_010]
    assert calls == ["get", "get"]


def test_reading_takes_one_call_of_the_table_appending_two_and_making_four(start: Any) -> None:
    talk = start()
    files, session, table = talk.services.files, talk.session, talk.table
    files.write(session, "first", "x", TRUNCATE)

    def calls(operation: Callable[[], object]) -> tuple[int, int]:
        table.reads = table.writes = 0
        operation()
        return table.reads, table.writes

    assert calls(lambda: files.write(session, "a", "x", TRUNCATE)) == (3, 1)  # the record, the tree, what is below
    assert calls(lambda: files.write(session, "a", "x", APPEND)) == (1, 1)
    assert calls(lambda: files.read(session, "a")) == (1, 0)
    assert calls(lambda: files.stat(session, "a")) == (1, 0)
    assert calls(lambda: files.delete(session, "a")) == (2, 1)


def test_the_blobs_of_what_was_replaced_or_deleted_are_removed(adapters: Adapters, store: Any) -> None:
    files = files_of(adapters)
    for _ in range(3):
        files.write(SESSION, "a", noise(400_000), APPEND)
    files.write(SESSION, "a", noise(1000), OVERWRITE, offset=500_000)
    assert len(blobs(store)) == 3
    files.write(SESSION, "a", "x", TRUNCATE)
    assert blobs(store) == []
    files.write(SESSION, "a", noise(400_000), TRUNCATE)
    files.delete(SESSION, "a")
    left = [str(item["sk"]) for item in partition(cold(adapters), session_pk(SESSION))]
    assert (blobs(store), left, usage(adapters)) == ([], ["files"], 0)


def blobs(store: Any) -> list[Path]:
    return sorted(path for path in (store.directory / "blobs").rglob("*") if path.is_file())


def noise(size: int) -> str:
    """Return text that zstd cannot make much shorter."""
    digests = (sha256(f"{size}/{number}".encode()).digest() for number in range(size // 40 + 1))
    return "".join(b64encode(digest).decode()[:40] for digest in digests)[:size]


def counting(adapters: Adapters, calls: list[str]) -> Adapters:
    return replace(adapters, blobs=Counted(adapters.blobs, calls))
