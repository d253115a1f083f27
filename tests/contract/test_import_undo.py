"""An import over every store: planned, done exactly as planned, and taken back but for what was built on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.custody.admission import rule_at
from cairn.custody.check import Check
from cairn.custody.kinds_of_plans import plans
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.files.files import FileWrite, WriteMode
from cairn.files.own_files import OwnFiles
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, Unavailable
from cairn.ground.ids import Namespace
from cairn.ground.settings import Limits
from cairn.ground.table import Key
from cairn.keyvalue.model import KeyName, Place
from cairn.local.commands import bundle_files
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.plans.model import Plan
from cairn.plans.planning import Plans
from cairn.services import Services
from cairn.sessions.layout import session_pk
from support.custody import ACME, ADA, ALONE, BOB, SETTINGS, DataScope, Household, session
from support.failing_table import Failing
from support.keyvalue import key_value
from support.services import services_over

pytestmark = [pytest.mark.req("R306"), pytest.mark.slow]
Make = Callable[[], Household]
NOTES = Namespace("public.notes")


@pytest.fixture
def make(new_store: Callable[[], tuple[Adapters, Any]], tmp_path: Path) -> Make:
    def store() -> Household:
        adapters, inventory = new_store()
        return Household(adapters, inventory, tmp_path)

    return store


@pytest.fixture
def bundle(make: Make, make_sqlite_table: Callable[[], Any], tmp_path: Path) -> Path:
    """Return a bundle with something of everything in it, made by the quickest of stores."""
    table, blobs = make_sqlite_table(), tmp_path / "bundled"
    adapters = replace(make().adapters, table=table, blobs=DirectoryBlobs(blobs))
    house = Household(adapters, EmbeddedInventory(table, blobs), tmp_path).move_in(1)
    house.furnish()
    house.remember(ALONE, ADA, "Ada keeps bees.", "user")
    remember(services(house), session(""), Note(content="Ada's hives are blue.", scope="user_everywhere", user_id=ADA))
    house.remember(ALONE, None, "The garden faces south.")
    house.archive("old", "garden")
    key_value(house.adapters).put(Place(ACME, NOTES, KeyName("sown")), {"row": 1})
    OwnFiles(house.services(), Limits()).write(ALONE, "notes/a.txt", FileWrite(b"Sow in May.", WriteMode.TRUNCATE))
    file = tmp_path / "everything.zip"
    bundle_files.write(file, DataScope(ACME), services(house))
    return file


def services(house: Household) -> Services:
    return services_over(house.adapters, SETTINGS, inventory=house.inventory)


def planning(house: Household) -> Plans:
    return plans(services(house), bundle_files.opened)


def imported(house: Household, file: Path) -> Plan:
    return bundle_files.take_in(file, None, None, None, services(house))


def undone(house: Household, plan: Plan) -> Plan:
    return planning(house).undo(plan.tenant, plan.id)


def held(house: Household) -> list[tuple[str, str]]:
    """Return where the tenant has anything that a bundle could hold."""
    wheres = [Key.of(item) for item in house.inventory.items(ACME)]
    return sorted((where.pk, where.sk) for where in wheres if rule_at(where) is not None)


def test_what_an_import_would_bring_is_counted_and_exactly_that_is_brought(make: Make, bundle: Path) -> None:
    house = make()

    plan = bundle_files.planned(bundle, None, None, None, services(house))

    assert (plan.state, held(house)) == ("planned", [])
    assert plan.counts["new"] > 50
    assert str(bundle) in plan.says
    done = planning(house).apply(ACME, plan.id)
    assert done.done["new"] == plan.counts["new"]
    again = bundle_files.planned(bundle, None, None, None, services(house))
    assert again.counts == {"new": 0, "there": plan.counts["new"]}
    assert again.digest != plan.digest


def test_an_import_that_nobody_built_on_is_taken_back_whole_after_maintenance_too(make: Make, bundle: Path) -> None:
    house = make()
    plan = imported(house, bundle)
    house.later(days=2)
    house.maintain(ALONE, session("shared"), session("alone", "kitchen"))

    told = undone(house, plan)

    assert (told.state, told.counts["left"], told.counts["taken_back"]) == ("undone", 0, plan.done["new"])
    assert held(house) == []
    assert list(house.inventory.blobs(ACME)) == []
    assert undone(house, plan).counts == told.counts


def test_what_was_there_before_and_what_somebody_built_on_since_stays(make: Make, bundle: Path) -> None:
    house = make()
    own = session("own", "orchard")
    house.say(own, BOB, "I like pears.")
    before, said = held(house), house.history(own)
    plan = imported(house, bundle)
    whole = house.history(ALONE)
    house.say(ALONE, ADA, "I like leeks.")
    values = key_value(house.adapters)
    values.put(Place(ACME, NOTES, KeyName("sown")), {"row": 2})

    told = undone(house, plan)

    assert told.counts["left"] > 0
    assert told.counts["taken_back"] == plan.done["new"] - told.counts["left"]
    assert (house.history(own), set(before) - set(held(house))) == (said, set())
    assert house.history(ALONE) == [*whole, "I like leeks.", "Noted."]
    assert values.get(Place(ACME, NOTES, KeyName("sown"))).value == {"row": 2}
    left = {pk.split("#")[1] + "/" + pk.split("#")[3] for pk, _ in held(house) if pk.split("#")[1] == "s"}
    assert left == {"s/alone", "s/own"}
    report = Check(services(house), house.inventory, services(house).audit).run(ACME)
    assert report.findings == []


def test_a_fact_that_somebody_forgot_since_stays_with_its_session(make: Make, bundle: Path) -> None:
    house = make()
    plan = imported(house, bundle)
    where = session("later", "kitchen")
    found = recall(services(house), where, RecallRequest(limit=50, user_id=ADA, scope="user")).found
    (soup,) = [each.id for each in found if each.kind == "fact" and "soup" in each.content]
    forget(services(house), where, ForgetRequest(id=soup, user_id=ADA))

    undone(house, plan)

    assert session_pk(session("alone", "kitchen")) in {pk for pk, _ in held(house)}
    assert session_pk(ALONE) not in {pk for pk, _ in held(house)}


def test_an_import_and_its_undoing_go_on_wherever_they_were_stopped(make: Make, bundle: Path) -> None:
    cut = 0
    for at in (3, 40, 120):
        house = make()
        plan = bundle_files.planned(bundle, None, None, None, services(house))
        for act, is_over in (("apply", "applied"), ("undo", "undone")):
            failing: Any = Failing(house.adapters.table, at)
            stopped = replace(house, adapters=replace(house.adapters, table=failing))
            try:
                getattr(planning(stopped), act)(ACME, plan.id)
            except Unavailable:
                cut += 1
                house.later(minutes=5)  # until the lease of what was stopped is over
            assert getattr(planning(house), act)(ACME, plan.id).state == is_over
        assert held(house) == []
    assert cut == 6


def test_an_import_that_was_stopped_can_be_taken_back_as_far_as_it_came(make: Make, bundle: Path) -> None:
    house = make()
    plan = bundle_files.planned(bundle, None, None, None, services(house))
    failing: Any = Failing(house.adapters.table, 40)
    with pytest.raises(Unavailable):
        planning(replace(house, adapters=replace(house.adapters, table=failing))).apply(ACME, plan.id)
    assert held(house)

    assert undone(house, plan).state == "undone"
    assert held(house) == []


def test_an_import_is_refused_before_anything_is_stored_where_the_store_has_something_else(
    make: Make, bundle: Path
) -> None:
    house = make()
    key_value(house.adapters).put(Place(ACME, NOTES, KeyName("sown")), {"row": 9})
    before = held(house)
    plan = bundle_files.planned(bundle, None, None, None, services(house))
    assert plan.counts["refused"] == 1

    with pytest.raises(Conflict, match=r"something else at k#public\.notes v#sown"):
        planning(house).apply(ACME, plan.id)

    assert held(house) == before
    with pytest.raises(Conflict, match="not applied"):
        undone(house, plan)


def test_a_plan_is_refused_where_the_store_or_the_file_is_another_by_now(make: Make, bundle: Path) -> None:
    house = make()
    plan = bundle_files.planned(bundle, None, None, None, services(house))
    imported(house, bundle)
    with pytest.raises(Conflict, match="another by now"):
        planning(house).apply(ACME, plan.id)
    bundle_files.write(bundle.with_name("new.zip"), DataScope(ACME, user=ADA), services(house))
    bundle.with_name("new.zip").rename(bundle)

    with pytest.raises(Conflict, match="another bundle by now"):
        planning(house).apply(ACME, plan.id)


def of_what_came_since(house: Household, base: Path, file: Path, turn: Callable[[], object]) -> None:
    """Bundle what a household has, and then what came with one more turn."""
    house.say(ALONE, ADA, "I like beans.")
    bundle_files.write(base, DataScope(ACME), services(house))
    turn()
    bundle_files.write(file, DataScope(ACME), services(house), bundle_files.state_of(base, DataScope(ACME)))


def test_an_import_goes_through_its_bundle_once_to_check_to_compare_and_to_store_it(
    make: Make, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone_through = list[str]()

    def counted(told: str, steps: Iterator[Any], _total: int | None) -> Iterator[Any]:
        gone_through.append(told)
        return steps

    monkeypatch.setattr(bundle_files, "_counted", counted)

    imported(make(), bundle)

    assert gone_through == ["Checking", "Comparing", "Importing"]


def test_nothing_is_taken_back_of_a_bundle_of_what_came_since(make: Make, tmp_path: Path) -> None:
    house, other = make(), make()
    base, since = tmp_path / "base.zip", tmp_path / "since.zip"
    of_what_came_since(house, base, since, lambda: house.say(ALONE, ADA, "I like peas."))
    imported(other, base)
    plan = bundle_files.planned(since, None, None, None, services(other))
    assert plan.counts["removed"] == 1
    planning(other).apply(ACME, plan.id)
    there = held(other)

    with pytest.raises(Conflict, match="restore a backup"):
        undone(other, plan)

    assert (held(other), planning(other).records.get(ACME, plan.id).state) == (there, "applied")


def test_nor_is_anything_where_importing_what_came_since_was_stopped_though_nothing_was_to_go(
    make: Make, tmp_path: Path
) -> None:
    house, other = make(), make()
    base, since = tmp_path / "base.zip", tmp_path / "since.zip"
    of_what_came_since(house, base, since, lambda: house.say(session("new", "kitchen"), BOB, "I like peas."))
    imported(other, base)
    plan = bundle_files.planned(since, None, None, None, services(other))
    assert "removed" not in plan.counts
    before = held(other)
    failing: Any = Failing(other.adapters.table, 6)
    with pytest.raises(Unavailable):
        planning(replace(other, adapters=replace(other.adapters, table=failing))).apply(ACME, plan.id)
    assert (some := held(other)) != before

    with pytest.raises(Conflict, match="restore a backup"):
        undone(other, plan)

    assert held(other) == some
    assert planning(other).apply(ACME, plan.id).state == "applied"
