"""AgentCore's memory records through AWS's own client: what memory learnt, and what clients make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from cairn.access.api_keys import Grant, IssuedKey
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from support.agentcore import MEMORY, Gateway, client, signing_at
from support.doubles import FakeClock

ACME = Tenant("acme")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADA = "user/ada:1"


@pytest.fixture(autouse=True)
def _signed_by_the_clock(clock: FakeClock) -> Iterator[None]:
    with signing_at(clock):
        yield


@pytest.fixture
def issued(services: Services) -> IssuedKey:
    return services.credentials.create(ACME, Grant(), derived=True)


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture
def agentcore(issued: IssuedKey, gateway: Gateway) -> Any:
    return client(issued, gateway)


@pytest.fixture
def told(agentcore: Any) -> Any:
    """Return the client once two users have said where they live."""
    for actor, home in ((ADA, "Oslo"), ("bob", "Bergen")):
        text = {"role": "USER", "content": {"text": f"I live in {home}. The beans grow in the north bed."}}
        payload = [{"conversational": text}]
        agentcore.create_event(memoryId=MEMORY, actorId=actor, sessionId="monday", eventTimestamp=NOW, payload=payload)
    return agentcore


def retrieved(agentcore: Any, query: str, **where: Any) -> list[dict[str, Any]]:
    top = where.pop("top", 10)
    filters = where.pop("filters", None)
    criteria = {"searchQuery": query, "topK": top} | ({"metadataFilters": filters} if filters else {})
    return agentcore.retrieve_memory_records(memoryId=MEMORY, searchCriteria=criteria, **where)["memoryRecordSummaries"]


def texts(records: list[dict[str, Any]]) -> list[str]:
    return [each["content"]["text"] for each in records]


def made(agentcore: Any, *records: tuple[str, str], **more: Any) -> list[str]:
    """Make records of these namespaces and texts, and return their ids."""
    metadata = more.pop("metadata", {})
    asked = [
        {
            "requestIdentifier": f"r{number}",
            "namespaces": [namespace],
            "content": {"text": text},
            "timestamp": NOW,
            **({"metadata": metadata} if metadata else {}),
        }
        for number, (namespace, text) in enumerate(records)
    ]
    answer = agentcore.batch_create_memory_records(memoryId=MEMORY, records=asked, **more)
    assert answer["failedRecords"] == []
    assert [each["status"] for each in answer["successfulRecords"]] == ["SUCCEEDED"] * len(records)
    return [each["memoryRecordId"] for each in answer["successfulRecords"]]


def one(agentcore: Any, record_id: str) -> dict[str, Any]:
    return agentcore.get_memory_record(memoryId=MEMORY, memoryRecordId=record_id)["memoryRecord"]


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as refused:
        call()
    said: Any = refused.value.response
    return said["Error"]["Code"]


@pytest.mark.req("R315")
@pytest.mark.parametrize(
    "where",
    [
        {"namespace": f"/facts/{ADA}"},
        {"namespace": f"facts/{ADA}/"},
        {"namespacePath": f"/preferences/{ADA}"},
        {"namespace": f"/strategies/semantic-1/actors/{ADA}"},
        {"namespace": f"/users/{ADA}/facts"},
        {"namespace": f"/summaries/{ADA}/monday"},
        {"namespacePath": f"/strategies/s/actors/{ADA}/sessions/monday/"},
    ],
)
def test_what_a_user_said_is_found_in_the_namespaces_of_that_user_alone(told: Any, where: dict[str, str]) -> None:
    found = retrieved(told, "Where do I live?", **where)

    assert any("Oslo" in each for each in texts(found))
    assert not any("Bergen" in each for each in texts(found))
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)
    assert {each["namespaces"][0] for each in found} == set(where.values())
    assert len(retrieved(told, "Where do I live?", top=1, **where)) == 1


@pytest.mark.parametrize("namespace", [f"/summaries/{ADA}/tuesday", "/facts/eve", "/facts", "/", "/other/place"])
def test_other_namespaces_hold_nothing_that_was_said(told: Any, namespace: str) -> None:
    assert retrieved(told, "Where do I live?", namespace=namespace) == []


def test_of_a_long_question_as_much_counts_as_memory_takes(told: Any) -> None:
    made(told, (f"/facts/{ADA}", "The shed is red."))

    found = retrieved(told, "Where do I live? " + "\N{GREEK SMALL LETTER OMEGA}" * 9_900, namespace=f"/facts/{ADA}")

    assert any("Oslo" in each for each in texts(found))


def test_each_record_that_is_found_can_be_read_by_its_id(told: Any) -> None:
    found = retrieved(told, "Where do I live?", namespace=f"/facts/{ADA}")

    assert len(found) >= 2
    for each in found:
        assert 40 <= len(each["memoryRecordId"]) <= 50
        again = one(told, each["memoryRecordId"])
        assert (again["content"], again["createdAt"]) == (each["content"], each["createdAt"])


def test_what_was_learnt_is_listed_and_forgotten(told: Any) -> None:
    listed = partial(told.list_memory_records, memoryId=MEMORY, namespace=f"/facts/{ADA}")
    (fact,) = listed()["memoryRecordSummaries"]
    assert fact["content"] == {"text": "home: Oslo"}

    told.delete_memory_record(memoryId=MEMORY, memoryRecordId=fact["memoryRecordId"])

    assert listed()["memoryRecordSummaries"] == []
    assert refusal(lambda: one(told, fact["memoryRecordId"])) == "ResourceNotFoundException"
    assert told.list_memory_records(memoryId=MEMORY, namespace="/facts/bob")["memoryRecordSummaries"]


def test_words_in_an_event_are_deleted_with_the_event_alone(told: Any) -> None:
    found = retrieved(told, "Where do I live?", namespace=f"/summaries/{ADA}/monday")
    said = next(each for each in found if "beans" in each["content"]["text"])

    assert (
        refusal(lambda: told.delete_memory_record(memoryId=MEMORY, memoryRecordId=said["memoryRecordId"]))
        == "ValidationException"
    )


def test_a_client_s_record_is_kept_found_and_told(agentcore: Any) -> None:
    metadata = {"kind": {"stringValue": "note"}, "rows": {"numberValue": 3.0}, "at": {"dateTimeValue": NOW}}
    first, second = made(
        agentcore, (f"/facts/{ADA}", "The shed is red."), ("/team/garden", "Water on Mondays."), metadata=metadata
    )

    told = one(agentcore, first)

    assert told["content"] == {"text": "The shed is red."}
    assert told["namespaces"] == [f"/facts/{ADA}"]
    assert (told["createdAt"], told["metadata"]["kind"]) == (NOW, {"stringValue": "note"})
    assert [
        each["memoryRecordId"] for each in retrieved(agentcore, "Colour of the shed?", namespace=f"/facts/{ADA}")
    ] == [first]
    assert texts(retrieved(agentcore, "When to water?", namespacePath="/team")) == ["Water on Mondays."]
    assert retrieved(agentcore, "When to water?", namespace="/team") == []
    assert one(agentcore, second)["namespaces"] == ["/team/garden"]


def test_a_batch_that_comes_again_with_its_token_makes_nothing_twice(agentcore: Any) -> None:
    records = [("/team/garden", f"Note {number}.") for number in range(3)]

    first = made(agentcore, *records, clientToken="once")

    assert made(agentcore, *records, clientToken="once") == first
    assert len(set(first)) == 3
    again = agentcore.list_memory_records(memoryId=MEMORY, namespace="/team/garden")["memoryRecordSummaries"]
    assert sorted(each["memoryRecordId"] for each in again) == sorted(first)
    assert set(made(agentcore, *records)).isdisjoint(first)


def test_a_record_that_was_deleted_is_not_made_again_by_the_call_that_made_it(agentcore: Any, gateway: Gateway) -> None:
    (record,) = made(agentcore, ("/team/garden", "Water on Mondays."))
    making = gateway.sent[-1]
    agentcore.delete_memory_record(memoryId=MEMORY, memoryRecordId=record)

    gateway.answer(making)

    assert refusal(lambda: one(agentcore, record)) == "ResourceNotFoundException"
    assert retrieved(agentcore, "When to water?", namespace="/team/garden") == []


def test_a_record_is_changed_and_moved_and_never_to_what_it_was_before(agentcore: Any, gateway: Gateway) -> None:
    (record,) = made(agentcore, (f"/facts/{ADA}", "The shed is red."))

    def change(**told: Any) -> dict[str, Any]:
        changed = [{"memoryRecordId": record, **told}]
        return agentcore.batch_update_memory_records(memoryId=MEMORY, records=changed)

    assert change(timestamp=NOW + timedelta(hours=1), content={"text": "The shed is green."})["failedRecords"] == []
    earlier = gateway.sent[-1]
    later = NOW + timedelta(hours=2)
    assert change(timestamp=later, content={"text": "The shed is blue."}, namespaces=["/facts/bob"])[
        "successfulRecords"
    ]
    gateway.answer(earlier)

    assert (one(agentcore, record)["content"], one(agentcore, record)["namespaces"]) == (
        {"text": "The shed is blue."},
        ["/facts/bob"],
    )
    assert retrieved(agentcore, "What colour is the shed?", namespace=f"/facts/{ADA}") == []
    assert texts(retrieved(agentcore, "What colour is the shed?", namespace="/facts/bob")) == ["The shed is blue."]


@pytest.mark.parametrize("days", [365, None])
def test_a_changed_record_is_found_by_its_id_for_as_long_as_it_is_kept(
    agentcore: Any, clock: FakeClock, days: int | None
) -> None:
    (record,) = made(
        agentcore, ("/team/garden", "Water on Mondays."), recordExpirySpecification={"recordExpiryDurationDays": 31}
    )
    changed = [{"memoryRecordId": record, "timestamp": NOW, "content": {"text": "Water on Fridays."}}]
    expiry = {} if days is None else {"recordExpirySpecification": {"recordExpiryDurationDays": days}}
    agentcore.batch_update_memory_records(memoryId=MEMORY, records=changed, **expiry)

    clock.advance(days=40)

    assert one(agentcore, record)["content"] == {"text": "Water on Fridays."}


def test_a_batch_deletes_what_is_there_and_tells_what_is_not(agentcore: Any) -> None:
    (record,) = made(agentcore, ("/team/garden", "Water on Mondays."))
    absent = "mem-" + "0" * 36

    answer = agentcore.batch_delete_memory_records(
        memoryId=MEMORY, records=[{"memoryRecordId": each} for each in (record, absent)]
    )

    assert [each["memoryRecordId"] for each in answer["successfulRecords"]] == [record]
    assert [(each["memoryRecordId"], each["errorCode"]) for each in answer["failedRecords"]] == [(absent, 404)]


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("EQUALS_TO", {"stringValue": "a"}, True),
        ("EQUALS_TO", {"stringValue": "b"}, False),
        ("EXISTS", None, True),
        ("NOT_EXISTS", None, False),
        ("CONTAINS", {"stringValue": "a"}, True),
    ],
)
def test_a_filter_holds_records_to_their_metadata(
    agentcore: Any, operator: str, value: dict[str, str] | None, *, expected: bool
) -> None:
    made(agentcore, ("/team/garden", "Water on Mondays."), metadata={"kind": {"stringValue": "a"}})
    wanted: dict[str, Any] = {"left": {"metadataKey": "kind"}, "operator": operator}
    if value is not None:
        wanted["right"] = {"metadataValue": value}

    found = retrieved(agentcore, "When to water?", namespace="/team/garden", filters=[wanted])

    assert bool(found) is expected


def test_records_come_by_the_page(told: Any) -> None:
    made(told, *((f"/facts/{ADA}", f"Note {number}.") for number in range(5)))

    pages = told.get_paginator("list_memory_records").paginate(
        memoryId=MEMORY, namespace=f"/facts/{ADA}", PaginationConfig={"PageSize": 2}
    )

    sizes = [page["memoryRecordSummaries"] for page in pages]
    assert [len(page) for page in sizes] == [2, 2, 2]
    assert sorted(text for page in sizes for text in texts(page)) == [
        "Note 0.",
        "Note 1.",
        "Note 2.",
        "Note 3.",
        "Note 4.",
        "home: Oslo",
    ]


def test_what_is_found_comes_by_the_page_up_to_as_much_as_is_asked_for(told: Any) -> None:
    criteria = {"searchQuery": "Where do I live?", "topK": 2}
    place = {"memoryId": MEMORY, "namespace": f"/facts/{ADA}", "searchCriteria": criteria}

    pages = told.get_paginator("retrieve_memory_records").paginate(**place, PaginationConfig={"PageSize": 1})

    found = [page["memoryRecordSummaries"] for page in pages]
    assert [len(page) for page in found] == [1, 1]
    assert [each for page in found for each in page] == retrieved(
        told, "Where do I live?", namespace=f"/facts/{ADA}", top=2
    )


@pytest.mark.parametrize("where", [{}, {"namespace": "/a", "namespacePath": "/a"}])
def test_exactly_one_of_namespace_and_path_is_named(agentcore: Any, where: dict[str, str]) -> None:
    assert refusal(lambda: retrieved(agentcore, "What?", **where)) == "ValidationException"


def test_a_bound_key_finds_and_makes_its_own_user_s_records_alone(
    services: Services, told: Any, gateway: Gateway
) -> None:
    bound = client(services.credentials.create(ACME, Grant(users=(UserId("bob"),)), derived=True), gateway)

    assert any("Bergen" in each for each in texts(retrieved(bound, "Where do I live?", namespace="/facts/bob")))
    assert refusal(lambda: retrieved(bound, "Where?", namespace=f"/facts/{ADA}")) == "AccessDeniedException"
    (adas,) = told.list_memory_records(memoryId=MEMORY, namespace=f"/facts/{ADA}")["memoryRecordSummaries"]
    assert refusal(lambda: one(bound, adas["memoryRecordId"])) == "ResourceNotFoundException"
    (own,) = made(bound, ("/team/garden", "Bob waters."))
    assert one(bound, own)["content"] == {"text": "Bob waters."}
    assert retrieved(told, "Who waters?", namespace="/team/garden") == []


def test_a_key_of_two_users_keeps_records_for_each_and_for_nobody_else(services: Services, gateway: Gateway) -> None:
    grant = Grant(users=(UserId("bob"), UserId("eve")))
    both = client(services.credentials.create(ACME, grant, derived=True), gateway)
    eves = client(services.credentials.create(ACME, Grant(users=(UserId("eve"),)), derived=True), gateway)
    payload = [{"conversational": {"role": "USER", "content": {"text": "I live in Bergen."}}}]
    both.create_event(memoryId=MEMORY, actorId="eve", sessionId="monday", eventTimestamp=NOW, payload=payload)

    of_eve, of_both = made(both, ("/facts/eve", "The shed is red."), ("/team/garden", "Water on Mondays."))

    assert [one(both, each)["content"]["text"] for each in (of_eve, of_both)] == [
        "The shed is red.",
        "Water on Mondays.",
    ]
    assert texts(retrieved(eves, "What colour is the shed?", namespace="/facts/eve")) == ["The shed is red."]
    assert "home: Bergen" in texts(retrieved(eves, "Where do I live?", namespace="/facts/eve"))
    assert [each["actorId"] for each in both.list_actors(memoryId=MEMORY)["actorSummaries"]] == ["eve"]
    record = {
        "requestIdentifier": "r",
        "namespaces": ["/facts/ada"],
        "content": {"text": "The shed is blue."},
        "timestamp": NOW,
    }
    (failed,) = both.batch_create_memory_records(memoryId=MEMORY, records=[record])["failedRecords"]
    assert failed["errorCode"] == 403
