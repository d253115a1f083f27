"""Writes of files: whatever fails and whoever writes at the same time, nothing is lost, doubled or counted wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest

from cairn.files.files import WriteMode
from cairn.files.layout import FILES
from cairn.files.service import Files
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Conflict, QuotaExceeded, Unavailable
from cairn.ground.ids import SessionId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.ground.table import Key, Query
from cairn.log.layout import registry_pk
from cairn.sessions.layout import session_pk
from cairn.settings.settings import Settings
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped, killed_before
from support.services import services_over
from support.turns import SESSION

LARGE = "".join(sha256(str(number).encode()).hexdigest() for number in range(5000))
LIMITS = Limits(project_bytes=1_000_000)
Operation = Callable[[Files], object]

WRITES: dict[str, Operation] = {
    "append": lambda files: files.write(SESSION, "a", "!", WriteMode.APPEND, if_version=1),
    "append much": lambda files: files.write(SESSION, "a", LARGE[:70_000], WriteMode.APPEND, if_version=1),
    "overwrite": lambda files: files.write(SESSION, "a", "??", WriteMode.OVERWRITE, offset=9, if_version=1),
    "truncate": lambda files: files.write(SESSION, "a", LARGE, WriteMode.TRUNCATE, if_version=1),
    "make": lambda files: files.write(SESSION, "b/c", LARGE, WriteMode.TRUNCATE, if_version=0),
    "delete": lambda files: files.delete(SESSION, "a", if_version=1),
}


def files_of(adapters: Adapters) -> Files:
    return services_over(adapters, Settings(memory_enabled=True, limits=LIMITS)).files


def faulty(adapters: Adapters, at: int, fault: Callable[[Callable[[], object]], object]) -> tuple[FaultyStore, Files]:
    store = FaultyStore(adapters, at, fault)
    return store, files_of(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store)))


def contents(adapters: Adapters) -> dict[str, bytes]:
    files = files_of(adapters)
    found = files.list(SESSION, depth=9).entries
    return {each.path: files.read(SESSION, each.path) for each in found if each.type == "FILE"}


def counted(adapters: Adapters) -> int:
    item = adapters.table.get(Key(registry_pk(SESSION.tenant, SESSION.project), FILES))
    return int(item["bytes"]) if item else 0


def check_books(adapters: Adapters) -> None:
    """Hold the project's count to its files, and the blobs to what names them."""
    assert counted(adapters) == sum(map(len, contents(adapters).values()))
    items = list(every(adapters.table, Query(session_pk(SESSION), "\x01", "\U0010ffff")))
    named = {part[1]: part for part in (str(item["sk"]).split("#") for item in items) if part[0] == "part"}
    assert all(f"/memory/monday/{path}" in contents(adapters) for path in named)


@pytest.fixture
def prepare(adapters_in_memory: Callable[[], Adapters]) -> Callable[[], Adapters]:
    def make() -> Adapters:
        adapters = adapters_in_memory()
        files_of(adapters).write(SESSION, "a", LARGE, WriteMode.TRUNCATE)
        return adapters

    return make


@pytest.mark.slow
@pytest.mark.req("R090")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_fails_at_any_call_has_happened_or_not_and_is_done_once_when_tried_again(
    name: str, fault: Callable[[Callable[[], object]], object], prepare: Callable[[], Adapters]
) -> None:
    write, adapters = WRITES[name], prepare()
    before = contents(adapters)
    store, undisturbed = faulty(adapters, 0, killed_before)
    write(undisturbed)
    after = contents(adapters)

    for at in range(1, store.calls + 1):
        adapters = prepare()
        try:
            write(faulty(adapters, at, fault)[1])
        except (Stopped, Unavailable):
            assert contents(adapters) in (before, after), at
            check_books(adapters)
            with_conflict(write, adapters)
        assert contents(adapters) == after, at
        check_books(adapters)


def with_conflict(write: Operation, adapters: Adapters) -> None:
    """Do a write again; that its version is gone says that it happened."""
    try:
        write(files_of(adapters))
    except Conflict:
        return


@pytest.mark.slow
@pytest.mark.req("R090")
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("other", WRITES)
def test_of_two_writes_over_the_same_version_one_happens_whenever_the_other_comes(
    name: str, other: str, prepare: Callable[[], Adapters]
) -> None:
    adapters = prepare()
    store, undisturbed = faulty(adapters, 0, killed_before)
    WRITES[name](undisturbed)
    same = "make" not in (name, other) or name == other

    for at in range(1, store.calls + 1):
        adapters = prepare()
        results: list[str] = []

        def meanwhile(
            call: Callable[[], object], adapters: Adapters = adapters, results: list[str] = results
        ) -> object:
            results.append(outcome(WRITES[other], files_of(adapters)))
            return call()

        results.append(outcome(WRITES[name], faulty(adapters, at, meanwhile)[1]))
        assert sorted(results) == (["CONFLICT", "done"] if same else ["done", "done"]), at
        check_books(adapters)


def making(path: str, session: Session = SESSION, size: int = 1) -> Operation:
    return lambda files: files.write(session, path, "x" * size, WriteMode.TRUNCATE)


def outcome(write: Operation, files: Files) -> str:
    try:
        write(files)
    except CairnError as error:
        return error.code
    return "done"


@pytest.mark.slow
@pytest.mark.req("R092")
def test_appends_at_once_lose_nothing(adapters_in_memory: Callable[[], Adapters]) -> None:
    adapters = adapters_in_memory()
    lines = [f"{writer}-{number}\n" for writer in range(4) for number in range(25)]

    def append(writer: int) -> None:
        files = files_of(adapters)
        for line in lines[writer * 25 : writer * 25 + 25]:
            while outcome(lambda held, line=line: held.write(SESSION, "log", line, WriteMode.APPEND), files) != "done":
                pass

    threads = [threading.Thread(target=append, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert sorted(contents(adapters)["/memory/monday/log"].decode().splitlines(keepends=True)) == sorted(lines)
    check_books(adapters)


@pytest.mark.req("R268")
def test_the_project_s_limit_holds_whenever_another_session_writes(prepare: Callable[[], Adapters]) -> None:
    other = replace(SESSION, session_id=SessionId("tuesday"))
    store, undisturbed = faulty(prepare(), 0, killed_before)
    undisturbed.write(SESSION, "b", "x" * 400_000, WriteMode.TRUNCATE)

    for at in range(1, store.calls + 1):
        adapters = prepare()
        results: list[str] = []

        def meanwhile(
            call: Callable[[], object], adapters: Adapters = adapters, results: list[str] = results
        ) -> object:
            results.append(outcome(making("b", other, 400_000), files_of(adapters)))
            return call()

        mine = faulty(adapters, at, meanwhile)[1]
        results.append(outcome(making("b", SESSION, 400_000), mine))
        assert sorted(results) == sorted(["done", QuotaExceeded.code]), at
        assert counted(adapters) == len(LARGE) + 400_000


@pytest.mark.req("R092")
def test_nobody_makes_a_file_below_one_that_is_just_made(adapters_in_memory: Callable[[], Adapters]) -> None:
    outcomes: set[tuple[str, ...]] = set()
    for first, second in (("a", "a/b"), ("a/b", "a")):
        store, undisturbed = faulty(adapters_in_memory(), 0, killed_before)
        undisturbed.write(SESSION, first, "x", WriteMode.TRUNCATE)
        for at in range(1, store.calls + 1):
            adapters = adapters_in_memory()
            results: list[str] = []

            def meanwhile(
                call: Callable[[], object],
                adapters: Adapters = adapters,
                results: list[str] = results,
                path: str = second,
            ) -> object:
                results.append(outcome(making(path), files_of(adapters)))
                return call()

            mine = faulty(adapters, at, meanwhile)[1]
            results.append(outcome(making(first), mine))
            outcomes.add(tuple(results))
            assert len(contents(adapters)) == 1, at
    assert outcomes == {("done", "INVALID_ARGUMENT")}


def test_a_file_that_is_replaced_while_it_is_read_is_read_whole(prepare: Callable[[], Adapters]) -> None:
    store, undisturbed = faulty(prepare(), 0, killed_before)
    undisturbed.read(SESSION, "a")
    for at in range(1, store.calls + 1):
        adapters = prepare()

        def meanwhile(call: Callable[[], object], adapters: Adapters = adapters) -> object:
            files_of(adapters).write(SESSION, "a", LARGE[::-1], WriteMode.TRUNCATE)
            return call()

        assert faulty(adapters, at, meanwhile)[1].read(SESSION, "a").decode() in (LARGE, LARGE[::-1])
