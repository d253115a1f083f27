"""What a log keeps beside its entries is read as it was always stored, and written as it was."""

from __future__ import annotations

from typing import Final

import pytest

from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Project, SessionId, Tenant, UserId
from cairn.ground.table import Scalar
from cairn.log.layout import (
    across,
    branch_sk,
    discarded_before,
    log_owner,
    log_pk,
    log_range,
    log_sk,
    memory_owner,
    memory_sk,
    project_sk,
    projects_pk,
    registry_pk,
    registry_sk,
)
from cairn.log.manifest import Manifest, SegmentRef
from cairn.log.newest import Newest
from support.log import NOW

TENANT, GARDEN = Tenant("acme"), Project("garden")
PK: Final = "acme#m#garden#u:ada"
FIRST, SECOND = "0" * 64, "1" * 64
GROWN: Final[dict[str, Scalar]] = {
    "pk": PK,
    "sk": "m~segments",
    "version": 3,
    "segments": f"{FIRST} m#1 512\n{SECOND} m#2 64",
}
REWRITTEN: Final[dict[str, Scalar]] = {"pk": PK, "sk": "m~segments", "version": 4, "segments": "", "erasures": 1}


@pytest.mark.parametrize("item", [GROWN, REWRITTEN], ids=["grown", "rewritten"])
def test_a_manifest_is_written_as_it_was_read(item: dict[str, Scalar]) -> None:
    assert list(Manifest.of(item).to_item(PK).items()) == list(item.items())


def test_a_manifest_names_its_segments_the_oldest_first() -> None:
    refs = (SegmentRef(Digest(FIRST), "m#1", 512), SegmentRef(Digest(SECOND), "m#2", 64))
    assert Manifest.of(GROWN) == Manifest(3, refs)
    assert Manifest.of(REWRITTEN) == Manifest(4, (), 1)


def test_when_the_newest_entry_was_made_is_written_as_it_was_read() -> None:
    item: dict[str, Scalar] = {"pk": PK, "sk": "m~tail", "newest": 1772366400000}
    assert Newest.of(item) == Newest(1772366400000)
    assert Newest.of(item).attributes() == {"newest": 1772366400000}
    with pytest.raises(CorruptData):
        Newest.of({"pk": PK, "sk": "m~tail"})


def test_the_keys_of_logs_are_spelled_as_they_always_were() -> None:
    ada, monday = UserId("ada"), SessionId("monday")
    assert [log_owner(ada, monday), log_owner(None, monday), *across("u:ada")] == ["u:ada", "s:monday", "~u:ada"]
    assert memory_owner("project", ada, monday) == "p:"
    assert [log_pk(TENANT, GARDEN, owner) for owner in ("u:ada", "~u:ada")] == [PK, "acme#m#~#u:ada"]
    assert (registry_pk(TENANT, GARDEN), projects_pk(TENANT)) == ("acme#m#garden", "acme#projects")
    assert (registry_sk("u:ada"), project_sk("garden")) == ("log#u:ada", "project#garden")
    assert (branch_sk("try-1"), memory_sk("m1"), log_sk("1"), log_range()) == (
        "branch#try-1",
        "id#m1",
        "m#1",
        ("m#", "m~segments"),
    )
    assert discarded_before(NOW) == ("gone#", "gone#2026-03-01T12:00:00.000000Z")
