"""What leaves in a bundle, and that an empty service which takes it in answers as the one it came from."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from cairn.access.callers import Caller
from cairn.calls.journal import Journal
from cairn.conversation.items import message
from cairn.custody.admission import rule_at
from cairn.custody.bundles import Record
from cairn.custody.records import OF_THIS_STORE
from cairn.enrichment.executions import Ended, Executions, ExecutionScope
from cairn.ground.errors import Conflict, InvalidArgument
from cairn.ground.ids import Namespace, Project, Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.rates import Bucket, Rate
from cairn.ground.settings import EnrichmentSettings
from cairn.ground.table import DAMAGED, Key, Put, Query, Update
from cairn.keyvalue.model import KeyName, Place
from cairn.sessions.head import BEGINS, COMPACTED_AT, Head, stored_head
from cairn.sessions.layout import HEAD, due_pk, due_shard, session_pk
from cairn.turns import open_turns
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.vault.vault import Vault
from support.custody import ACME, ADA, ALONE, BOB, GARDEN, LARGE, Household, exported, session, take_in
from support.documents import documents, put
from support.keyvalue import confirm, key_value
from support.turns import SESSION, turn


@pytest.mark.slow
@pytest.mark.req("R279")
@pytest.mark.parametrize("tenant", [ACME, Tenant("other")])
def test_an_empty_service_that_takes_in_a_bundle_gives_the_same_answers(
    house: Household, elsewhere: Household, tenant: Tenant
) -> None:
    house.move_in().index()
    records = exported(house)

    assert all(take_in(elsewhere, records, tenant))

    assert elsewhere.answers(tenant) == house.answers()
    for name in ("alone", "shared", "bobs"):
        assert elsewhere.history(session(name, tenant=tenant)) == house.history(session(name))


@pytest.mark.req("R279")
@pytest.mark.req("R301")
def test_an_agent_s_own_summary_of_its_conversation_is_taken_in_with_what_it_no_longer_has(
    house: Household, elsewhere: Household
) -> None:
    house.say(ALONE, ADA, "My name is Ada.")
    open_turns.compacted(house.services(), ALONE, ADA, "Ada told her name.")

    assert all(take_in(elsewhere, exported(house)))

    head = stored_head(elsewhere.adapters.table, ALONE)
    assert head is not None
    assert head.compacted_at == house.adapters.clock.now()
    assert elsewhere.history(ALONE) == house.history(ALONE)


class Asked(dict[str, Any]):
    """An item that notes by which attributes it is read."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(attributes)
        self.read = set[str]()

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


@pytest.mark.req("R301")
def test_a_bundle_may_have_whatever_a_session_s_head_is_read_by() -> None:
    head = Asked(pk=session_pk(ALONE), sk=HEAD)

    Head.of(head)

    assert head.read >= {"seq", "isk", COMPACTED_AT}
    rule = rule_at(Key(session_pk(ALONE), HEAD))
    assert rule is not None
    assert head.read - OF_THIS_STORE - {DAMAGED, BEGINS} <= rule.shape.keys()  # no bundle has a session on a branch


@pytest.mark.req("R279")
def test_a_project_s_bundle_holds_all_of_the_project_and_nothing_else(house: Household, elsewhere: Household) -> None:
    house.move_in()
    everything, garden = exported(house), exported(house, project=GARDEN)

    assert [r for r in everything if "#garden" in r["partition"]] == garden
    assert 0 < len(garden) < len(everything)
    take_in(elsewhere, garden)
    # What is known of its users in all projects is theirs and not the project's.
    take_in(elsewhere, [each for each in everything if each["partition"].startswith("m#~#")])
    wanted = {about: answer for about, answer in house.answers().items() if about.startswith("garden")}
    assert {about: answer for about, answer in elsewhere.answers().items() if about.startswith("garden")} == wanted


@pytest.mark.req("R279")
@pytest.mark.req("R010")
def test_a_user_s_bundle_holds_what_they_said_everywhere_and_nothing_of_others(house: Household) -> None:
    house.move_in()

    text = json.dumps(exported(house, user=ADA))

    for said in ("I moved to Bergen", "I like soup", "Ada plants", "Marigolds, Ada", "Ada adds lilies", "first sprout"):
        assert said in text
    for not_theirs in ("Bob", "bob", "Rome", "basil", "Somebody sings"):
        assert not_theirs not in text
    theirs = json.dumps(exported(house, user=BOB, project=GARDEN))
    assert "Bob sees it too" in theirs
    assert "Ada" not in theirs
    assert exported(house, user=ADA, project=Project("nowhere")) == exported(house, user=UserId("ad")) == []


@pytest.mark.req("R279")
def test_a_user_s_bundle_gives_the_user_the_same_answers_in_their_own_sessions(
    house: Household, elsewhere: Household
) -> None:
    house.move_in()

    take_in(elsewhere, exported(house, user=ADA))

    mine, theirs = elsewhere.answers(), house.answers()
    own = [about for about in mine if "/alone/ada/" in about]
    assert len(own) == 4
    assert {about: mine[about] for about in own} == {about: theirs[about] for about in own}
    assert elsewhere.history(session("shared"))[::2] == [
        "I live in Oslo.",
        "Ada plants the marigolds.",
        "Ada adds lilies.",
        "Ada sees the first sprout.",
    ]


@pytest.mark.req("R301")
def test_a_user_s_part_of_a_shared_session_is_whole_where_it_was_taken_in(
    house: Household, elsewhere: Household
) -> None:
    house.say(session("shared"), ADA, "Ada's.")
    house.say(session("shared"), BOB, "Bob's.", "Bob's too.")
    records = exported(house, user=BOB)
    heads = [record for record in records if record["sort"] == HEAD]
    assert [head["attributes"].pop("erased") for head in heads] == [1]  # earlier bundles did not say so

    assert all(take_in(elsewhere, records))
    assert not any(take_in(elsewhere, records))

    again = exported(elsewhere)
    assert [record["attributes"]["erased"] for record in again if record["sort"] == HEAD] == [1]
    assert len(again) == len(records)


@pytest.mark.req("R252")
def test_a_bundle_holds_no_key_no_index_and_nothing_that_passes(house: Household) -> None:
    house.move_in().index()
    house.adapters.table.put(Put({"pk": "acme#a", "sk": "gone", "expires_at": 1}))

    records = exported(house)

    kinds = {(each["partition"].split("#")[0], each["sort"].split("#")[0]) for each in records}
    assert kinds == {("m", "log"), ("m", "m"), ("s", "e"), ("s", "arc"), ("s", "cmp"), ("s", "abstracts")}
    names = {name for each in records for name in each["attributes"]}
    assert not names & {"kid", "data", "blob", "wrapped", "lease_owner", "lease_until"}


@pytest.mark.req("R252")
def test_a_bundle_holds_nothing_whose_time_is_over_though_the_store_still_has_it(house: Household) -> None:
    key_value(house.adapters).put(
        Place(ACME, Namespace("public.notes"), KeyName("soon")), "passing", ttl_seconds=86_400
    )
    put(documents(house.adapters), ("notes",), "soon", "passing", ttl_seconds=86_400)
    call = Ended(tool="oc_diagnostic_pod_health", arguments={}, result="passing")
    Executions(house.services()).keep(ExecutionScope(ACME, GARDEN, None), call, EnrichmentSettings(retention_days=1))

    assert [record["sort"].partition("#")[0] for record in exported(house)] == ["d", "v", "r"]
    house.later(days=1)
    assert exported(house) == []
    assert sum("passing" in each for each in house.contents()) == 3


def test_values_come_back_with_what_lists_counts_and_expires_them(house: Household, elsewhere: Household) -> None:
    two, memory = Tenant("two"), key_value(house.adapters)
    places = {name: Place(ACME, Namespace("public.notes"), KeyName(name)) for name in ("note", "large", "gone", "soon")}
    memory.put(places["note"], {"deep": ["value"]})
    memory.put(places["large"], LARGE, if_version=0)
    memory.put(places["gone"], "away")
    memory.delete(places["gone"])
    memory.put(places["soon"], "passing", ttl_seconds=60)

    records = exported(house)
    assert [record["sort"] for record in records] == ["v#large", "v#note", "v#soon"]
    assert take_in(elsewhere, records, two) == [True] * 3
    assert take_in(elsewhere, records, two) == [False] * 3

    there = key_value(elsewhere.adapters)
    moved = {name: Place(two, place.namespace, place.key) for name, place in places.items()}
    assert there.get(moved["note"]) == memory.get(places["note"])
    assert there.get(moved["large"]).value == LARGE
    assert there.list(two, Namespace("public.notes")).keys == ("large", "note", "soon")
    confirm(there, two)
    elsewhere.later(minutes=2)
    assert there.collection.collect_all(two) == 1
    confirm(there, two)
    assert there.list(two, Namespace("public.notes")).keys == ("large", "note")


@pytest.mark.req("R279")
def test_the_audit_log_and_the_rates_stay_with_the_service_whose_keys_signed_them(house: Household) -> None:
    house.say(session("alone"), ADA, "Ada's.")
    before = exported(house)
    journal = Journal(house.adapters, Vault(house.adapters), timedelta(days=1))
    journal.run(
        journal.begin(Caller(ACME, frozenset(), "", ()), "recall"), [Bucket(ACME, "tenant", "", Rate(1, 9))], lambda: 0
    )
    assert {str(item["pk"]).split("#")[1] for item in house.inventory.items(ACME)} >= {"audit", "rates"}

    assert exported(house) == before


def test_what_a_shared_session_counts_is_no_user_s(house: Household) -> None:
    house.say(session("shared"), ADA, "Ada's.")
    house.say(session("shared"), BOB, "Bob's.")
    house.adapters.table.put(Put({"pk": session_pk(session("shared")), "sk": "e#}", "count": 2}))

    assert "count" not in json.dumps(exported(house, user=ADA))
    assert "count" in json.dumps(exported(house))


@pytest.mark.slow
def test_a_session_that_was_due_for_maintenance_is_due_where_it_was_taken_in(
    house: Household, elsewhere: Household
) -> None:
    house.move_in()
    take_in(elsewhere, exported(house), Tenant("two"))

    due = {due_pk(due_shard(session(name, tenant=Tenant("two")))) for name in ("alone", "shared")}
    listed = [item for pk in due for item in every(elsewhere.adapters.table, Query(pk, "0", "9", index=True))]
    assert {item["pk"] for item in listed} >= {"two#s#garden#alone", "two#s#garden#shared"}


def test_taking_in_a_bundle_again_stores_nothing_new(house: Household, elsewhere: Household) -> None:
    records = exported(house.move_in())
    assert all(take_in(elsewhere, records[:5]))

    assert take_in(elsewhere, records) == [False] * 5 + [True] * (len(records) - 5)
    assert not any(take_in(elsewhere, records))


@pytest.mark.req("R010")
def test_what_a_service_holds_already_is_not_replaced(house: Household, elsewhere: Household) -> None:
    house.say(session("alone"), ADA, "Ada's.")
    elsewhere.say(session("alone"), BOB, "Bob's.")

    with pytest.raises(Conflict, match="empty service"):
        take_in(elsewhere, exported(house))

    assert elsewhere.history(session("alone")) == ["Bob's.", "Noted."]


@pytest.mark.req("R074")
def test_a_turn_that_was_stored_before_the_move_is_a_replay_after_it(house: Household, elsewhere: Household) -> None:
    committed = turn("t1", "I live in Oslo.")
    commit(house.services(), SESSION, committed)
    take_in(elsewhere, exported(house))

    assert commit(elsewhere.services(), SESSION, committed).replayed


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"partition": "a", "sort": "1"},
        {"partition": "", "sort": "1", "attributes": {}},
        {"partition": "a", "sort": 1, "attributes": {}},
        {"partition": "keys", "sort": "data#000001", "attributes": {}},
        {"partition": "audit#2026-03-01", "sort": "1", "attributes": {}},
        {"partition": "rates", "sort": "1", "attributes": {}},
        {"partition": "a", "sort": "ptr#1", "attributes": {}},
        {"partition": "a", "sort": "ptr#1", "attributes": {}, "archived": {"session": {}}},
        {"partition": "a", "sort": "ptr#1", "attributes": {}, "archived": {}},
        {"partition": "k", "sort": "1", "attributes": {}, "archived": {"session": {}}},
        {"partition": "k", "sort": "1", "attributes": {"kid": 1}},
        {"partition": "k", "sort": "1", "attributes": {"pk": "other#a"}},
        {"partition": "k", "sort": "1", "attributes": {"x": [1]}},
        {"partition": "k", "sort": "1", "attributes": {"x": 1.5}},
    ],
)
def test_what_is_no_record_is_refused(house: Household, record: Record) -> None:
    with pytest.raises(InvalidArgument, match="bundle"):
        take_in(house, [record])

    assert list(house.inventory.items(ACME)) == []


def test_a_lease_of_the_old_service_does_not_hold_up_the_new_one(house: Household, elsewhere: Household) -> None:
    house.say(session("alone"), ADA, "Ada's.")
    where = Key(session_pk(session("alone")), HEAD)
    house.adapters.table.update(Update(where, set={"lease_owner": "x", "lease_until": 2**50}))

    take_in(elsewhere, exported(house))

    elsewhere.say(session("alone"), ADA, "More.")
    asked = Preparation(current=(message("user", "?"),), user_id=ADA)
    assert prepare(elsewhere.services(), session("alone"), asked).items
