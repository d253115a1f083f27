"""What stands beside the records of calls is read as it was always stored, and written as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from cairn.calls.chain import Position
from cairn.calls.day_marker import DayMarker
from cairn.calls.record import AuditRecord
from cairn.calls.sealing import ChainEnd
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, Tenant, UserId, time_ordered_id
from cairn.ground.session import Subject
from cairn.ground.table import Scalar

ACME: Final = Tenant("acme")
LINK: Final[dict[str, Scalar]] = {
    "pk": "acme#audit",
    "sk": "digest#000000012",
    "blob": "ab" * 32,
    "day": "2026-03-01",
    "until": "01J#end",
    "records": 3,
}
UNSEALED: Final[dict[str, Scalar]] = {
    "pk": "acme#audit",
    "sk": "day#2026-03-01",
    "ipk": "~unsealed",
    "isk": "2026-03-01",
    "expires_at": 1774958400,
}
SEALED: Final[dict[str, Scalar]] = {name: value for name, value in UNSEALED.items() if name not in {"ipk", "isk"}}


def test_a_link_of_the_chain_is_written_as_it_was_read() -> None:
    link = ChainEnd.of(LINK)
    assert link == ChainEnd(12, "ab" * 32, Position("2026-03-01", "01J#end"), 3)
    assert list(link.to_item(ACME).items()) == list(LINK.items())


@pytest.mark.parametrize("item", [UNSEALED, SEALED], ids=["unsealed", "sealed"])
def test_a_day_is_written_as_it_was_read(item: dict[str, Scalar]) -> None:
    marker = DayMarker.of(item)
    assert marker == DayMarker("2026-03-01", 1774958400, is_unsealed=item is UNSEALED)
    assert list(marker.to_item(ACME).items()) == list(item.items())


@pytest.mark.parametrize("numbered", [{}, {"writer": "w1", "number": 7}], ids=["of no writer", "numbered"])
def test_a_record_of_a_call_is_read_as_it_was_written(numbered: dict[str, Any]) -> None:
    began = datetime(2026, 3, 1, 12, tzinfo=UTC)
    record = AuditRecord(
        id=time_ordered_id(began, bytes(10)),
        tenant=ACME,
        tool="recall",
        credential="k1",
        request_id="r1",
        arguments={"limit": 3},
        subject=Subject(project=Project("garden"), user_id=UserId("ada")),
        outcome="admitted",
        **numbered,
    )
    for each in (record, record.ended("not_found", began + timedelta(milliseconds=20))):
        assert AuditRecord.of(ACME, each.item(timedelta(days=1))) == each


def test_a_malformed_link_or_day_is_corrupt() -> None:
    for broken in ({"blob": 1}, {"day": 1}, {"until": 1}, {"records": "3"}):
        with pytest.raises(CorruptData):
            ChainEnd.of({**LINK, **broken})
    with pytest.raises(CorruptData):
        DayMarker.of({**SEALED, "expires_at": "never"})
