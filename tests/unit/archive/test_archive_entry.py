"""An entry of the archive's index is read as it was always stored, and written as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from cairn.archive.model import Entry
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, SessionId
from cairn.ground.table import Scalar

WHERE: Final[dict[str, Scalar]] = {"pk": "acme#a", "sk": "ptr#" + "ab" * 32}
NAMELESS: Final[dict[str, Scalar]] = {
    "id": "01J",
    "content_hash": "ab" * 32,
    "blob_kid": 1,
    "source_session_id": "monday",
    "tags": "one,two",
    "created_at": "2026-03-01T12:00:00.000000Z",
    "schema_version": "0.1.0",
}
NAMED: Final[dict[str, Scalar]] = {**NAMELESS, "tags": "", "source_tool": "deploy"}


@pytest.mark.parametrize("attributes", [NAMELESS, NAMED], ids=["tagged", "with its tool"])
def test_an_entry_is_written_as_it_was_read(attributes: dict[str, Scalar]) -> None:
    assert list(Entry.of({**WHERE, **attributes}).attributes().items()) == list(attributes.items())


def test_an_entry_tells_what_is_archived() -> None:
    assert Entry.of({**WHERE, **NAMELESS}) == Entry(
        id="01J",
        digest=Digest("ab" * 32),
        key_number=1,
        session_id=SessionId("monday"),
        tags=("one", "two"),
        created_at=datetime(2026, 3, 1, 12, tzinfo=UTC),
    )
    assert (Entry.of({**WHERE, **NAMED}).tags, Entry.of({**WHERE, **NAMED}).tool_name) == ((), "deploy")


@pytest.mark.parametrize("broken", [{"id": 1}, {"blob_kid": "1"}, {"created_at": "noon"}, {"tags": 1}])
def test_a_malformed_entry_is_corrupt(broken: dict[str, Scalar]) -> None:
    with pytest.raises(CorruptData):
        Entry.of({**WHERE, **NAMELESS, **broken})
