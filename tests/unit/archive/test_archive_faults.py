"""What the archive does where a store, a key or an answer fails it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from cairn.archive.model import pointer
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Refusal, TransactionRefused, Unavailable
from support.archive import ACME, SESSION, archive_of, deposit, rows


class Failing:
    """An adapter whose named call fails the first times, before or after it is made."""

    def __init__(
        self, adapter: Any, name: str, times: int, *, after: bool = False, error: Exception | None = None
    ) -> None:
        self.adapter, self.name, self.times, self.after = adapter, name, times, after
        self.error = error or Unavailable("throttled")
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.adapter, name)
        return self.failing(call) if name == self.name else call

    def failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def fails(*given: Any) -> Any:
            self.calls += 1
            answer = call(*given) if self.after or self.calls > self.times else None
            if self.calls <= self.times:
                raise self.error
            return answer

        return fails


@pytest.mark.req("R199")
@pytest.mark.parametrize("after", [False, True])
def test_a_blob_store_that_fails_once_is_asked_again(adapters: Adapters, *, after: bool) -> None:
    blobs: Any = Failing(adapters.blobs, "put", 1, after=after)
    archive = archive_of(replace(adapters, blobs=blobs))

    digest = archive.store(ACME, deposit()).digest

    assert blobs.calls == 2
    assert archive.retrieve(ACME, digest) == SESSION


@pytest.mark.req("R199")
def test_a_blob_store_that_fails_twice_is_not_asked_a_third_time_and_nothing_is_indexed(adapters: Adapters) -> None:
    blobs: Any = Failing(adapters.blobs, "put", 9)
    with pytest.raises(Unavailable) as failure:
        archive_of(replace(adapters, blobs=blobs)).store(ACME, deposit())

    assert blobs.calls == 2
    assert failure.value.details == {"stage": "store"}
    assert failure.value.retryable
    assert rows(adapters) == []


@pytest.mark.req("R200")
def test_where_indexing_fails_the_error_says_so_and_a_retry_completes_without_a_second_entry(
    adapters: Adapters,
) -> None:
    table: Any = Failing(adapters.table, "transact", 2)
    with pytest.raises(Unavailable) as failure:
        archive_of(replace(adapters, table=table)).store(ACME, deposit("garden"))
    assert table.calls == 2

    receipt = archive_of(adapters).store(ACME, deposit("garden"))

    assert failure.value.details == {"stage": "index", "pointer": pointer(receipt.digest), "indexed": False}
    assert sorted(rows(adapters)) == ["at", "ptr", "ses", "tag"]
    assert archive_of(adapters).retrieve(ACME, receipt.digest) == SESSION


@pytest.mark.req("R200")
def test_an_index_whose_answer_is_lost_is_asked_again_and_has_one_entry(adapters: Adapters) -> None:
    table: Any = Failing(adapters.table, "transact", 1, after=True)
    archive = archive_of(replace(adapters, table=table))

    assert archive.retrieve(ACME, archive.store(ACME, deposit("garden")).digest) == SESSION
    assert table.calls == 2
    assert sorted(rows(adapters)) == ["at", "ptr", "ses", "tag"]


@pytest.mark.req("R199")
@pytest.mark.parametrize("reasons", [(Refusal("throttled"), None), (None, Refusal("conflict"))])
@pytest.mark.parametrize("times", [1, 2])
def test_a_transaction_that_is_refused_for_no_condition_is_tried_twice(
    adapters: Adapters, times: int, reasons: tuple[Refusal | None, ...]
) -> None:
    table: Any = Failing(adapters.table, "transact", times, error=TransactionRefused(reasons))
    archive = archive_of(replace(adapters, table=table))
    with nullcontext() if times == 1 else pytest.raises(Unavailable):
        archive.store(ACME, deposit())

    assert table.calls == 2
    assert len(rows(adapters)) == (3 if times == 1 else 0)


@pytest.mark.req("R194")
@pytest.mark.parametrize("part", ["generate", "unwrap"])
def test_without_a_key_nothing_is_stored_and_nothing_indexed(adapters: Adapters, store: Any, part: str) -> None:
    if part == "unwrap":
        archive_of(adapters).store(ACME, deposit(session_id="earlier"))
    before = store.rows()
    keys: Any = Failing(adapters.keys, part, 99)
    with pytest.raises(Unavailable):
        archive_of(replace(adapters, keys=keys)).store(ACME, deposit())
    assert store.rows() == before
