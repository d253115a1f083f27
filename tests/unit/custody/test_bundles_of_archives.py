"""Archived sessions in bundles: which come along, and where they are found afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.custody.data_keys import DataKeys
from cairn.ground.ids import Tenant
from support.custody import ACME, ADA, BOB, GARDEN, Household, exported, take_in


@pytest.mark.req("R279")
def test_archived_sessions_are_found_and_read_where_they_were_taken_in(house: Household, elsewhere: Household) -> None:
    first, second = house.archive("monday", "garden", "plan"), house.archive("tues#day", "garden")
    DataKeys(house.adapters, house.inventory).rotate(ACME)
    house.archive("friday")
    two = Tenant("two")

    records = exported(house)
    assert len(records) == 3
    assert take_in(elsewhere, records, two) == [True] * 3
    assert take_in(elsewhere, records, two) == [False] * 3

    assert elsewhere.archived(two) == house.archived()
    here, there = house.services().archive, elsewhere.services().archive
    for text, tags in (("garden", ()), ("tues#day", ()), ("", ("plan",)), ("planner", ())):
        found = [entry.session_id for entry in here.query(ACME, text, tags, 50)]
        assert found == [entry.session_id for entry in there.query(two, text, tags, 50)] != []
    assert not {first, second} & {entry.digest for entry in there.query(two, "", [], 50)}
    stored = [(item["sk"], item["id"], item["blob_kid"]) for item in elsewhere.inventory.items(two) if "id" in item]
    assert len(stored) == 12
    assert {number for *_, number in stored} == {1}


@pytest.mark.req("R184")
def test_an_archived_session_that_comes_again_has_the_pointer_it_was_taken_in_under(
    house: Household, elsewhere: Household
) -> None:
    house.archive("monday", "garden")
    take_in(elsewhere, exported(house))

    [entry] = elsewhere.services().archive.query(ACME, "", [], 50)

    assert elsewhere.archive("monday") == entry.digest


@pytest.mark.req("R279")
def test_a_user_s_bundle_holds_archived_sessions_of_theirs_alone_and_a_project_s_none(house: Household) -> None:
    house.move_in()
    for name in ("alone", "shared", "bobs", "from elsewhere"):
        house.archive(name)

    def archived(**scope: Any) -> list[str]:
        return [each["archived"]["session"]["session_id"] for each in exported(house, **scope) if "archived" in each]

    assert archived(user=ADA) == ["alone"]
    assert archived(user=BOB) == ["bobs"]
    assert archived(user=ADA, project=GARDEN) == archived(project=GARDEN) == []
    assert len(archived()) == 4


def test_an_archived_session_that_is_being_deleted_stays_behind(house: Household) -> None:
    house.adapters.blobs.delete(ACME, house.archive("monday"))

    assert exported(house) == []
