"""A wrapped data key is read as it was always stored, and written as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import Scalar
from cairn.vault.data_key import WrappedKey

MADE: Final[dict[str, Scalar]] = {
    "pk": "acme#keys",
    "sk": "data#000002",
    "number": 2,
    "wrapped": b"wrapped",
    "created_at": "2026-03-01T12:00:00.000000Z",
}
OF_BEFORE: Final[dict[str, Scalar]] = {name: value for name, value in MADE.items() if name != "created_at"}


@pytest.mark.parametrize("item", [MADE, OF_BEFORE], ids=["dated", "of before that was noted"])
def test_a_key_is_written_as_it_was_read(item: dict[str, Scalar]) -> None:
    assert list(WrappedKey.of(item).to_item(Tenant("acme")).items()) == list(item.items())


def test_a_key_tells_its_number_and_when_it_was_made_and_shows_no_secret() -> None:
    assert WrappedKey.of(MADE) == WrappedKey(2, b"wrapped", datetime(2026, 3, 1, 12, tzinfo=UTC))
    assert WrappedKey.of(OF_BEFORE).created_at is None
    assert "wrapped" not in repr(WrappedKey.of(MADE)).removeprefix("WrappedKey")


@pytest.mark.parametrize("broken", [{"number": "2"}, {"wrapped": "text"}, {"created_at": "noon"}])
def test_a_malformed_key_is_corrupt(broken: dict[str, Scalar]) -> None:
    with pytest.raises(CorruptData):
        WrappedKey.of({**MADE, **broken})
