"""A file's record is read as it was always stored, and written as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from cairn.files.store import FileRecord
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.ground.table import Key, Scalar

PK: Final = "acme#s#garden#monday"
INLINE: Final[dict[str, Scalar]] = {
    "pk": PK,
    "sk": "file#notes/a.md",
    "version": 3,
    "size": 12,
    "created_at": "2026-03-01T12:00:00.000000Z",
    "updated_at": "2026-03-01T12:00:00.000001Z",
    "kid": 1,
    "data": b"sealed",
}
AS_BLOB: Final[dict[str, Scalar]] = {**{n: v for n, v in INLINE.items() if n != "data"}, "blob": "ab" * 32}


@pytest.mark.parametrize("item", [INLINE, AS_BLOB], ids=["inline", "blob"])
def test_a_record_is_written_as_it_was_read(item: dict[str, Scalar]) -> None:
    assert list(FileRecord.of(item).to_item().items()) == list(item.items())


def test_a_record_tells_of_its_file() -> None:
    record = FileRecord.of(INLINE)
    assert (record.key, record.version, record.size) == (Key(PK, "file#notes/a.md"), 3, 12)
    told = record.info(Session(Tenant("acme"), Project("garden"), SessionId("monday")))
    assert told.path.endswith("/notes/a.md")
    assert (told.created_at, told.updated_at.microsecond) == (datetime(2026, 3, 1, 12, tzinfo=UTC), 1)


@pytest.mark.parametrize("broken", [{"version": "3"}, {"size": b""}, {"created_at": 1}, {"updated_at": "noon"}])
def test_a_malformed_record_is_corrupt(broken: dict[str, Scalar]) -> None:
    with pytest.raises(CorruptData):
        FileRecord.of({**INLINE, **broken})
