"""Checks, bundles and erasures find nothing amiss where turns were taken back, and every project is listed."""

from __future__ import annotations

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.custody.bundles import DataScope
from cairn.custody.check import Check
from cairn.custody.erase_user import EraseUser
from cairn.ground.session import Session
from cairn.ground.table import Delete, Key
from cairn.log.layout import project_sk, projects_pk
from cairn.overview.items import items
from cairn.overview.model import Place
from cairn.overview.projects import projects
from cairn.overview.sessions import sessions
from cairn.overview.users import users
from cairn.turns.take_back import take_back
from support.custody import ACME, ADA, BOB, LARGE, Household, exported, session, take_in

pytestmark = pytest.mark.req("R295")
EVERYONE = Caller(ACME, frozenset({"read"}), "request-1", (ALL_PROJECTS,))


def said(house: Household, where: Session) -> list[str]:
    """Return what users said, oldest first."""
    found = items(house.services(), where, 0, 1000).listed
    return [str(each.item["content"]) for each in found if each.item["role"] == "user"]


def take_newest_back(house: Household, where: Session) -> None:
    newest = items(house.services(), where, 0, 1000).listed[-1]
    assert take_back(house.services(), where, newest.turn_id).items == 2


def findings(house: Household) -> list[tuple[str, str]]:
    services = house.services()
    found = Check(services, house.inventory, services.audit).run(ACME).findings
    return [(each.kind, each.problem) for each in found]


def listed(house: Household) -> tuple[str, ...]:
    return projects(house.services(), EVERYONE, "", 10).listed


def test_a_check_finds_nothing_where_turns_were_taken_back(house: Household) -> None:
    house.say(session("shared"), ADA, "I live in Oslo.", "I like beans.")
    house.say(session("shared"), BOB, "I live in Rome.", reply=LARGE)
    house.say(session("alone"), ADA, "I moved to Bergen.")
    for where in (session("shared"), session("shared"), session("alone")):
        take_newest_back(house, where)

    assert findings(house) == []
    assert (len(said(house, session("shared"))), said(house, session("alone"))) == (1, [])


def test_a_turn_behind_which_others_were_erased_is_taken_back_and_still_counted_right(house: Household) -> None:
    house.say(session("shared"), ADA, "I live in Oslo.", "I like beans.")
    house.say(session("shared"), BOB, "I live in Rome.", "I like soup.")
    EraseUser(house.services(), house.inventory).run(DataScope(ACME, user=BOB))

    take_newest_back(house, session("shared"))
    house.say(session("shared"), ADA, "I like figs.")

    assert len(said(house, session("shared"))) == 2
    assert findings(house) == []


def test_a_session_that_was_tidied_is_tidied_again_after_its_turns_were_taken_back(house: Household) -> None:
    house.move_in()
    take_newest_back(house, session("alone"))
    house.later(days=3)
    house.maintain(session("alone"), session("shared"))
    house.say(session("alone"), ADA, "I am back.")

    assert findings(house) == []
    assert "I moved to Bergen." not in str(said(house, session("alone")))


def test_a_bundle_holds_nothing_of_a_turn_that_was_taken_back(house: Household, elsewhere: Household) -> None:
    house.say(session("alone"), ADA, "I live in Oslo.", "The heronbird moved in.")
    take_newest_back(house, session("alone"))
    records = exported(house)

    assert "heronbird" not in str(records)
    assert all(take_in(elsewhere, records))
    assert len(said(elsewhere, session("alone"))) == 1
    assert listed(elsewhere) == ("garden",)
    assert "heronbird" not in str(exported(elsewhere))


def test_what_came_in_a_bundle_is_listed(house: Household, elsewhere: Household) -> None:
    house.say(session("alone"), ADA, "I live in Oslo.")
    house.say(session("bobs"), BOB, "I live in Rome.")
    assert all(take_in(elsewhere, exported(house)))

    garden, services = Place(ACME, session("alone").project), elsewhere.services()

    assert users(services, garden, (), "", 10) == users(house.services(), garden, (), "", 10)
    assert sessions(services, garden, None, "", 10) == sessions(house.services(), garden, None, "", 10)
    assert len(sessions(services, garden, None, "", 10).listed) == 2


def test_a_project_that_its_tenant_does_not_know_is_found_and_listed_again(house: Household) -> None:
    house.say(session("alone"), ADA, "I live in Oslo.")
    house.say(session("bobs"), BOB, "I live in Rome.")
    house.adapters.table.delete(Delete(Key(projects_pk(ACME), project_sk("garden"))))
    assert listed(house) == ()
    assert findings(house) == [("missing", "the tenant does not know this project")]

    services = house.services()
    assert len(list(Check(services, house.inventory, services.audit).repair(ACME))) == 1

    assert listed(house) == ("garden",)
    assert findings(house) == []


def test_a_project_is_listed_again_within_the_hour_after_all_was_erased(house: Household) -> None:
    house.say(session("alone"), ADA, "I live in Oslo.")
    process = house.services()
    for make in process.registry.listing(ACME, session("alone").project):
        make()
    assert process.registry.listing(ACME, session("alone").project) == []

    house.later(hours=1)

    assert len(process.registry.listing(ACME, session("alone").project)) == 1
