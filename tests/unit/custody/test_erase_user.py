"""Erasing a user: all that they said goes, all that others said stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.custody.bundles import DataScope
from cairn.custody.erase_user import ErasedUser, EraseUser
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.errors import InvalidArgument, ResourceBusy
from cairn.ground.ids import Project, UserId
from cairn.ground.table import Key, Put
from cairn.log.log import LATE_APPEND
from cairn.sessions.head import Head
from cairn.sessions.layout import GUARDS, HEAD, OPERATIONS, guard_sk, session_pk
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.vault.vault import Vault
from support.custody import ACME, ADA, BOB, SETTINGS, Household, cold_services, erase, partition, session

OF_ADA = ("Ada", "ada", "Oslo", "Bergen", "soup", "Marigolds")
OF_OTHERS = [
    "I live in Rome.",
    "Beans, Bob.",
    "Bob waters the beans.",
    "Beans, Bob.",
    "Somebody sings to the beans.",
    "Bob adds basil.",
    "Bob sees it too.",
]


@pytest.mark.req("R279")
def test_nothing_that_an_erased_user_said_or_was_told_is_left_and_all_that_others_said_is(house: Household) -> None:
    house.move_in().index()
    before = house.history(session("shared"))

    done = erase(house)

    left = "\n".join(house.contents())
    assert [word for word in OF_ADA if word in left] == []
    assert (done.sessions, done.shared_turns, done.left) == (2, 4, 0)
    assert [said for said in house.history(session("shared")) if said in OF_OTHERS] == OF_OTHERS
    assert len(house.history(session("shared"))) == len(before) - 8
    assert house.history(session("bobs")) == ["I like basil.", "Noted."]
    named = {str(item["blob"]) for item in house.inventory.items(ACME) if "blob" in item}
    assert set(house.inventory.blobs(ACME)) == named


@pytest.mark.req("R279")
def test_of_a_shared_session_s_guards_those_of_an_erased_user_s_turns_go_and_the_others_stay(house: Household) -> None:
    """A guard says that a turn of this name was stored, and has a tag of what it said."""
    house.move_in()
    shared = session("shared")

    erase(house)

    left = {event.turn_id for _, events in house.services().sessions.history(shared) for event in events}
    guards = [sk for sk in partition(house, shared) if sk.startswith(GUARDS)]
    assert sorted(guards) == sorted(map(guard_sk, left))
    assert len(guards) == 5


@pytest.mark.req("R279")
def test_a_prompt_that_waits_for_its_answer_goes_with_the_user_and_what_their_agent_was_told(house: Household) -> None:
    house.open()
    assert [word for word in ("Ada asks her agent", "Ada's tool answers") if word in "\n".join(house.contents())]

    erase(house)

    assert [key for key in map(Key.of, house.inventory.items(ACME)) if key.sk.startswith(OPERATIONS)] == []


@pytest.mark.req("R279")
def test_a_blob_that_nothing_names_any_more_goes_with_the_user_it_may_be_of(house: Household) -> None:
    house.move_in()
    named = {str(item["blob"]) for item in house.inventory.items(ACME) if "blob" in item}
    assert set(house.inventory.blobs(ACME)) > named

    assert erase(house).blobs >= 2

    assert list(house.inventory.blobs(ACME)) == []


def test_a_blob_that_an_item_names_anywhere_stays(house: Household) -> None:
    blobs, where = house.adapters.blobs, Key("acme#files#1", "1")
    for_content, for_attribute, for_key = (blobs.put(ACME, name) for name in (b"1", b"2", b"3"))
    sealed = Vault(house.adapters).seal(ACME, where, {"chunks": [for_content]})
    house.adapters.table.put(Put({"pk": where.pk, "sk": where.sk, **sealed}))
    house.adapters.table.put(Put({"pk": "acme#a", "sk": "1", "pointer": f"cascade://{for_attribute}"}))
    house.adapters.table.put(Put({"pk": "acme#a", "sk": f"card#{for_key}"}))
    house.say(session("alone"), ADA, "Hello.")
    blobs.put(ACME, b"4")

    assert erase(house).blobs == 1

    assert set(house.inventory.blobs(ACME)) == {for_content, for_attribute, for_key}


@pytest.mark.req("R279")
def test_in_one_project_a_user_is_erased_and_in_the_others_kept(house: Household) -> None:
    house.move_in()

    assert erase(house, project=Project("kitchen")).sessions == 1

    assert house.history(session("alone", "kitchen")) == []
    assert "I moved to Bergen." in house.history(session("alone"))


@pytest.mark.req("R279")
def test_a_shared_session_goes_on_and_is_still_summarised(house: Household) -> None:
    house.move_in()
    erase(house)
    shared = session("shared")

    house.say(shared, BOB, *(f"Bob goes on with decision {number}." for number in range(6)))
    request = Preparation(current=(message("user", "And now?"),), user_id=BOB, max_input_tok=180)
    prepared = prepare(house.services(), shared, request)

    assert prepared.compacted
    assert not [word for word in OF_ADA if word in str(prepared.items[1:])]
    house.later(days=2)
    house.maintain(shared)
    assert [said for said in house.history(shared) if said in OF_OTHERS] == OF_OTHERS
    head = house.adapters.table.get(Key(session_pk(shared), HEAD))
    assert head is not None
    assert Head.of(head).owners == ("u:bob", "s:shared")


@pytest.mark.req("R279")
def test_what_the_user_says_while_being_erased_is_met_by_the_second_pass(house: Household) -> None:
    house.move_in()
    clock: Any = house.adapters.clock
    stage = Stage(clock, lambda: house.say(session("shared"), ADA, "Ada is still here."))

    done = EraseUser(cold_services(house, replace(house.adapters, clock=stage)), house.inventory).run(
        DataScope(ACME, user=ADA)
    )

    assert (done.left, done.shared_turns) == (0, 5)
    assert "Ada" not in "\n".join(house.contents())


@pytest.mark.req("R279")
def test_what_the_user_says_after_all_is_counted_as_left(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")

    class Late(EmbeddedInventory):
        def scrub(self) -> None:
            house.say(session("alone"), ADA, "Hello again.")
            house.remember(session("shared"), ADA, "Ada keeps bees.", "project")

    table: Any = house.adapters.table
    late = Late(table, house.directory / "blobs")

    assert EraseUser(cold_services(house), late).run(DataScope(ACME, user=ADA)).left == 5


def test_an_erasure_tells_what_it_goes_through_and_how_much_of_it_is_done(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")
    house.say(session("shared"), ADA, "Hello.")
    house.say(session("shared"), BOB, "Hello.")
    house.remember(session("shared"), ADA, "Ada keeps bees.", "project")
    told = list[tuple[str, int, int]]()

    def tell(what: str, done: int, of: int) -> None:
        told.append((what, done, of))

    EraseUser(cold_services(house), house.inventory, tell).run(DataScope(ACME, user=ADA))

    assert {what for what, done, of in told if (done, of) == (0, 0)} >= {"items", "memories", "overwriting"}
    steps = {"shared sessions", "sessions", "log items", "logs that others share"}
    assert {what for what, done, of in told if done == of > 0} == steps


def test_a_session_in_use_stops_the_erasure_which_can_be_run_again(house: Household) -> None:
    house.move_in()
    services = cold_services(house)
    lease = services.sessions.lease(session("shared"), "somebody", replace(SETTINGS, guard_lease_seconds=900))

    with pytest.raises(ResourceBusy):
        erase(house)
    services.sessions.release(lease)

    assert erase(house).left == 0
    assert "Ada" not in "\n".join(house.contents())


def test_a_user_is_named(house: Household) -> None:
    with pytest.raises(InvalidArgument, match="user"):
        EraseUser(cold_services(house), house.inventory).run(DataScope(ACME))


def test_what_a_shared_session_counts_stays(house: Household) -> None:
    house.say(session("shared"), ADA, "Ada's.")
    house.say(session("shared"), BOB, "Bob's.")
    where = Key(session_pk(session("shared")), "e#}")
    house.adapters.table.put(Put({"pk": where.pk, "sk": where.sk, "count": 2}))

    assert erase(house).shared_turns == 1

    assert house.adapters.table.get(where) == {"pk": where.pk, "sk": where.sk, "count": 2}


def test_nobody_is_erased_for_having_a_name_that_begins_alike(house: Household) -> None:
    house.say(session("alone"), UserId("ada2"), "I am Ada's sister.")
    house.say(session("mixed"), UserId("ad"), "I am Ada's brother.")

    assert erase(house) == ErasedUser()

    assert len(house.history(session("alone"))) == len(house.history(session("mixed"))) == 2


class Stage:
    """A clock that has something happen when somebody waits for calls to end."""

    def __init__(self, clock: Any, happens: Callable[[], None]) -> None:
        self._clock = clock
        self._happens = happens

    def now(self) -> Any:
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        if timedelta(seconds=seconds) == LATE_APPEND:
            self._happens()
        self._clock.sleep(seconds)
