"""A session that is left alone for longer than it is kept goes, with what was said in it; what was learnt stays."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from cairn.calls.audit import AuditLog
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.custody.bundles import DataScope
from cairn.custody.erase_user import EraseUser
from cairn.files.files import WriteMode
from cairn.files.layout import FILES
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Project, TurnId
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Delete, Key, Query, prefix_range
from cairn.log.layout import DISCARDED, ENTRIES, registry_pk
from cairn.services import Services
from cairn.sessions.layout import HEAD, due_sk, session_pk
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.upkeep.model import MaintenanceReport
from cairn.vault.layout import key_range, keys_pk
from cairn.vault.vault import Vault, blob_of
from support.custody import (
    ACME,
    ADA,
    ALONE,
    BOB,
    LARGE,
    MONTH,
    SETTINGS,
    SHARED,
    Household,
    keeping,
    partition,
    session,
)
from support.services import services_over

SAID = ("the first sprout", "Ada plants the marigolds", "Row 1 holds", "Marigolds, Ada", LARGE[:80])


def asked(services: Services, where: Session, query: str, **scope: Any) -> str:
    """Return what a process places before a question, without the question."""
    request = Preparation(current=(message("user", query),), **scope)
    return str(prepare(services, where, request).items[1:-1])


def unnamed_blobs(house: Household) -> set[str]:
    named = " ".join(str(value) for item in house.inventory.items(ACME) for value in item.values())
    return {blob for blob in house.inventory.blobs(ACME) if blob not in named}


def events(house: Household) -> list[Attributes]:
    """Return the raw events of the session that is Ada's alone."""
    return list(house.adapters.table.query(Query(session_pk(ALONE), *prefix_range("e#0"))).items)


def test_sessions_are_kept_for_ever_unless_told(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=20_000)

    assert not keeping(house, days=0).maintenance.run(ALONE).erased
    assert house.history(ALONE) == ["I live in Oslo.", "Noted."]


@pytest.mark.parametrize(("seconds", "erased"), [(-1, False), (0, True)])
def test_a_session_is_erased_once_its_last_turn_is_so_old(house: Household, seconds: int, *, erased: bool) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=10)
    house.say(ALONE, ADA, "I like beans.")
    house.later(days=MONTH, seconds=seconds - 60)

    assert keeping(house).maintenance.run(ALONE).erased is erased
    assert (house.history(ALONE) == []) is erased


def test_a_session_whose_data_keys_are_gone_is_damage_and_makes_no_new_one(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH + 1)
    for item in house.adapters.table.query(Query(keys_pk(ACME), *key_range())).items:
        house.adapters.table.delete(Delete(Key.of(item)))

    with pytest.raises(CorruptData):
        keeping(house).maintenance.run(ALONE)

    assert not house.services().vault.has_key(ACME)


@pytest.mark.req("R306")
def test_the_grace_time_of_erasures_keeps_a_session_longer(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH + 6, hours=23)
    services = keeping(house, erasure_grace_days=7)
    assert not services.maintenance.run(ALONE).erased
    house.later(hours=1)

    assert services.maintenance.run(ALONE).erased


@pytest.mark.parametrize("indexed", [True, False])
def test_of_an_erased_session_nothing_that_was_said_is_left_anywhere(house: Household, *, indexed: bool) -> None:
    house.move_in()
    if indexed:
        house.index()
    services = keeping(house)
    outputs = tuple(message("assistant", LARGE[first : first + 4000]) for first in range(0, 120_000, 4000))
    long = Completion(turn_id=TurnId("long"), user_id=ADA, inputs=(message("user", "Say much."),), outputs=outputs)
    commit(services, ALONE, long)
    assert any("blob" in item for item in house.inventory.items(ACME) if str(item["sk"]).startswith(ENTRIES))
    services.files.write(ALONE, "notes/plan.txt", LARGE, WriteMode.TRUNCATE)
    house.later(days=MONTH + 1)

    assert services.maintenance.run(ALONE) == MaintenanceReport(erased=True, finished=True)
    assert services.maintenance.run(SHARED) == MaintenanceReport(erased=True, finished=True)

    left = "\n".join(house.contents())
    assert [word for word in SAID if word in left] == []
    assert partition(house, ALONE) == partition(house, SHARED) == []
    assert unnamed_blobs(house) == set()
    assert not [item for item in house.inventory.items(ACME) if str(item["sk"]).startswith(DISCARDED)]
    assert {str(item["blob"]) for item in house.inventory.items(ACME) if "blob" in item} == set()


def test_what_was_learnt_in_an_erased_session_is_still_recalled(house: Household) -> None:
    house.move_in().index()
    house.remember(ALONE, ADA, "Ada keeps bees.", "user")
    house.remember(ALONE, ADA, "The gate is green.", "session")
    house.later(days=MONTH + 1)
    keeping(house).maintenance.run(ALONE)

    told = asked(
        house.services(), session("another"), "Where do I live, who keeps bees?", user_id=ADA, recall_scope="user"
    )
    assert "Bergen" in told
    assert "bees" in told
    assert "The gate is green." in house.recalled(ALONE, ADA)


def test_other_sessions_of_the_same_people_keep_every_word(house: Household) -> None:
    house.move_in().index()
    house.later(days=MONTH + 1)
    house.say(SHARED, BOB, "Bob is back.")
    before, kitchen = house.history(SHARED), session("alone", "kitchen")

    keeping(house).maintenance.run(ALONE)

    assert house.history(SHARED) == before
    assert house.history(kitchen) == ["I like soup.", "Noted."]
    told = asked(house.services(), SHARED, "marigolds lilies sprout", user_id=ADA, recall_scope="user")
    assert "Ada plants the marigolds." in told
    assert "sprout" in told


@pytest.mark.parametrize("indexed", [True, False])
def test_a_process_that_has_the_session_in_mind_tells_nothing_of_it_any_more(
    house: Household, *, indexed: bool
) -> None:
    house.move_in()
    if indexed:
        house.index()
    warm = house.services()
    elsewhere = session("another")
    question = "Which row holds the beans?"
    assert "Row 1 holds" in asked(warm, elsewhere, question, user_id=ADA, recall_scope="user")
    house.later(days=MONTH + 1)
    services = keeping(house)

    stopped = services.maintenance.run_due(ALONE, house.adapters.clock.now() + timedelta(minutes=5))

    assert stopped.erased
    for process in (warm, house.services()):
        assert "Row 1 holds" not in asked(process, elsewhere, question, user_id=ADA, recall_scope="user")


def test_texts_are_told_no_more_before_any_segment_is_made_anew(house: Household) -> None:
    house.move_in().index()
    warm, question = house.services(), "Which row holds the beans?"
    asked(warm, session("another"), question, user_id=ADA, recall_scope="user")
    house.later(days=MONTH + 1)
    services = keeping(house)
    indexer: Any = services.indexer
    indexer.run = print

    services.maintenance.run(ALONE)

    for process in (warm, house.services()):
        assert "Row 1 holds" not in asked(process, session("another"), question, user_id=ADA, recall_scope="user")


def test_a_session_begins_anew_under_the_name_of_an_erased_one(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.", "Again.")
    house.later(days=MONTH)
    services = keeping(house)
    services.maintenance.run(ALONE)

    house.say(ALONE, ADA, "A new beginning.")

    assert house.history(ALONE) == ["A new beginning.", "Noted."]
    head = house.adapters.table.get(Key(session_pk(ALONE), HEAD))
    assert head is not None
    assert (head["seq"], head.get("erased", 0)) == (1, 0)
    assert services.maintenance.run(ALONE).erased is False


def test_an_idle_session_is_found_by_the_schedule_when_its_time_is_over(house: Household) -> None:
    house.say(ALONE, ADA, "My name is Ada.")
    services = keeping(house)
    house.later(hours=2)
    services.maintenance.run(ALONE)
    head = house.adapters.table.get(Key(session_pk(ALONE), HEAD))
    assert head is not None
    due = house.adapters.clock.now() + timedelta(days=MONTH) - timedelta(hours=2, minutes=1)
    assert head["isk"] == due_sk(due)

    house.later(days=MONTH)
    assert services.maintenance.run_due(ALONE, house.adapters.clock.now() + timedelta(minutes=1)).erased


def test_what_is_erased_is_on_record(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH)
    now = house.adapters.clock.now()
    keeping(house).maintenance.run(ALONE)

    found = AuditLog(house.adapters, Vault(house.adapters)).records(ACME, now, now + timedelta(seconds=1))

    assert [(each.tool, each.outcome, each.credential) for each in found] == [
        ("session retention", "done", "operator"),
        ("session retention", "admitted", "operator"),
    ]
    assert {(each.subject.project, each.subject.session_id) for each in found} == {("garden", "alone")}


def test_a_session_that_named_no_user_leaves_no_log_behind_where_nothing_was_learnt(house: Household) -> None:
    house.say(ALONE, None, "Hello.")
    house.say(SHARED, None, "I live in Oslo.")
    house.later(days=MONTH)
    for where in (ALONE, SHARED):
        keeping(house).maintenance.run(where)

    logs = {f"{item['pk']} {item['sk']}" for item in house.inventory.items(ACME) if "#m#" in str(item["pk"])}
    assert not [each for each in logs if "alone" in each]
    assert "acme#m#garden log#s:shared" in logs
    assert "Oslo" in asked(house.services(), SHARED, "Where do I live?")


def test_the_files_of_an_erased_session_no_longer_count_for_its_project(house: Household) -> None:
    house.say(ALONE, ADA, "Hello.")
    house.say(SHARED, ADA, "Hello.")
    services = keeping(house)
    for where in (ALONE, SHARED):
        for name in ("a/one.txt", "two.txt"):
            services.files.write(where, name, "12345", WriteMode.TRUNCATE)
    house.later(days=MONTH)
    counter = Key(registry_pk(ACME, Project("garden")), FILES)

    keeping(house).maintenance.run(ALONE)
    assert (house.adapters.table.get(counter) or {})["bytes"] == 10
    EraseUser(services_over(house.adapters, SETTINGS), house.inventory).run(DataScope(ACME, user=ADA))
    assert (house.adapters.table.get(counter) or {})["bytes"] == 0


def test_a_run_that_deletes_an_earlier_one_s_blobs_leaves_those_of_its_own_to_the_next(house: Household) -> None:
    """Whoever read a raw event just before it was archived still gets what it names."""
    dropped: list[set[Digest]] = []
    for reply in (LARGE, LARGE[::-1]):
        house.say(ALONE, ADA, "Keep this long one.", reply=reply)
        dropped.append({found for item in events(house) if (found := blob_of(item)) is not None})
        house.say(ALONE, ADA, *(f"Row {number}." for number in range(6)))
        house.later(days=2)
        assert house.services().maintenance.run(ALONE).archived_shards > 0

    first, second = dropped
    assert [len(first), len(second)] == [1, 1]
    assert {*first, *second} & set(house.inventory.blobs(ACME)) == second
    house.later(hours=1)
    house.maintain(ALONE)
    assert not second & set(house.inventory.blobs(ACME))


def test_blobs_of_events_that_were_archived_go_with_the_next_run(house: Household) -> None:
    house.say(ALONE, ADA, "Keep this long one.", reply=LARGE)
    house.say(ALONE, ADA, *(f"Row {number}." for number in range(6)))
    house.later(days=2)
    services = house.services()
    before = set(house.inventory.blobs(ACME))

    assert services.maintenance.run(ALONE).archived_shards == 1
    dropped = before & set(house.inventory.blobs(ACME))
    house.later(hours=1)
    services.maintenance.run_due(ALONE, house.adapters.clock.now() + timedelta(minutes=1))

    assert dropped
    assert not dropped & set(house.inventory.blobs(ACME))
    assert LARGE in house.history(ALONE)
