"""AgentCore's events through AWS's own client: kept once, told newest first, learnt from, deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from cairn.access.api_keys import Grant, IssuedKey
from cairn.ground.codec import base64url
from cairn.ground.errors import ResourceBusy
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn.turns import after_turn
from cairn_agentcore.names import session_of
from cairn_tools.catalog import CATALOG
from support.agentcore import MEMORY, Gateway, client, signing_at
from support.doubles import FakeClock

ACME = Tenant("acme")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADA = "user%2Fada:1"
ACTOR = {"memoryId": MEMORY, "actorId": "user/ada:1"}
MONDAY = {**ACTOR, "sessionId": "monday"}


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
def ask(services: Services, call: Call) -> Callable[..., dict[str, Any]]:
    """Return a function that asks one of Cairn's own tools about the project that the memory is."""
    assert services

    def ask(tool: str, **arguments: object) -> dict[str, Any]:
        return execute(CATALOG, tool, {"project": MEMORY, **arguments}, call)

    return ask


def said(role: str, text: str) -> dict[str, Any]:
    return {"conversational": {"role": role, "content": {"text": text}}}


def kept(agentcore: Any, *payload: dict[str, Any], **more: Any) -> dict[str, Any]:
    return agentcore.create_event(**{**MONDAY, "eventTimestamp": NOW, "payload": list(payload), **more})["event"]


def listed(agentcore: Any, **more: Any) -> list[dict[str, Any]]:
    return agentcore.list_events(**{**MONDAY, **more})["events"]


def refusal(call: Callable[[], Any]) -> dict[str, Any]:
    with pytest.raises(ClientError) as refused:
        call()
    said: Any = refused.value.response
    return {"status": said["ResponseMetadata"]["HTTPStatusCode"], "code": said["Error"]["Code"], **said}


@pytest.mark.req("R315")
def test_an_event_is_told_as_it_was_kept(agentcore: Any) -> None:
    payload = [said("USER", "I live in Oslo."), {"blob": {"state": [1, None, "ö"]}}, {"json": {"content": [True]}}]
    more = {"metadata": {"topic": {"stringValue": "homes"}}, "branch": {"name": "main"}}

    event = kept(agentcore, *payload, **more)

    assert event == {**MONDAY, "eventId": event["eventId"], "eventTimestamp": NOW, "payload": payload, **more}
    assert agentcore.get_event(**MONDAY, eventId=event["eventId"])["event"] == event
    assert listed(agentcore) == [event]
    assert listed(agentcore, includePayloads=False) == [{**event, "payload": []}]


@pytest.mark.req("R315")
def test_a_token_that_comes_again_answers_the_event_of_the_first_time(agentcore: Any) -> None:
    first = kept(agentcore, said("USER", "I live in Oslo."), clientToken="once")
    kept(agentcore, {"blob": "between"})

    assert kept(agentcore, said("USER", "I live in Oslo."), clientToken="once") == first
    assert len(listed(agentcore)) == 2
    other = refusal(lambda: kept(agentcore, said("USER", "I live in Bergen."), clientToken="once"))
    assert (other["status"], other["code"]) == (400, "ValidationException")
    assert other["reason"] == "IdempotentParameterMismatchException"


def test_a_token_that_comes_again_with_another_time_answers_the_event_of_the_first_time(agentcore: Any) -> None:
    first = kept(agentcore, said("USER", "I live in Oslo."), clientToken="once")
    for number in range(300):
        kept(agentcore, {"blob": number})

    again = kept(agentcore, said("USER", "I live in Oslo."), clientToken="once", eventTimestamp=NOW.replace(hour=13))

    assert again == first
    assert sum(len(page["events"]) for page in agentcore.get_paginator("list_events").paginate(**MONDAY)) == 301


def test_sessions_of_two_actors_are_two_sessions_whatever_their_names(
    services: Services, agentcore: Any, gateway: Gateway, ask: Callable[..., dict[str, Any]]
) -> None:
    keys = [services.credentials.create(ACME, Grant(users=(UserId(each),)), derived=True) for each in ("bob", "eve")]
    for key, home in zip(keys, ("Oslo", "Bergen"), strict=True):
        who = {"Oslo": "bob", "Bergen": "eve"}[home]
        kept(client(key, gateway), said("USER", f"I live in {home}."), actorId=who)
    kept(agentcore, said("USER", "I live in Rome."))

    for who, home in (("bob", "Oslo"), ("eve", "Bergen"), (ADA, "Rome")):
        facts = ask("memory_list_known", user_id=who)["facts"]
        assert [each["value"] for each in facts] == [home]
    assert len(listed(agentcore, actorId="bob")) == 1


def test_a_session_that_the_caller_leaves_out_is_named_and_the_same_for_the_same_token(agentcore: Any) -> None:
    make = partial(agentcore.create_event, **ACTOR, eventTimestamp=NOW, payload=[{"blob": 1}], clientToken="once")

    first = make()["event"]

    assert make()["event"] == first
    assert agentcore.list_events(**ACTOR, sessionId=first["sessionId"])["events"] == [first]


def test_a_request_without_a_token_is_known_again_by_its_signature(agentcore: Any, gateway: Gateway) -> None:
    def leave_out(params: dict[str, Any], **_: Any) -> None:
        params["body"] = params["body"].replace(b'"clientToken"', b'"other"')

    agentcore.meta.events.register("before-call", leave_out)
    kept(agentcore, {"blob": 1})

    answers = [gateway.answer(gateway.sent[-1])["body"] for _ in range(2)]

    assert answers == [gateway.answers[0]["body"]] * 2
    assert len(listed(agentcore)) == 1
    kept(agentcore, {"blob": 1}, eventTimestamp=NOW.replace(minute=1))
    assert len(listed(agentcore)) == 2


@pytest.mark.parametrize(
    "text",
    ["I live in Oslo.", '{"message": {"role": "user", "content": [{"text": "I live in Oslo."}]}, "message_id": 0}'],
)
def test_what_a_user_said_is_learnt_and_found_by_cairn_s_own_tools(
    agentcore: Any, ask: Callable[..., dict[str, Any]], text: str
) -> None:
    kept(agentcore, said("USER", text), said("ASSISTANT", "Noted."), said("TOOL", "I live in Rome."))
    kept(agentcore, {"blob": "I live in Paris."}, {"json": {"content": "I live in Paris."}})

    facts = ask("memory_list_known", user_id=ADA)["facts"]

    assert [(each["about"], each["value"]) for each in facts] == [("home", "Oslo")]
    items = ask("memory_list_items", session_id=session_of(ADA, "monday"))["items"]
    assert [each["item"]["role"] for each in items] == ["user", "assistant"]


def test_what_shall_not_be_extracted_is_kept_and_not_learnt(agentcore: Any, ask: Callable[..., dict[str, Any]]) -> None:
    kept(agentcore, said("USER", "I live in Oslo."), extractionMode="SKIP")

    assert len(listed(agentcore)) == 1
    assert ask("memory_list_known", user_id=ADA)["facts"] == []


def test_several_turns_of_one_event_are_turns_in_their_order(
    agentcore: Any, ask: Callable[..., dict[str, Any]]
) -> None:
    event = kept(
        agentcore, said("USER", "I live in Oslo."), said("ASSISTANT", "Nice."), said("USER", "I moved to Bergen.")
    )

    items = ask("memory_list_items", session_id=session_of(ADA, "monday"))["items"]
    assert [each["turn_id"] for each in items] == [f"{event['eventId']}-{number}" for number in (0, 0, 1)]
    facts = ask("memory_list_known", user_id=ADA)["facts"]
    assert [each["value"] for each in facts] == ["Bergen"]


def test_a_turn_that_could_not_be_stored_is_stored_by_the_call_that_comes_again(
    agentcore: Any, ask: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise ResourceBusy("Another holds the session")

    with monkeypatch.context() as patch:
        patch.setattr(after_turn, "commit", busy)
        refused = refusal(lambda: kept(agentcore, said("USER", "I live in Oslo."), clientToken="once"))
    assert (refused["status"], refused["code"]) == (409, "RetryableConflictException")

    kept(agentcore, said("USER", "I live in Oslo."), clientToken="once")

    assert len(listed(agentcore)) == 1
    assert len(ask("memory_list_known", user_id=ADA)["facts"]) == 1


def test_events_come_newest_first_by_the_page(agentcore: Any) -> None:
    made = [kept(agentcore, {"blob": number}) for number in range(7)]

    pages = [page["events"] for page in agentcore.get_paginator("list_events").paginate(**MONDAY, maxResults=3)]

    assert [len(page) for page in pages] == [3, 3, 1]
    assert [event for page in pages for event in page] == made[::-1]


@pytest.mark.parametrize(
    ("operator", "value", "found"),
    [
        ("EQUALS_TO", "a", [0, 3]),
        ("EQUALS_TO", "none", []),
        ("EXISTS", None, [0, 1, 3, 4]),
        ("NOT_EXISTS", None, [2, 5]),
    ],
)
def test_a_filter_reads_on_until_a_page_is_full(
    agentcore: Any, operator: str, value: str | None, found: list[int]
) -> None:
    for number in range(6):
        metadata = {} if number % 3 == 2 else {"metadata": {"kind": {"stringValue": "abc"[number % 3]}}}
        kept(agentcore, {"blob": number}, **metadata)
    wanted: dict[str, Any] = {"left": {"metadataKey": "kind"}, "operator": operator}
    if value is not None:
        wanted["right"] = {"metadataValue": {"stringValue": value}}

    pages = agentcore.get_paginator("list_events").paginate(**MONDAY, filter={"eventMetadata": [wanted]}, maxResults=1)

    assert [event["payload"][0]["blob"] for page in pages for event in page["events"]] == found[::-1]


def test_a_branch_is_listed_alone_or_with_what_it_left_up_to_its_root(agentcore: Any) -> None:
    root = [kept(agentcore, {"blob": number}) for number in range(3)][1]
    kept(agentcore, {"blob": "b0"}, branch={"name": "b", "rootEventId": root["eventId"]})
    kept(agentcore, {"blob": "main again"})
    leaf = kept(agentcore, {"blob": "b1"}, branch={"name": "b"})
    kept(agentcore, {"blob": "b2"}, branch={"name": "b"})
    kept(agentcore, {"blob": "c0"}, branch={"name": "c", "rootEventId": leaf["eventId"]})

    def blobs(size: int, **branch: Any) -> list[Any]:
        pages = agentcore.get_paginator("list_events").paginate(**MONDAY, filter={"branch": branch}, maxResults=size)
        return [event["payload"][0]["blob"] for page in pages for event in page["events"]]

    for size in (1, 100):
        assert blobs(size, name="b") == ["b2", "b1", "b0"]
        assert blobs(size, name="main") == ["main again", 2, 1, 0]
        assert blobs(size, name="b", includeParentBranches=True) == ["b2", "b1", "b0", 1, 0]
        assert blobs(size, name="c", includeParentBranches=True) == ["c0", "b1", "b0", 1, 0]


@pytest.mark.parametrize("told", ["", "[]", "[1, 2, 3]", "[1e999, [], []]", "[null, [], []]", "[" * 2000, "\u00e9"])
def test_a_token_that_no_answer_gave_is_refused(agentcore: Any, told: str) -> None:
    token = base64url(told.encode())

    refused = refusal(lambda: agentcore.list_events(**MONDAY, nextToken=token))

    assert (refused["status"], [each["name"] for each in refused["fieldList"]]) == (400, ["nextToken"])


def test_sessions_and_actors_are_those_that_have_events(agentcore: Any) -> None:
    for actor, session in [("ada", "s1"), ("ada", "s2"), ("bob/1", "s1")]:
        kept(agentcore, {"blob": 1}, actorId=actor, sessionId=session)
    gone = kept(agentcore, {"blob": 1}, actorId="ada", sessionId="s3")
    agentcore.delete_event(memoryId=MEMORY, actorId="ada", sessionId="s3", eventId=gone["eventId"])

    def sessions(**more: Any) -> list[str]:
        pages = agentcore.get_paginator("list_sessions").paginate(memoryId=MEMORY, actorId="ada", **more)
        return [each["sessionId"] for page in pages for each in page["sessionSummaries"]]

    pages = agentcore.get_paginator("list_actors").paginate(memoryId=MEMORY, maxResults=1)
    assert [each["actorId"] for page in pages for each in page["actorSummaries"]] == ["ada", "bob/1"]
    assert sessions(maxResults=1) == ["s1", "s2", "s3"]
    assert sessions(filter={"eventFilter": "HAS_EVENTS"}) == ["s1", "s2"]


def test_a_deleted_event_is_gone_with_what_the_newest_turn_taught(
    agentcore: Any, ask: Callable[..., dict[str, Any]]
) -> None:
    first = kept(agentcore, said("USER", "I live in Oslo."))
    second = kept(agentcore, said("USER", "My name is Ada."))

    def known() -> list[str]:
        return sorted(each["value"] for each in ask("memory_list_known", user_id=ADA)["facts"])

    assert agentcore.delete_event(**MONDAY, eventId=second["eventId"])["eventId"] == second["eventId"]
    assert known() == ["Oslo"]
    agentcore.delete_event(**MONDAY, eventId=first["eventId"])
    assert known() == []
    assert listed(agentcore) == []


def test_a_deleted_event_does_not_come_again_by_the_call_that_made_it(
    agentcore: Any, gateway: Gateway, ask: Callable[..., dict[str, Any]]
) -> None:
    event = kept(agentcore, said("USER", "I live in Oslo."))
    making = gateway.sent[-1]
    agentcore.delete_event(**MONDAY, eventId=event["eventId"])

    gateway.answer(making)

    assert listed(agentcore) == []
    assert ask("memory_list_known", user_id=ADA)["facts"] == []


def test_what_an_older_event_taught_stays_when_it_is_deleted(
    agentcore: Any, ask: Callable[..., dict[str, Any]]
) -> None:
    first = kept(agentcore, said("USER", "I live in Oslo."))
    second = kept(agentcore, said("USER", "My name is Ada."))

    agentcore.delete_event(**MONDAY, eventId=first["eventId"])

    assert listed(agentcore) == [second]
    facts = ask("memory_list_known", user_id=ADA)["facts"]
    assert sorted(each["value"] for each in facts) == ["Ada", "Oslo"]


@pytest.mark.parametrize(
    "change", [{"sessionId": "tuesday"}, {"actorId": "eve"}, {"eventId": "0000000000000000001#00000000"}]
)
def test_an_event_that_is_not_there_is_not_found(agentcore: Any, change: dict[str, str]) -> None:
    event = kept(agentcore, {"blob": 1})
    place = {**MONDAY, "eventId": event["eventId"], **change}

    for asked in (agentcore.get_event, agentcore.delete_event):
        refused = refusal(partial(asked, **place))
        assert (refused["status"], refused["code"]) == (404, "ResourceNotFoundException")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"memoryId": "no-memory-id-1"}, "memoryId"),
        ({"metadata": {"k": {"stringValue": "{}"}}}, "metadata.k.stringValue"),
        ({"branch": {"name": "-"}}, "branch.name"),
        ({"payload": [{"blob": 1}] * 101}, "payload"),
        ({"actorId": "a" * 129}, "actorId"),
    ],
)
def test_what_is_wrong_is_named(agentcore: Any, change: dict[str, Any], field: str) -> None:
    refused = refusal(lambda: kept(agentcore, {"blob": 1}, **change))

    assert (refused["status"], refused["code"], refused["reason"]) == (
        400,
        "ValidationException",
        "FieldValidationFailed",
    )
    assert [each["name"] for each in refused["fieldList"]] == [field]


def test_what_is_ingested_is_learnt_once_and_no_event(agentcore: Any, ask: Callable[..., dict[str, Any]]) -> None:
    source = {"inline": {"payload": [said("USER", "I live in Oslo.")]}}
    ingest = partial(agentcore.ingest_data, **ACTOR, source=source, contentTimestamp=NOW, clientToken="once")

    told = ingest()

    assert ingest()["sessionId"] == told["sessionId"]
    assert agentcore.list_events(**ACTOR, sessionId=told["sessionId"])["events"] == []
    assert len(ask("memory_list_items", session_id=session_of(ADA, told["sessionId"]))["items"]) == 1
    assert [each["value"] for each in ask("memory_list_known", user_id=ADA)["facts"]] == ["Oslo"]


def test_memories_are_projects(agentcore: Any, issued: IssuedKey, gateway: Gateway) -> None:
    for memory in (MEMORY, "garden-cairnstore", "yard_1-cairnstore"):
        agentcore.create_event(memoryId=memory, actorId="a", eventTimestamp=NOW, payload=[said("USER", "Hello.")])
    control = client(issued, gateway, service_name="bedrock-agentcore-control")

    pages = control.get_paginator("list_memories").paginate(maxResults=1)

    assert [each["id"] for page in pages for each in page["memories"]] == [
        "garden-cairnstore",
        MEMORY,
        "yard_1-cairnstore",
    ]
    found = control.get_memory(memoryId=MEMORY)["memory"]
    assert (found["id"], found["status"], found["strategies"]) == (MEMORY, "ACTIVE", [])
    assert refusal(lambda: control.delete_memory(memoryId=MEMORY))["code"] == "UnknownOperationException"


def test_there_are_no_extraction_jobs(agentcore: Any) -> None:
    assert agentcore.list_memory_extraction_jobs(memoryId=MEMORY)["jobs"] == []
    refused = refusal(lambda: agentcore.start_memory_extraction_job(memoryId=MEMORY, extractionJob={"jobId": "j"}))
    assert refused["code"] == "ResourceNotFoundException"
