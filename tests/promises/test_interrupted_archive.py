"""Wherever archiving or deleting is stopped, and whatever meets it: one entry and one blob, or none."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from threading import Barrier
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.archive.archive import Archive
from cairn.archive.layout import archive_pk
from cairn.archive.model import KEPT_FIELDS, Deposit, kept_fields, pack
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, Unavailable
from cairn.ground.ids import Digest, SessionId, Tenant
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.memory_store import MemoryTable, copied
from support.turns import cold

ACME, OTHER = Tenant("acme"), Tenant("other")
MONDAY = SessionId("monday")
SAID = {"summary": "Planned the rows.", "success": True}
FIRST = Deposit(session_id=MONDAY, tags=("garden", "beans"), session=SAID)
AGAIN = Deposit(session_id=MONDAY, tags=("fence",), session=SAID)
FEWEST_CALLS_OF_A_STORE = 4
"""The data key is looked for and made, the blob put, the entry written."""
FEWEST_CALLS_OF_A_DELETION = 3
"""The entry is read, the blob deleted, the entry removed."""

NewAdapters = Callable[[], Adapters]
Fault = Callable[[Callable[[], object]], object]


def archive_of(adapters: Adapters) -> Archive:
    return Archive(cold(adapters))


def faulty(adapters: Adapters, at: int, fault: Fault) -> tuple[FaultyStore, Archive]:
    store = FaultyStore(adapters, at, fault)
    return store, archive_of(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store)))


def places(adapters: Adapters) -> list[str]:
    """Return where the entries of ACME's archive stand, without their ids."""
    items = [item for item in cast("MemoryTable", adapters.table).items() if item["pk"] == archive_pk(ACME)]
    return sorted(str(item["sk"]).rpartition("#")[0] for item in items)


def blobs(adapters: Adapters) -> set[str]:
    return {digest for _, digest in vars(adapters.blobs)["blobs"]}


@pytest.mark.req("R199")
@pytest.mark.req("R200")
@pytest.mark.parametrize("deposits", [(FIRST,), (AGAIN, FIRST)], ids=["new", "there already"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_store_stopped_at_any_call_shows_all_or_nothing_and_a_retry_completes_it(
    adapters_in_memory: NewAdapters, fault: Fault, deposits: tuple[Deposit, ...]
) -> None:
    start = adapters_in_memory()
    for deposit in deposits[:-1]:
        archive_of(start).store(ACME, deposit)
    clean = copied(start)
    archive_of(clean).store(ACME, FIRST)
    calls = 0
    for at in count(1):
        adapters = copied(start)
        store, archive = faulty(adapters, at, fault)
        with suppress(Unavailable, Stopped):
            archive.store(ACME, FIRST)
        if store.calls < at:
            break
        calls = at
        reader = archive_of(adapters)
        assert places(adapters) in ([], places(start), places(clean)), f"after call {at}"
        for entry in reader.query(ACME, "", [], 9):
            assert reader.retrieve(ACME, entry.digest) == {"session_id": "monday", **SAID}, f"after call {at}"
        digest = reader.store(ACME, FIRST).digest
        assert places(adapters) == places(clean), f"after call {at} and a retry"
        assert blobs(adapters) == {digest}
        assert reader.retrieve(ACME, digest) == {"session_id": "monday", **SAID}
    assert calls >= FEWEST_CALLS_OF_A_STORE - len(deposits[:-1])


@pytest.mark.req("R277")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_deletion_stopped_at_any_call_is_completed_by_the_next(adapters_in_memory: NewAdapters, fault: Fault) -> None:
    start = adapters_in_memory()
    digest = archive_of(start).store(ACME, FIRST).digest
    calls = 0
    for at in count(1):
        adapters = copied(start)
        store, archive = faulty(adapters, at, fault)
        with suppress(Unavailable, Stopped):
            archive.delete(ACME, digest)
        if store.calls < at:
            break
        calls = at
        assert places(adapters) in ([], places(start)), f"after call {at}"
        assert digest not in blobs(adapters) or places(adapters), f"after call {at} a blob that nothing names is left"
        with suppress(NotFound):
            archive_of(adapters).delete(ACME, digest)
        assert (places(adapters), blobs(adapters)) == ([], set()), f"after call {at} and another deletion"
    assert calls >= FEWEST_CALLS_OF_A_DELETION


@pytest.mark.parametrize("callers", [2, 3])
def test_calls_that_archive_one_session_at_once_leave_one_entry_with_the_tags_of_all(
    adapters_in_memory: NewAdapters, callers: int
) -> None:
    adapters = adapters_in_memory()
    archive_of(adapters).store(OTHER, FIRST)
    together = Barrier(callers)

    def store(number: int) -> Digest:
        archive = archive_of(adapters)
        together.wait(timeout=10)
        return archive.store(ACME, replace(FIRST, tags=(f"t{number}",))).digest

    with ThreadPoolExecutor(callers) as pool:
        [digest] = set(pool.map(store, range(callers)))

    [entry] = archive_of(adapters).query(ACME, "", [], 9)
    assert entry.digest == digest
    assert sorted(entry.tags) == [f"t{number}" for number in range(callers)]
    assert len(places(adapters)) == 3 + callers


class Meanwhile:
    """A table before whose first transaction something else happens."""

    def __init__(self, table: Any, step: Callable[[], object]) -> None:
        self.table, self.steps = table, [step]

    def __getattr__(self, name: str) -> Any:
        if name == "transact" and self.steps:
            self.steps.pop()()
        return getattr(self.table, name)


def test_tags_that_come_while_an_entry_is_changed_or_removed_leave_no_place_behind(
    adapters_in_memory: NewAdapters,
) -> None:
    adapters = adapters_in_memory()
    digest = archive_of(adapters).store(ACME, FIRST).digest
    later = replace(FIRST, tags=("later",))
    table: Any = Meanwhile(adapters.table, lambda: archive_of(adapters).store(ACME, AGAIN))
    archive_of(replace(adapters, table=table)).store(ACME, later)
    [entry] = archive_of(adapters).query(ACME, "", [], 9)
    assert entry.tags == ("garden", "beans", "fence", "later")

    last = replace(FIRST, tags=("last",))
    table = Meanwhile(adapters.table, lambda: archive_of(adapters).store(ACME, last))
    archive_of(replace(adapters, table=table)).delete(ACME, digest)
    assert (places(adapters), blobs(adapters)) == ([], set())


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)  # as long a row of digits as a key is refused
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from("ab#"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["p", "q"]), inner, max_size=2),
    max_leaves=6,
)
sessions = st.dictionaries(st.sampled_from([*KEPT_FIELDS[1:], "other"]), json_values, max_size=5)
labels = st.lists(st.sampled_from(["a", "b", "ab", "A-b", "_"]), unique=True, max_size=4)


@pytest.mark.req("R184")
@pytest.mark.req("R196")
@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(archived=st.lists(st.tuples(sessions, labels), min_size=1, max_size=5))
def test_whatever_is_archived_is_found_and_comes_back_as_it_was_kept(
    adapters_in_memory: NewAdapters, archived: list[tuple[dict[str, Any], list[str]]]
) -> None:
    archive = archive_of(adapters_in_memory())
    for session, tags in archived:
        deposit = Deposit(session_id=MONDAY, tags=tuple(tags), session=session)
        digest = archive.store(ACME, deposit).digest
        assert archive.retrieve(ACME, digest) == kept_fields(session, MONDAY)
        assert digest in {entry.digest for entry in archive.query(ACME, "", tags, 100)}
        assert archive.store(OTHER, deposit).digest != digest
    different = {pack(kept_fields(session, MONDAY)) for session, _ in archived}
    assert len(archive.query(ACME, "", [], 100)) == len(different)
