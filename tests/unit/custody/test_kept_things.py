"""Item logs and documents are exported, imported, counted, erased, mended and moved to new keys like all else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cairn.custody.bundles import Bundles, Record
from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.holdings import count
from cairn.custody.scope import DataScope, parts_of
from cairn.documents.model import Document, Owner, Place, Sought
from cairn.documents.store import Documents
from cairn.ground.errors import Conflict, InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.settings import Quotas
from cairn.ground.table import Delete, Equals, Key, Put, Update
from cairn.items.model import Log, LogName, Stretch
from cairn.items.read import Window
from cairn.items.store import ItemLogs
from cairn.vault.vault import Vault
from conftest import FakeClock
from support.custody import ACME, ADA, BOB, GARDEN, KITCHEN, Household, cold_services, erase, exported, take_in
from support.items import confirm, item_logs, new, op

Whose = tuple[UserId | None, Project]
ALL: tuple[Whose, ...] = ((ADA, GARDEN), (BOB, GARDEN), (None, GARDEN), (ADA, KITCHEN), (None, KITCHEN))


@pytest.fixture
def house(adapters: Any, store: Any) -> Household:
    return Household.over(adapters, store.directory).furnish()


def log_of(whose: Whose, tenant: Tenant = ACME) -> Log:
    user, project = whose
    return Log(tenant, project, user, LogName(f"thread of {(user or 'everyone').capitalize()}"))


def kept(house: Household, whose: Whose, tenant: Tenant = ACME) -> tuple[Stretch, list[Document]]:
    """Return the items and documents of somebody."""
    logs: ItemLogs = item_logs(house.adapters)
    documents = Documents(house.adapters, Vault(house.adapters), Quotas())
    hits = documents.search(Owner(tenant, whose[1], whose[0]), Sought(limit=100)).hits
    return logs.read(log_of(whose, tenant), Window(100)), [hit.document for hit in hits]


def all_kept(house: Household, tenant: Tenant = ACME) -> dict[Whose, tuple[Stretch, list[Document]]]:
    return {whose: kept(house, whose, tenant) for whose in ALL}


def of(records: list[Record], *kinds: str) -> list[Record]:
    return [record for record in records if record["partition"][0] in kinds]


def check(house: Household) -> Check:
    services = cold_services(house)
    return Check(services, house.inventory, services.audit)


def problems(house: Household) -> list[tuple[str, str]]:
    return [(each.kind, each.problem) for each in check(house).run(ACME).findings]


@pytest.mark.req("R313")
def test_a_bundle_brings_logs_and_documents_over_whole(house: Household, elsewhere: Household) -> None:
    before, records = all_kept(house), exported(house)
    assert sum(len(stretch.items) for stretch, _ in before.values()) == 20

    new_ones = take_in(elsewhere, records, Tenant("other"))

    assert all(new_ones)
    assert all_kept(elsewhere, Tenant("other")) == before
    assert not any(take_in(elsewhere, records, Tenant("other"))), "again it is all there"
    logs = item_logs(elsewhere.adapters)
    for whose in ALL:
        log, name = log_of(whose, Tenant("other")), (whose[0] or "everyone").capitalize()
        confirm(elsewhere.adapters, log)
        again = logs.append(log, new((f"{name}-5", f"Item 5 of {name}."), (f"{name}-0", f"Item 0 of {name}.")))
        assert (again.replayed, again.revision) == (2, before[whose][0].revision)
        assert logs.take_back(log, op(f"undo of {name}")).repeated
        assert logs.append(log, new(("later", 1), expected_revision=again.revision)).count == 5


@pytest.mark.req("R313")
@pytest.mark.parametrize(
    ("scope", "whose"),
    [
        ({"user": ADA}, {(ADA, GARDEN), (ADA, KITCHEN)}),
        ({"project": KITCHEN}, {(ADA, KITCHEN), (None, KITCHEN)}),
        ({"user": ADA, "project": GARDEN}, {(ADA, GARDEN)}),
    ],
)
def test_a_bundle_of_a_user_or_a_project_holds_theirs_alone(
    house: Household, elsewhere: Household, scope: dict[str, Any], whose: set[Whose]
) -> None:
    before, records = all_kept(house), of(exported(house, **scope), "i", "d")
    bundles = Bundles(elsewhere.adapters, elsewhere.inventory, Vault(elsewhere.adapters))
    wanted = DataScope(ACME, **scope)

    assert all(bundles.store(wanted, records, bundles.check(wanted, records)))

    nothing: tuple[Stretch, list[Document]] = (Stretch(), [])
    assert all_kept(elsewhere) == {each: before[each] if each in whose else nothing for each in ALL}
    for other in (DataScope(ACME, user=BOB), DataScope(ACME, project=Project("attic"))):
        with pytest.raises(InvalidArgument):
            bundles.check(other, records)


@pytest.mark.req("R313")
def test_nothing_of_an_erased_user_is_left_and_all_of_others(house: Household) -> None:
    before = all_kept(house)

    done = erase(house, ADA)

    after = all_kept(house)
    assert all(after[whose] == before[whose] for whose in ALL if whose[0] != ADA)
    assert all(after[whose] == (Stretch(), []) for whose in ALL if whose[0] == ADA)
    assert done.left == 0
    assert not [text for text in house.contents() if "Ada" in text or "ada" in text]
    assert problems(house) == []
    named = {item["blob"] for item in house.inventory.items(ACME) if "blob" in item}
    dropped = [str(item["blobs"]).split("\n") for item in house.inventory.items(ACME) if "blobs" in item]
    assert set(house.inventory.blobs(ACME)) <= named | {each for some in dropped for each in some}


@pytest.mark.req("R313")
def test_with_its_tenant_all_of_it_is_erased(house: Household) -> None:
    assert EraseTenant(house.adapters, house.inventory).run(ACME).left == 0
    assert list(house.inventory.items(ACME)) == []


@pytest.mark.req("R313")
def test_what_is_kept_is_counted_before_anybody_erases_it(house: Household) -> None:
    def counted(**scope: Any) -> tuple[int, int]:
        found = count(cold_services(house), house.inventory, DataScope(ACME, **scope))
        assert (found.bytes > 0) == bool(found.items)
        return found.items, found.documents

    assert counted() == (20, 20)
    assert counted(user=ADA) == (8, 8)
    assert counted(user=ADA, project=GARDEN) == counted(user=BOB) == (4, 4)
    assert counted(project=KITCHEN) == (8, 8)
    assert counted(user=UserId("eve")) == (0, 0)


@pytest.mark.req("R313")
def test_new_data_keys_take_over_items_guards_and_states(house: Household, clock: FakeClock) -> None:
    before, keys = all_kept(house), DataKeys(house.adapters, house.inventory)
    warm = item_logs(house.adapters)
    warm.append(log_of((ADA, GARDEN)), new(("Ada-6", 6)))
    keys.rotate(ACME)
    clock.advance(minutes=10)

    done = keys.rewrap(ACME)

    assert (done.deleted, done.kept) == ((1,), {})
    assert problems(house) == []
    assert {whose: found for whose, found in all_kept(house).items() if whose != (ADA, GARDEN)} == {
        whose: found for whose, found in before.items() if whose != (ADA, GARDEN)
    }
    assert warm.append(log_of((ADA, GARDEN)), new(("Ada-6", 6))).replayed == 1
    assert warm.append(log_of((ADA, GARDEN)), new(("Ada-7", 7), state={"small": 1})).count == 6
    assert warm.take_back(log_of((ADA, GARDEN)), op("undo-2"), 9).items[-1].data == 7
    confirm(house.adapters, log_of((ADA, GARDEN)))
    assert problems(house) == []


def miscounted(house: Household, log: Log) -> None:
    house.adapters.table.update(Update(log.head, add={"count": 3, "size": -1}))


def headless(house: Household, log: Log) -> None:
    house.adapters.table.delete(Delete(log.head))


def unguarded(house: Household, log: Log) -> None:
    for item in list(house.inventory.items(ACME)):
        if item["pk"] == log.pk and str(item["sk"]).startswith("g#"):
            house.adapters.table.delete(Delete(Key.of(item)))


def scrambled(house: Household, log: Log) -> None:
    rows = [item for item in house.inventory.items(ACME) if item["pk"] == log.pk and "data" in item]
    row = next(item for item in rows if str(item["sk"]).startswith("i#"))
    house.adapters.table.update(Update(Key.of(row), set={"data": b"x" * 50}))


def overwritten(house: Household, log: Log) -> None:
    house.adapters.table.update(Update(log.head, set={"revision": 1, "next": 1}, condition=Equals("count", 4)))


@pytest.mark.req("R313")
@pytest.mark.parametrize("harm", [miscounted, headless, unguarded, scrambled, overwritten])
def test_a_damaged_log_is_found_and_mended(house: Household, harm: Callable[[Household, Log], None]) -> None:
    log = log_of((ADA, GARDEN))
    before = kept(house, (ADA, GARDEN))[0]
    assert problems(house) == []
    harm(house, log)
    assert problems(house)

    assert list(check(house).repair(ACME))

    assert problems(house) == []
    confirm(house.adapters, log)
    logs = item_logs(house.adapters)
    after = logs.read(log, Window(100))
    assert set(map(repr, after.items)) <= set(map(repr, before.items))
    assert len(after.items) == (len(before.items) if harm is not scrambled else 1)
    assert logs.append(log, new((after.items[0].id, after.items[0].data), ("after", 1))).replayed == 1


@pytest.mark.req("R313")
def test_documents_that_are_miscounted_are_counted_again(house: Household) -> None:
    where = Key(Owner(ACME, GARDEN, ADA).pk, "usage")
    counted = house.adapters.table.get(where)
    house.adapters.table.update(Update(where, add={"documents": 3, "size": 7}))
    assert [kind for kind, _ in problems(house)] == ["counter"]

    assert list(check(house).repair(ACME))

    assert house.adapters.table.get(where) == counted
    assert problems(house) == []


@pytest.mark.req("R313")
def test_items_of_a_deleted_log_that_were_left_are_found(house: Household) -> None:
    log = log_of((ADA, GARDEN))
    left = [item for item in house.inventory.items(ACME) if item["pk"] == log.pk]
    item_logs(house.adapters).delete_log(log)
    for item in left:
        house.adapters.table.put(Put(item))
    assert {kind for kind, _ in problems(house)} == {"orphan", "record"}

    assert list(check(house).repair(ACME))

    assert kept(house, (ADA, GARDEN))[0] == Stretch()
    assert not [item for item in house.inventory.items(ACME) if item["pk"] == log.pk and str(item["sk"])[0] in "git"]


def row(record: Record) -> bool:
    return record["sort"].startswith("i#")


def head(record: Record) -> bool:
    return "floor" in record["attributes"]


def guard(record: Record) -> bool:
    return record["sort"].startswith("g#")


def document(record: Record) -> bool:
    return record["partition"].startswith("d#")


def having(**attributes: object) -> Callable[[Record], Record]:
    return lambda record: {**record, "attributes": {**record["attributes"], **attributes}}


def at(**place: str) -> Callable[[Record], Record]:
    return lambda record: {**record, **place}


def saying(content: object) -> Callable[[Record], Record]:
    return lambda record: {**{name: record[name] for name in record if name != "bytes"}, "content": content}


def earlier(record: Record) -> Record:
    return saying([[position - 2, *rest] for position, *rest in record["content"]])(record)


def doubled(record: Record) -> Record:
    return saying([*record["content"], *record["content"]])(record)


WRONG: list[tuple[Callable[[Record], bool], Callable[[Record], Record]]] = [
    (head, having(count=5)),
    (head, having(size=1)),
    (head, having(next=1)),
    (head, having(floor=10**6)),
    (head, having(newest=-1)),
    (head, having(gone=1)),
    (head, having(revision=0)),
    (head, having(created_at="soon")),
    (head, at(sort="x:ada/thread")),
    (head, at(sort="u:ada/")),
    (head, at(sort="u:a/b\n")),
    (head, at(partition="i#../garden")),
    (row, having(count=7)),
    (row, having(last=1)),
    (row, having(size=0)),
    (row, at(sort="i#1")),
    (row, at(sort="j#0000000000000000")),
    (row, at(partition="i#garden#u:eve/other")),
    (row, saying([])),
    (row, saying([["a", "b", "c", "d"]])),
    (row, saying("items")),
    (row, earlier),
    (row, doubled),
    (guard, at(sort="g#short")),
    (guard, saying({"digest": 1})),
    (guard, having(position=-1)),
    (document, having(size=1)),
    (document, having(indexed="yes")),
    (document, having(ipk="acme#k")),
    (document, at(sort="d#notes/")),
    (document, at(sort="d#//x\x00")),
    (document, at(partition="d#garden#s:monday")),
    (document, at(partition="d#garden")),
    (document, saying({"value": 1})),
    (document, saying(7)),
]


@pytest.mark.req("R313")
@pytest.mark.parametrize("place", range(len(WRONG)))
def test_a_bundle_that_somebody_made_up_is_refused_whole(
    adapters: Any, store: Any, elsewhere: Household, place: int
) -> None:
    house = Household.over(adapters, store.directory)
    house.keep_things(ADA)
    which, change = WRONG[place]
    records = of(exported(house, user=ADA, project=GARDEN), "i", "d")
    found = next(number for number, record in enumerate(records) if which(record))
    records[found] = json.loads(json.dumps(change(records[found])))

    with pytest.raises(InvalidArgument):
        take_in(elsewhere, records)

    assert [item for item in elsewhere.inventory.items(ACME) if parts_of(str(item["pk"]))[0] in {"i", "d"}] == []


@pytest.mark.req("R313")
def test_a_log_that_is_another_one_here_is_not_overwritten(house: Household, elsewhere: Household) -> None:
    item_logs(elsewhere.adapters).append(log_of((ADA, GARDEN)), new(("mine", 1)))

    with pytest.raises(Conflict):
        take_in(elsewhere, exported(house))

    assert [item.id for item in kept(elsewhere, (ADA, GARDEN))[0].items] == ["mine"]


def test_a_bundle_takes_no_place_of_a_document_in_an_index(house: Household) -> None:
    place = Place(("notes", "Ada"), "n1")
    found = [record for record in of(exported(house, user=ADA, project=GARDEN), "d") if record["sort"] == place.sk]
    assert [set(each["attributes"]) & {"isk", "ipk"} for each in found] == [set()]
