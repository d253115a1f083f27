"""A plan to import counts what a bundle would bring, brings that, and takes it back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.custody.admission import rule_at
from cairn.custody.kinds_of_plans import plans
from cairn.custody.scope import DataScope
from cairn.files import owners
from cairn.files.files import FileWrite, WriteMode
from cairn.files.own_files import OwnFiles
from cairn.ground.errors import Conflict, Unavailable
from cairn.ground.ids import Namespace
from cairn.ground.settings import Limits
from cairn.ground.table import Key
from cairn.keyvalue.model import KeyName, Place
from cairn.local.commands import bundle_files
from cairn.plans.model import Plan
from cairn.plans.planning import Plans
from support.custody import ACME, ADA, ALONE, GARDEN, Household
from support.failing_table import Failing
from support.keyvalue import key_value
from support.plans import desk

pytestmark = pytest.mark.req("R306")
SOWN = Place(ACME, Namespace("public.notes"), KeyName("sown"))
OF_ADA = owners.of_user(ACME, GARDEN, ADA)
RECORDS = 12
"""How many the bundle has that are not made anew."""


@pytest.fixture
def bundle(house: Household, tmp_path: Path) -> Path:
    house.say(ALONE, ADA, "I like beans.")
    house.remember(ALONE, ADA, "Ada keeps bees.", "user")
    OwnFiles(house.services(), Limits()).write(ALONE, "notes/a.txt", FileWrite(b"Sow in May.", WriteMode.TRUNCATE))
    house.archive("old")
    key_value(house.adapters).put(SOWN, {"row": 1})
    file = tmp_path / "small.zip"
    bundle_files.write(file, DataScope(ACME), desk(house))
    return file


def planned(house: Household, file: Path) -> Plan:
    return bundle_files.planned(file, None, None, None, desk(house))


def planning(house: Household) -> Plans:
    return plans(desk(house), bundle_files.opened)


def held(house: Household) -> list[Key]:
    """Return where the tenant has anything that a bundle could hold."""
    return [where for where in map(Key.of, house.inventory.items(ACME)) if rule_at(where) is not None]


def test_a_plan_counts_what_is_new_what_is_there_and_what_the_store_has_otherwise(
    house: Household, elsewhere: Household, bundle: Path
) -> None:
    key_value(elsewhere.adapters).put(SOWN, {"row": 9})

    plan = planned(elsewhere, bundle)

    assert plan.counts == {"new": RECORDS - 1, "refused": 1}
    with pytest.raises(Conflict, match=r"something else at k#public\.notes v#sown; import into an empty service"):
        planning(elsewhere).apply(ACME, plan.id)
    assert planned(house, bundle).counts == {"new": 0, "there": RECORDS}


def test_an_import_is_taken_back_whole_with_the_names_that_came_with_it(elsewhere: Household, bundle: Path) -> None:
    plan = planning(elsewhere).apply(ACME, planned(elsewhere, bundle).id)
    assert (plan.counts, plan.done["new"]) == ({"new": RECORDS}, RECORDS)

    told = planning(elsewhere).undo(ACME, plan.id)

    assert told.counts == {"new": RECORDS, "taken_back": RECORDS, "left": 0}
    assert held(elsewhere) == list(elsewhere.inventory.blobs(ACME)) == []
    assert planning(elsewhere).undo(ACME, plan.id).counts == told.counts


def test_an_import_of_files_that_was_stopped_anywhere_is_taken_back_whole(
    house: Household, elsewhere: Household, tmp_path: Path
) -> None:
    OwnFiles(house.services(), Limits()).write(OF_ADA, "notes/a.txt", FileWrite(b"Sow in May.", WriteMode.TRUNCATE))
    file = tmp_path / "files.zip"
    bundle_files.write(file, DataScope(ACME), desk(house))
    stopped = 0
    for at in range(1, 12):
        plan = planned(elsewhere, file)
        failing: Any = Failing(elsewhere.adapters.table, at)
        try:
            planning(replace(elsewhere, adapters=replace(elsewhere.adapters, table=failing))).apply(ACME, plan.id)
        except Unavailable:
            stopped += 1
        elsewhere.later(minutes=5)
        if planning(elsewhere).records.get(ACME, plan.id).state != "planned":
            planning(elsewhere).undo(ACME, plan.id)
        assert held(elsewhere) == [], at
    assert stopped > 3


def test_what_was_changed_since_an_import_stays_when_it_is_taken_back(elsewhere: Household, bundle: Path) -> None:
    plan = planning(elsewhere).apply(ACME, planned(elsewhere, bundle).id)
    key_value(elsewhere.adapters).put(SOWN, {"row": 2})

    told = planning(elsewhere).undo(ACME, plan.id)

    assert told.counts == {"new": RECORDS, "taken_back": RECORDS - 1, "left": 1}
    assert key_value(elsewhere.adapters).get(SOWN).value == {"row": 2}
    assert elsewhere.history(ALONE) == elsewhere.archived() == []
