"""What operators read of calls: who may, what is told of the audit log, and whether it is sound."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls import layout
from cairn.embedded.anchors import DirectoryAnchors
from cairn.ground.adapters import Adapters
from cairn.ground.table import Put
from cairn.services import Services
from support.access import EventOf
from support.bound import ACME, ALICE, House
from support.calls import HOUR, stored
from support.operators import MONDAY, of_another_tenant, of_no_operator
from support.services import services_over

OPERATORS = ("memory_list_calls", "memory_check_calls", "memory_list_settings")
each_tool = pytest.mark.parametrize("name", OPERATORS)


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


@pytest.fixture
def operator(house: House) -> str:
    return house.key()


@each_tool
def test_a_key_of_all_projects_and_no_user_with_the_scope_admin_may_ask(house: House, operator: str, name: str) -> None:
    assert "error" not in house.ask(operator, name, {})


@each_tool
def test_no_other_key_may(house: House, name: str) -> None:
    for key in of_no_operator(house):
        assert house.denied(key, name, {})
        assert house.in_a_pipe(key, name, {}, {})["error"]["code"] == "NOT_FOUND"


@each_tool
def test_no_model_is_told_of_them(house: House, operator: str, name: str) -> None:
    assert name not in {tool["name"] for tool in house.mcp(operator, "tools/list", {}, {})["tools"]}


def test_calls_are_told_as_they_are_on_record(house: House, operator: str) -> None:
    house.ask(operator, "putMemory", {"namespace": "session.a", "key": "plan", "value": 1})
    house.ask(operator, "getMemory", {"namespace": "session.a", "key": "absent"}, user_id=ALICE)
    house.ask(operator, "recall", {**MONDAY, "user_id": ALICE})

    listed = house.ask(operator, "memory_list_calls", {})["calls"]

    told = {each["tool"]: each for each in listed if each["tool"] != "memory_list_calls"}
    assert len(told) == 3
    assert (told["getMemory"]["outcome"], told["getMemory"]["ms"]) == ("NOT_FOUND", 0)
    assert (told["getMemory"]["namespace"], told["getMemory"]["key_name"]) == ("session.a", "absent")
    assert (told["getMemory"]["user_id"], told["putMemory"]["user_id"]) == (ALICE, None)
    assert (told["recall"]["project"], told["recall"]["session_id"]) == ("garden", "monday")
    assert (told["putMemory"]["outcome"], told["putMemory"]["ms"]) == ("admitted", None)
    assert {each["key"] for each in listed} == {house.services.credentials.list()[0].id}
    assert all(each["bytes"] > 0 and each["request_id"] == "request-1" for each in told.values())
    assert "unrecorded" not in told["recall"]


@pytest.mark.parametrize(
    ("filters", "tools"),
    [
        ({"outcome": "failed"}, ["getMemory"]),
        ({"outcome": "NOT_FOUND"}, ["getMemory"]),
        ({"tool": "recall"}, ["recall"]),
        ({"project": "garden"}, ["recall"]),
        ({"project": "garden", "tool": "putMemory"}, []),
        ({"session_id": "monday"}, ["recall"]),
        ({"until": "2026-03-01T11:59:59Z"}, []),
        ({"since": "2026-03-01T12:00:00Z", "until": "2026-03-01T12:00:00Z", "tool": "recall"}, ["recall"]),
    ],
)
def test_calls_are_found_by_what_is_on_record_of_them(
    house: House, operator: str, clock: Any, filters: Mapping[str, Any], tools: list[str]
) -> None:
    house.ask(operator, "putMemory", {"namespace": "session.a", "key": "plan", "value": 1})
    house.ask(operator, "getMemory", {"namespace": "session.a", "key": "absent"})
    house.ask(operator, "recall", {**MONDAY, "user_id": ALICE})
    clock.advance(minutes=1)

    found = house.ask(operator, "memory_list_calls", {**filters})["calls"]

    assert [each["tool"] for each in found if each["tool"] != "memory_list_calls"] == tools


def test_calls_of_a_key_and_of_a_user_are_found(house: House, operator: str) -> None:
    alice = house.key(ALICE)
    house.ask(alice, "recall", MONDAY)
    house.ask(operator, "recall", MONDAY)
    hers = next(each.id for each in house.services.credentials.list() if each.grant.users)

    by_key = house.ask(operator, "memory_list_calls", {"key": hers})["calls"]
    by_user = house.ask(operator, "memory_list_calls", {"user_id": ALICE, "tool": "recall"})["calls"]

    assert [each["tool"] for each in by_key] == ["recall"]
    assert [each["id"] for each in by_user] == [each["id"] for each in by_key]


def test_a_masked_name_is_shown_masked_and_found_by_itself_and_by_its_mask(house: House, operator: str) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    house.ask(operator, "recall", {"project": "garden", "session_id": secret})

    (told,) = house.ask(operator, "memory_list_calls", {"tool": "recall"})["calls"]

    assert told["session_id"].startswith("masked:")
    for name in (secret, told["session_id"]):
        found = house.ask(operator, "memory_list_calls", {"tool": "recall", "session_id": name})
        assert [each["id"] for each in found["calls"]] == [told["id"]]
        assert secret not in json.dumps(found)


def test_pages_go_on_in_their_own_time_while_the_clock_does(house: House, operator: str, clock: Any) -> None:
    for _ in range(7):
        house.ask(operator, "recall", MONDAY)
        clock.advance(hours=3, minutes=59)
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        answer = house.ask(operator, "memory_list_calls", {"tool": "recall", "limit": 1, "cursor": cursor})
        found += [each["id"] for each in answer["calls"]]
        cursor = answer["cursor"]
        clock.advance(hours=1)

    assert len(found) == len(set(found)) == 6, "those of the day before the first page was asked for"


def test_a_cursor_of_another_tenant_reads_one_s_own_log_and_nothing_else(house: House, operator: str) -> None:
    other = of_another_tenant(house)
    for key in (operator, other):
        for _ in range(3):
            house.ask(key, "recall", MONDAY)
    theirs = house.ask(other, "memory_list_calls", {"tool": "recall", "limit": 2})
    assert theirs["cursor"]

    mine = house.ask(operator, "memory_list_calls", {"tool": "recall", "cursor": theirs["cursor"]})

    other_id = {each["key"] for each in theirs["calls"]}
    assert other_id.isdisjoint(each["key"] for each in mine["calls"])
    assert len(house.ask(operator, "memory_list_calls", {"tool": "recall"})["calls"]) == 3


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"cursor": "nonsense"}, "cursor"),
        ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "since"),
        ({"since": "2026-03-02"}, "since"),
        ({"limit": 201}, "limit"),
        ({"key": "a\x1bb"}, "key"),
        ({"tenant": "globex"}, "tenant"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(
    house: House, operator: str, arguments: Mapping[str, Any], field: str
) -> None:
    error = house.ask(operator, "memory_list_calls", arguments)["error"]

    assert (error["code"], list(error["details"]["fields"])) == ("INVALID_ARGUMENT", [field])


def test_who_reaches_for_much_in_many_places_is_told_by_key(house: House, operator: str) -> None:
    for number in range(13):
        house.ask(operator, "recall", {"project": f"p{number % 7}", "session_id": "monday"})

    (told,) = house.ask(operator, "memory_list_calls", {"tool": "forget"})["unusual"]

    assert told["key"] == house.services.credentials.list()[0].id
    assert (told["calls"], told["most_calls"], told["most_places"]) == (3, 13, 7)


def test_reads_that_were_only_counted_say_how_many_they_were(house: House, operator: str) -> None:
    caller = Caller(ACME, frozenset({"read"}), "request-0", (ALL_PROJECTS,))
    record = house.services.journal.begin(caller, "recall")
    counted = replace(
        record, outcome="unrecorded", arguments={"calls": 7, "first_ms": 1772366400000, "last_ms": 1772366460000}
    )
    house.services.adapters.table.put(Put(counted.item(HOUR)))
    house.ask(operator, "recall", MONDAY)

    told = next(
        each for each in house.ask(operator, "memory_list_calls", {})["calls"] if each["outcome"] == "unrecorded"
    )

    assert told["unrecorded"] == {"calls": 7, "first": "2026-03-01T12:00:00Z", "last": "2026-03-01T12:01:00Z"}
    assert told["bytes"] == 0
    assert house.ask(operator, "memory_list_calls", {"outcome": "failed"})["calls"] == []


def test_an_untouched_log_is_sound_and_holds_the_head_that_was_noted(
    house: House, operator: str, clock: Any, services: Services
) -> None:
    house.ask(operator, "recall", MONDAY)
    clock.advance(hours=1)
    services.sealer.seal(ACME, HOUR)

    found = house.ask(operator, "memory_check_calls", {})

    assert (found["sound"], found["findings"], found["more"], found["anchored"]) == (True, [], 0, False)
    assert (found["records"], found["digests"]) == (1, 1)
    assert house.ask(operator, "memory_check_calls", {"holds": found["head"]})["sound"]
    other = house.ask(operator, "memory_check_calls", {"holds": "0" * 64})
    assert (other["sound"], other["findings"]) == (
        False,
        [{"kind": "missing", "what": "digest", "name": "0" * 64}],
    )


def test_a_changed_record_is_found_and_no_other_tenant_is_told(house: House, operator: str, adapters: Adapters) -> None:
    house.ask(operator, "recall", MONDAY)
    (item,) = stored(adapters)
    adapters.table.put(Put({**item, "outcome": "PERMISSION_DENIED"}))

    found = house.ask(operator, "memory_check_calls", {})
    others = house.ask(of_another_tenant(house), "memory_check_calls", {})

    assert {"kind": "changed", "what": "record", "name": item["sk"]} in found["findings"]
    assert not found["sound"]
    assert (others["sound"], others["digests"]) == (True, 0)


def test_more_findings_than_an_answer_lists_are_counted(house: House, operator: str, adapters: Adapters) -> None:
    day = layout.audit_day_pk(ACME, "2026-03-01")
    house.ask(operator, "recall", MONDAY)
    for number in range(1003):
        adapters.table.put(Put({"pk": day, "sk": f"01KJM{number:021d}", "tool": "recall"}))

    found = house.ask(operator, "memory_check_calls", {})

    assert len(found["findings"]) + found["more"] >= 1003
    assert len(found["findings"]) == 1000


class Slow:
    """A table of which every query takes a while."""

    def __init__(self, adapters: Adapters, seconds: float) -> None:
        self.table: Any = adapters.table
        self.clock: Any = adapters.clock
        self.seconds = seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def query(self, query: Any) -> Any:
        self.clock.advance(seconds=self.seconds)
        return self.table.query(query)


def test_a_log_that_is_too_long_for_a_call_is_unavailable_and_says_what_to_run(
    house: House, operator: str, adapters: Adapters, services: Services
) -> None:
    house.ask(operator, "recall", MONDAY)
    slow: Any = Slow(adapters, 13)
    wiring.provide(services_over(replace(adapters, table=slow), services.settings))

    error = house.ask(operator, "memory_check_calls", {})["error"]

    assert error["code"] == "UNAVAILABLE"
    assert "`cairn audit verify`" in error["message"]


@pytest.mark.parametrize("own_disk", [True, False])
def test_heads_are_compared_where_they_can_be_read(
    house: House, adapters: Adapters, tmp_path: Path, *, own_disk: bool
) -> None:
    anchors = DirectoryAnchors(tmp_path / "anchors")
    anchors.put(ACME, 1, "f" * 64)
    wiring.provide(services_over(replace(adapters, own_disk=own_disk), house.services.settings, anchors=anchors))

    found = house.ask(house.key(), "memory_check_calls", {})

    assert (found["anchored"], found["sound"]) == (own_disk, not own_disk)
