"""Wherever rewrapping, erasing, retention or importing is stopped, running it again ends as if nothing had happened."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cairn.conversation.items import message
from cairn.custody.bundles import Bundles, DataScope, Record
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.erase_user import EraseUser
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.files.files import WriteMode
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.paging import every
from cairn.ground.table import Query
from cairn.log.layout import PROJECT_OWNER
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest
from cairn.process.system import SystemEntropy, in_turn
from cairn.services import Services
from cairn.sessions.layout import HEAD, MEMORY_COUNT, session_pk
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.vault.layout import key_range, keys_pk
from cairn.vault.vault import Vault
from support.custody import ACME, ADA, BOB, LARGE, SESSIONS, SETTINGS, Household, session
from support.doubles import FakeClock, RecordingJobs
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped, killed_before
from support.services import services_over
from support.turns import cold

Act: TypeAlias = Callable[[Household, Adapters], object]
SHARED = session("shared")


def told(house: Household) -> dict[str, Any]:
    """Return what a process says in the sessions of the prepared store."""
    return house.answers(sessions=SESSIONS[:2])


def rewrap(house: Household, adapters: Adapters) -> object:
    return DataKeys(adapters, house.inventory).rewrap(ACME)


def erase_tenant(house: Household, adapters: Adapters) -> object:
    return EraseTenant(adapters, house.inventory).run(ACME)


def erase_user(house: Household, adapters: Adapters) -> object:
    return EraseUser(cold(adapters), house.inventory).run(DataScope(ACME, user=ADA))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which Ada spoke alone and with Bob, with shards, a summary, blobs, a segment and two data keys."""
    directory = tmp_path_factory.mktemp("prepared")
    house = opened(directory, directory / "table.sqlite3")
    for where in (session("alone"), SHARED):
        house.say(where, ADA, "I live in Oslo.", reply=LARGE)
        house.say(where, ADA, "Ada plants beans.")
        if where is SHARED:
            house.say(where, BOB, "I live in Rome.", "Bob adds basil.", "Bob waters it.")
    first, second = (house.remember(SHARED, ADA, f"Ada keeps {what}.") for what in ("bees", "wasps"))
    house.remember(SHARED, BOB, "Bob keeps hens.")
    house.remember(SHARED, ADA, "Ada waits here.", "session")
    forget(house.services(), SHARED, ForgetRequest(id=first, reason="Ada was stung.", replacement_id=second))
    house.later(days=2)
    house.maintain(SHARED)
    assert house.services().indexer.rebuild(ACME, SHARED.project, PROJECT_OWNER).entries
    assert house.services().indexer.rebuild(ACME, SHARED.project, "u:ada").entries
    DataKeys(house.adapters, house.inventory).rotate(ACME)
    house.later(days=31)
    close(house)
    return directory


def opened(directory: Path, file: Path = Path(":memory:")) -> Household:
    table = SqliteTable(file)
    blobs, keys = DirectoryBlobs(directory / "blobs"), LocalKeyRing(bytes(range(32)))
    adapters = Adapters(table, blobs, keys, FakeClock(), SystemEntropy(), in_turn, RecordingJobs())
    return Household(adapters, EmbeddedInventory(table, directory / "blobs"), directory)


def saved(house: Household, file: Path) -> Household:
    """Return the house with its table in a file, which several connections can read."""
    table: Any = house.adapters.table
    with closing(sqlite3.connect(file)) as target, table.database.reading() as connection:
        connection.backup(target)
    found = opened(house.directory, file)
    found.adapters.clock.time = house.adapters.clock.now()  # pyright: ignore[reportAttributeAccessIssue] - a FakeClock
    return found


def close(house: Household) -> None:
    table: Any = house.adapters.table
    table.close()


@pytest.fixture
def fresh(prepared: Path, tmp_path: Path) -> Iterator[Callable[[], Household]]:
    """Return a function that copies the prepared store into memory, a month later."""
    houses: list[Household] = []

    def make() -> Household:
        directory = tmp_path / f"copy-{len(houses)}"
        shutil.copytree(prepared / "blobs", directory / "blobs")
        houses.append(opened(directory))
        houses[-1].later(days=40)
        table: Any = houses[-1].adapters.table
        with closing(sqlite3.connect(prepared / "table.sqlite3")) as source, table.database.reading() as connection:
            source.backup(connection)
        return houses[-1]

    yield make
    for house in houses:
        close(house)


def faulty(house: Household, at: int, fault: Callable[[Callable[[], object]], object]) -> tuple[FaultyStore, Adapters]:
    store = FaultyStore(house.adapters, at, fault)
    return store, replace(house.adapters, table=store, blobs=FaultyBlobs(house.adapters, store))


def sweep(make: Callable[[], Household], fault: Any, act: Act) -> Iterator[Household]:
    """Yield a store for each call at which the act was stopped and then done again."""
    for at in count(1):
        house = make()
        store, adapters = faulty(house, at, fault)
        try:
            act(house, adapters)
        except (Stopped, Unavailable):
            house.later(seconds=60)
            act(house, house.adapters)
        if store.calls < at:
            assert at > 10
            return
        yield house


@pytest.mark.slow
@pytest.mark.req("R252")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_rewrap(fault: Any, fresh: Callable[[], Household]) -> None:
    answers = told(fresh())

    for house in sweep(fresh, fault, rewrap):
        assert {item["kid"] for item in house.inventory.items(ACME) if "kid" in item} == {2}
        keys = every(house.adapters.table, Query(keys_pk(ACME), *key_range()))
        assert [item["number"] for item in keys] == [2]
        assert told(house) == answers


@pytest.mark.slow
@pytest.mark.req("R252")
@pytest.mark.parametrize("fault", FAULTS)
def test_an_erasure_of_a_tenant(fault: Any, fresh: Callable[[], Household]) -> None:
    for house in sweep(fresh, fault, erase_tenant):
        assert list(house.inventory.items(ACME)) == list(house.inventory.blobs(ACME)) == []


_OF_ADA = re.compile(r"\b(?:ada|oslo)\b", re.IGNORECASE)
"""As words: three letters are in hexadecimal ids by chance."""


@pytest.mark.slow
@pytest.mark.req("R279")
@pytest.mark.parametrize("fault", FAULTS)
def test_an_erasure_of_a_user(fault: Any, fresh: Callable[[], Household]) -> None:
    def with_archive() -> Household:
        house = fresh()
        house.archive("alone", "Ada-s")
        return house

    house = with_archive()
    erase_user(house, house.adapters)
    wanted, answers = house.history(SHARED), told(house)
    assert wanted == ["I live in Rome.", "Noted.", "Bob adds basil.", "Noted.", "Bob waters it.", "Noted."]

    for house in sweep(with_archive, fault, erase_user):
        left = "\n".join(house.contents())
        assert _OF_ADA.findall(left) == []
        assert house.history(SHARED) == wanted
        assert told(house) == answers
        named = {str(item["blob"]) for item in house.inventory.items(ACME) if "blob" in item}
        assert set(house.inventory.blobs(ACME)) == named
        head = house.adapters.table.query(Query(session_pk(SHARED), HEAD, HEAD)).items[0]
        assert (head["erased"], head["seq"]) == (2, 5)
        assert house.recalled(SHARED) == ["Bob keeps hens."]
        assert house.archived() == []


def left_alone(fresh: Callable[[], Household]) -> Household:
    """Return a store in which the time of the shared session is over, and that of the other is not."""
    house = fresh()
    house.say(SHARED, None, "Somebody sings.", reply=LARGE)
    keeping(house.adapters).files.write(SHARED, "notes/plan.txt", LARGE, WriteMode.TRUNCATE)
    house.later(days=30)
    house.say(session("alone"), ADA, "Ada goes on elsewhere.")
    return house


def keeping(adapters: Adapters) -> Services:
    """Return a process for which sessions are kept for thirty days."""
    return services_over(adapters, replace(SETTINGS, session_retention_days=30))


def retain(_: Household, adapters: Adapters) -> object:
    return keeping(adapters).maintenance.run(SHARED)


def remains(house: Household) -> dict[str, Any]:
    """Return what is left, without what differs from run to run: records, the names of entries and of useless blobs."""
    items = [item for item in house.inventory.items(ACME) if "#audit" not in str(item["pk"])]
    named = " ".join(str(value) for item in items for value in item.values())
    return {
        "keys": [
            (item["pk"], str(item["sk"]).split("#")[0] if "#m#" in str(item["pk"]) else item["sk"]) for item in items
        ],
        "texts": [text for text in house.contents() if '"texts": [[' in text],
        "unnamed": {blob for blob in house.inventory.blobs(ACME) if blob not in named},
        "answers": told(house),
        "recalled": house.recalled(SHARED, ADA),
    }


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_an_erasure_of_a_session_that_was_left_alone(fault: Any, fresh: Callable[[], Household]) -> None:
    house = left_alone(fresh)
    orphans = remains(house)["unnamed"]
    assert keeping(house.adapters).maintenance.run(SHARED).erased
    wanted = remains(house)
    assert [sk for pk, sk in wanted["keys"] if pk == session_pk(SHARED)] == [MEMORY_COUNT]
    assert wanted["unnamed"] == orphans

    for house in sweep(lambda: left_alone(fresh), fault, retain):
        assert remains(house) == wanted


@pytest.mark.slow
def test_a_turn_after_an_erasure_that_was_stopped_is_kept_with_what_was_left(fresh: Callable[[], Household]) -> None:
    def stop(house: Household, adapters: Adapters) -> None:
        try:
            retain(house, adapters)
        except (Stopped, Unavailable, ResourceBusy):
            house.later(seconds=31)
        house.say(SHARED, BOB, "I moved to Turin.")
        left = house.history(SHARED)

        assert not keeping(house.adapters).maintenance.run(SHARED).erased
        assert house.history(SHARED) == left
        assert left[-2:] == ["I moved to Turin.", "Noted."]
        request = Preparation(current=(message("user", "Where do I live?"),), user_id=BOB)
        assert "Turin" in str(prepare(house.services(), SHARED, request).items[1:-1])

    for house in sweep(lambda: left_alone(fresh), killed_before, stop):
        assert "Ada goes on elsewhere." in house.history(session("alone"))


@pytest.mark.slow
@pytest.mark.req("R279")
@pytest.mark.parametrize("fault", FAULTS)
def test_an_import(fault: Any, fresh: Callable[[], Household], tmp_path: Path) -> None:
    house, numbers = fresh(), count()
    for name in ("monday", "tuesday"):
        house.archive(name, "garden")
    answers, archived = told(house), house.archived()
    on_disk = saved(house, tmp_path / "table.sqlite3")
    records: list[Record] = list(
        Bundles(on_disk.adapters, on_disk.inventory, Vault(on_disk.adapters)).export(DataScope(ACME))
    )
    close(on_disk)

    def empty() -> Household:
        directory = tmp_path / f"empty-{next(numbers)}"
        directory.mkdir()
        made = opened(directory)
        made.later(days=80)
        return made

    def take_in(target: Household, adapters: Adapters) -> object:
        return list(Bundles(adapters, target.inventory, Vault(adapters)).take_in(ACME, records))

    for taken in sweep(empty, fault, take_in):
        clock: Any = taken.adapters.clock
        clock.time = house.adapters.clock.now()
        assert told(taken) == answers
        assert taken.archived() == archived
        close(taken)


def test_the_prepared_store_gives_a_rewrap_something_of_everything_to_do(fresh: Callable[[], Household]) -> None:
    house = fresh()
    store, adapters = faulty(house, 0, killed_before)

    done = DataKeys(adapters, house.inventory).rewrap(ACME)

    assert (done.deleted, done.logs) == ((1,), 2)
    assert done.items > 5
    assert store.calls > 10
