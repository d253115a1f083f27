"""The address of mem0's clients: what they add is learnt and found, under ids that last, and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cairn.services import Services
from cairn.tool.call import Call
from cairn_tools.memory_correct import memory_correct
from cairn_tools.memory_put_documents import memory_put_documents
from cairn_tools.memory_search_documents import memory_search_documents
from support.doubles import FakeClock
from support.mem0 import HERS, Client, client, turns, words


@pytest.fixture
def mem0(services: Services) -> Client:
    return client(services)


def attached(call: Call) -> list[Any]:
    """Return the documents beside Ada's memories."""
    asked = {"project": "mem0", "user_id": "ada", "collection": ["mem0"]}
    return memory_search_documents.execute(asked, call)["documents"]


def test_what_holds_now_is_found_after_two_runs_and_what_held_before_is_gone(mem0: Client, clock: FakeClock) -> None:
    first = mem0.add("My name is Ada. I live in Oslo.", user_id="ada", run_id="monday")
    clock.advance(seconds=60)
    second = mem0.add("I moved to Lisbon.", user_id="ada", run_id="tuesday")

    [found] = mem0.search("Where does she live?", HERS, top_k=1)

    assert {(each["event"], each["memory"]) for each in first} == {("ADD", "home: Oslo"), ("ADD", "name: Ada")}
    [moved] = second
    assert (moved["event"], moved["memory"], moved["previous_memory"]) == ("UPDATE", "home: Lisbon", "home: Oslo")
    assert moved["data"] == {"memory": "home: Lisbon"}
    assert (found["id"], found["memory"]) == (moved["id"], "home: Lisbon")
    assert (found["user_id"], found["run_id"]) == ("ada", "tuesday")
    assert found["score"] > 0.5
    assert sorted(words(mem0.all(HERS))) == ["home: Lisbon", "name: Ada"]


def test_what_a_user_asks_memory_to_forget_is_told_as_deleted(mem0: Client, clock: FakeClock) -> None:
    [liked] = mem0.add("I love jazz.", user_id="ada")
    clock.advance(seconds=1)

    [gone] = mem0.add("Forget that I like jazz.", user_id="ada")

    assert (gone["event"], gone["id"], gone["memory"]) == ("DELETE", liked["id"], "like: jazz")
    assert mem0.all(HERS) == []


def test_a_conversation_is_one_turn_of_which_what_the_user_said_is_learnt(mem0: Client, services: Services) -> None:
    talk = [
        {"role": "system", "content": "You are a gardener."},
        {"role": "user", "content": [{"type": "text", "text": "I live in Oslo."}]},
        {"role": "assistant", "content": "You live in Bergen, and you like figs."},
        {"role": "user", "content": {"type": "text", "text": "My name is Ada."}},
        {"role": "assistant", "content": "Hello, Ada."},
    ]

    learnt = mem0.ok("POST", "/v3/memories/add/", {"messages": talk, "user_id": "ada", "run_id": "r"})["results"]

    assert sorted(words(learnt)) == ["home: Oslo", "name: Ada"]
    assert turns(services, "r") == 1


def test_without_infer_each_message_is_kept_as_it_is_once(mem0: Client) -> None:
    kept = mem0.add("Ada grafts pears.", "Bees swarm in May.", user_id="ada", infer=False)
    again = mem0.add("Ada grafts pears.", user_id="ada", infer=False)

    assert words(kept) == ["Ada grafts pears.", "Bees swarm in May."]
    assert [each["id"] for each in again] == [kept[0]["id"]]
    assert sorted(words(mem0.all(HERS))) == words(kept)
    assert words(mem0.search("Who grafts pears?", HERS, top_k=1)) == ["Ada grafts pears."]


def test_a_message_that_is_too_long_to_keep_is_refused_before_any_is_kept(mem0: Client) -> None:
    messages = [{"role": "user", "content": "Bees swarm."}, {"role": "user", "content": "x" * 2001}]

    refused = mem0.call("POST", "/v3/memories/add/", {"messages": messages, "infer": False, **HERS})

    assert (refused.status, "messages" in refused.detail) == (400, True)
    assert mem0.all(HERS) == []


def test_an_id_leads_to_what_holds_now_through_updates_and_changes_until_it_is_forgotten(
    mem0: Client, clock: FakeClock
) -> None:
    [told] = mem0.add("I live in Oslo.", user_id="ada")
    clock.advance(seconds=60)
    [moved] = mem0.add("I moved to Lisbon.", user_id="ada")
    clock.advance(seconds=60)

    updated = mem0.update(moved["id"], text="Lives in Porto").body

    assert (updated["id"], updated["memory"]) == (moved["id"], "Lives in Porto")
    assert updated == mem0.get(moved["id"]).body
    assert mem0.all(HERS) == [updated]
    assert mem0.get(told["id"]).body["memory"] == "Lives in Porto"
    assert updated["created_at"] < updated["updated_at"]
    events = [(each["event"], each["old_memory"], each["new_memory"]) for each in mem0.history(told["id"])]
    assert events == [
        ("ADD", None, "home: Oslo"),
        ("UPDATE", "home: Oslo", "home: Lisbon"),
        ("UPDATE", "home: Lisbon", "Lives in Porto"),
    ]
    assert mem0.delete(told["id"]).body == {"message": "Memory deleted successfully!"}
    assert [mem0.get(name).status for name in (told["id"], moved["id"])] == [404, 404]
    assert mem0.delete(told["id"]).status == 404
    assert mem0.history(told["id"])[-1]["event"] == "DELETE"


def test_a_memory_kept_as_it_was_said_is_updated_under_its_id_as_well(mem0: Client, clock: FakeClock) -> None:
    [kept] = mem0.add("Ada keeps bees.", user_id="ada", run_id="r", infer=False, metadata={"a": 1})

    for text in ("Ada keeps goats.", "Ada keeps geese."):
        clock.advance(seconds=1)
        updated = mem0.update(kept["id"], text=text).body

    assert (updated["id"], updated["memory"], updated["metadata"]) == (kept["id"], "Ada keeps geese.", {"a": 1})
    assert mem0.all(HERS) == [updated]
    assert updated["run_id"] == "r"
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in mem0.history(kept["id"])] == [
        ("ADD", None, "Ada keeps bees."),
        ("UPDATE", "Ada keeps bees.", "Ada keeps goats."),
        ("UPDATE", "Ada keeps goats.", "Ada keeps geese."),
    ]


def test_metadata_is_told_follows_updates_and_goes_with_the_memory(mem0: Client, call: Call) -> None:
    metadata = {"some_key": {"deep": [1, None, "ö"]}, "tag": "x"}
    [told] = mem0.add("I live in Oslo.", user_id="ada", metadata=metadata, agent_id="planner", app_id="desk")

    [listed] = mem0.all(HERS)
    assert (told["metadata"], listed["metadata"]) == (metadata, metadata)
    assert (listed["agent_id"], listed["app_id"]) == ("planner", "desk")
    moved = mem0.update(told["id"], text="Lives in Porto").body
    assert (moved["metadata"], moved["agent_id"]) == (metadata, "planner")
    assert mem0.update(told["id"], metadata={"tag": "y"}).body["metadata"] == {"tag": "y"}
    assert mem0.search("Where does she live?", HERS)[0]["metadata"] == {"tag": "y"}
    assert len(attached(call)) == 1

    mem0.delete(told["id"])

    assert attached(call) == []


def test_metadata_is_told_of_many_memories_whose_documents_are_more_than_one_answer(mem0: Client, call: Call) -> None:
    kept = mem0.add(*(f"Bed {number} is full." for number in range(6)), infer=False, **HERS)
    for each in kept:  # larger than this door takes: another program's
        document = {"collection": ["mem0"], "key": each["id"].partition(".")[0]}
        value = {"metadata": {"id": each["id"], "more": "x" * 900_000}}
        asked = {"project": "mem0", **HERS, "documents": [{**document, "value": value, "index": False}]}
        memory_put_documents.execute(asked, call)

    found = mem0.all({**HERS, "metadata": {"id": "*"}}, fields=["id"])

    assert sorted(each["id"] for each in found) == sorted(each["id"] for each in kept)


def test_metadata_is_of_what_was_said_and_not_of_what_took_its_place(mem0: Client, clock: FakeClock) -> None:
    mem0.add("I live in Oslo.", metadata={"a": 1}, **HERS)
    clock.advance(seconds=1)
    [moved] = mem0.add("I moved to Lisbon.", **HERS)

    assert mem0.get(moved["id"]).body["metadata"] == mem0.all(HERS)[0]["metadata"] == {}


def test_metadata_that_a_correction_has_not_taken_along_is_found_and_taken_by_the_next_update(
    mem0: Client, call: Call
) -> None:
    [told] = mem0.add("I live in Oslo.", metadata={"a": 1}, **HERS)
    asked = {"project": "mem0", "user_id": "ada", "memory_id": told["id"].partition(".")[0], "content": "Porto"}
    memory_correct.execute(asked, call)

    assert mem0.get(told["id"]).body["metadata"] == {"a": 1}
    assert mem0.update(told["id"], text="Lives in Rome").body["metadata"] == mem0.all(HERS)[0]["metadata"] == {"a": 1}
    mem0.delete(told["id"])
    assert attached(call) == []


def test_all_that_is_known_of_a_user_is_deleted_and_what_was_said_stays(
    mem0: Client, services: Services, call: Call
) -> None:
    mem0.add("My name is Ada. I live in Oslo.", user_id="ada", run_id="r", metadata={"a": 1})
    mem0.add("Bees swarm.", infer=False, **HERS)
    mem0.add("I live in Rome.", user_id="eve")

    assert mem0.ok("DELETE", "/v1/memories/", **HERS) == {"message": "Memories deleted successfully!"}

    assert mem0.all(HERS) == []
    assert mem0.search("Where does she live?", HERS) == []
    assert words(mem0.all({"user_id": "eve"})) == ["home: Rome"]
    assert attached(call) == []
    assert turns(services, "r") == 1


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ({"user_id": "ada", "run_id": "r"}, {"kale", "pears", "plums"}),
        ({"user_id": "ada", "agent_id": "planner"}, {"figs", "pears", "plums"}),
        ({"user_id": "ada", "filters": json.dumps({"metadata": {"tag": "x"}})}, {"figs", "kale", "plums"}),
        ({"filters": str({"user_id": "ada", "run_id": "r"})}, {"kale", "pears", "plums"}),
        ({"filters": str({"OR": [{"user_id": "ada", "run_id": "r"}, {"user_id": "eve"}]})}, {"kale", "pears"}),
        ({"user_id": "ada", "app_id": "none"}, {"figs", "kale", "pears", "plums"}),
    ],
    ids=str,
)
def test_only_memories_that_match_all_that_is_named_are_deleted(
    mem0: Client, query: dict[str, Any], left: set[str]
) -> None:
    mem0.add("We grow figs.", infer=False, run_id="r", **HERS)
    mem0.add("We grow kale.", infer=False, agent_id="planner", **HERS)
    mem0.add("We grow pears.", infer=False, metadata={"tag": "x"}, **HERS)
    mem0.add("We grow plums.", infer=False, user_id="eve")

    mem0.ok("DELETE", "/v1/memories/", **query)

    assert {*words(mem0.all(HERS)), *words(mem0.all({"user_id": "eve"}))} == {f"We grow {each}." for each in left}


def test_users_agents_apps_and_runs_are_listed_until_all_of_theirs_is_deleted(mem0: Client) -> None:
    for of in ({"user_id": "ada"}, {"agent_id": "planner"}, {"app_id": "desk"}, {"run_id": "r"}):
        mem0.add("We grow figs.", "We grow kale.", infer=False, **of)

    listed = mem0.ok("GET", "/v1/entities/")
    assert {(each["type"], each["name"], each["total_memories"]) for each in listed["results"]} == {
        *(("user", "ada", 2), ("agent", "planner", 2), ("app", "desk", 2), ("run", "r", 2)),
    }
    assert listed["count"] == 4
    for each in listed["results"]:
        mem0.ok("DELETE", f"/v2/entities/{each['type']}/{each['name']}/")
    assert mem0.ok("GET", "/v1/entities/") == {"count": 0, "next": None, "previous": None, "results": []}
    assert mem0.call("DELETE", "/v2/entities/user/ada/").status == 404
    assert mem0.call("DELETE", "/v2/entities/dog/ada/").status == 400


def test_entities_are_listed_by_the_page(mem0: Client) -> None:
    for number in range(3):
        mem0.add("We grow figs.", infer=False, user_id=f"user-{number}")

    pages = [mem0.ok("GET", f"/v1/entities/?page={page}&page_size=2") for page in (1, 2)]

    assert [[each["name"] for each in page["results"]] for page in pages] == [["user-0", "user-1"], ["user-2"]]
    assert [page["next"] for page in pages] == ["/v1/entities/?page=2&page_size=2", None]


def test_a_batch_changes_nothing_where_one_of_it_is_not_there(mem0: Client) -> None:
    first, second = mem0.add("We grow figs.", "We grow kale.", infer=False, **HERS)

    def named(*names: str, **new: str) -> dict[str, Any]:
        return {"memories": [{"memory_id": name, **new} for name in names]}

    assert mem0.call("PUT", "/v1/batch/", named(first["id"], "nope", text="x")).status == 404
    assert mem0.call("DELETE", "/v1/batch/", named(first["id"], "nope")).status == 404
    assert words(mem0.all(HERS)) == ["We grow kale.", "We grow figs."]
    mem0.ok("PUT", "/v1/batch/", named(first["id"], text="We grow pears."))
    assert mem0.get(first["id"]).body["memory"] == "We grow pears."
    answer = mem0.ok("DELETE", "/v1/batch/", named(first["id"], second["id"]))
    assert (answer, mem0.all(HERS)) == ({"message": "Successfully deleted 2 memories"}, [])


def test_the_same_call_under_one_key_of_its_own_is_stored_once(
    mem0: Client, services: Services, clock: FakeClock
) -> None:
    told = Client(mem0.key, {"idempotency-key": "call-1"})

    first = told.add("I live in Oslo.", run_id="r", metadata={"a": 1}, **HERS)
    clock.advance(seconds=5)

    assert told.add("I live in Oslo.", run_id="r", metadata={"a": 1}, **HERS) == first
    assert turns(services, "r") == 1
    mem0.add("I grow beans.", run_id="r", **HERS)
    assert told.add("I live in Oslo.", run_id="r", metadata={"a": 1}, **HERS) == first
    assert turns(services, "r") == 2
    assert (
        told.call(
            "POST", "/v3/memories/add/", {"messages": [{"role": "user", "content": "No."}], "run_id": "r", **HERS}
        ).status
        == 409
    )


def test_who_repeats_an_add_without_such_a_key_learns_nothing_twice(mem0: Client) -> None:
    assert words(mem0.add("I live in Oslo.", **HERS)) == ["home: Oslo"]
    assert mem0.add("I live in Oslo.", **HERS) == []
    assert words(mem0.all(HERS)) == ["home: Oslo"]
