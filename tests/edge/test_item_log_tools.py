"""The tools of item logs take any JSON, name the field that is wrong, and hold a user's logs apart."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.ground.errors import CairnError
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from conftest import FakeClock

NAMED = {"project": "garden", "user_id": "ada", "log": "thread-1"}
ITEMS = [{"id": "m1", "data": {"role": "user"}}, {"data": None}, {"id": "m3", "data": [1, "two"]}]


def ask(call: Call, tool: str, **arguments: Any) -> dict[str, Any]:
    return execute(CATALOG, f"memory_{tool}", {**NAMED, **arguments}, call)


def refused(call: Call, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    with pytest.raises(CairnError) as raised:
        ask(call, tool, **arguments)
    return raised.value.code, raised.value.details


@pytest.mark.req("R313")
def test_items_are_appended_read_taken_back_and_deleted(call: Call) -> None:
    stored = ask(call, "append_items", items=ITEMS, operation_id="op-1", state={"step": 1})
    assert ask(call, "append_items", items=ITEMS, operation_id="op-1", state={"step": 1}) == {**stored, "replayed": 3}
    read = ask(call, "read_items", limit=2)
    at = "2026-03-01T12:00:00Z"
    assert read == {
        "items": [
            {"position": 1, "id": "op-1:1", "at": at, "data": None},
            {"position": 2, "id": "m3", "at": at, "data": [1, "two"]},
        ],
        "revision": stored["revision"],
        "count": 3,
        "state": {"step": 1},
        "more": True,
    }
    assert stored == {"revision": read["revision"], "count": 3, "positions": [0, 1, 2], "replayed": 0}
    taken = ask(call, "take_back_items", operation_id="undo", expected_revision=read["revision"])
    assert (taken["items"], taken["repeated"]) == (read["items"][1:], False)
    listed = ask_list(call, with_state=True)
    assert [(each["log"], each["count"], each["state"]) for each in listed["logs"]] == [("thread-1", 2, {"step": 1})]
    deleted = ask(call, "delete_items", ids=["m1"])
    assert (deleted["deleted"], deleted["revision"] > taken["revision"] > read["revision"]) == (1, True)
    assert ask(call, "delete_items") == {"deleted": 1, "revision": 0}
    nothing: dict[str, Any] = {"items": [], "revision": 0, "count": 0, "state": None, "more": False}
    assert ask(call, "read_items") == nothing
    assert ask_list(call) == {"logs": [], "cursor": None}


def ask_list(call: Call, **arguments: Any) -> dict[str, Any]:
    given = {"project": "garden", "user_id": "ada", **arguments}
    return execute(CATALOG, "memory_list_item_logs", given, call)


@pytest.mark.req("R313")
def test_items_without_an_id_or_an_operation_are_stored_each_time(call: Call) -> None:
    for count in (1, 2):
        assert ask(call, "append_items", items=[{"data": 1}])["count"] == count


@pytest.mark.req("R313")
def test_a_conflict_says_with_what(call: Call) -> None:
    first = ask(call, "append_items", items=[{"id": "a", "data": 1}])

    assert refused(call, "append_items", items=[{"id": "a", "data": 2}]) == ("CONFLICT", {"ids": ["a"]})
    stale = {"items": [{"id": "b", "data": 2}], "expected_revision": 0}
    assert refused(call, "append_items", **stale) == ("CONFLICT", {"revision": first["revision"]})
    code, details = refused(call, "take_back_items", operation_id="undo", expected_revision=1)
    assert (code, details) == ("CONFLICT", {"revision": first["revision"]})


@pytest.mark.req("R313")
@pytest.mark.parametrize(
    ("tool", "field", "value"),
    [
        ("append_items", "log", ""),
        ("append_items", "log", "x" * 201),
        ("append_items", "log", "a\nb"),
        ("append_items", "log", 7),
        ("append_items", "items", [{"id": "a", "data": 1}] * 65),
        ("append_items", "items[0].id", [{"id": "a\x7f", "data": 1}]),
        ("append_items", "items[0].data", [{"id": "a"}]),
        ("append_items", "items[0].more", [{"data": 1, "more": 2}]),
        ("append_items", "operation_id", "o" * 129),
        ("append_items", "expected_revision", -1),
        ("append_items", "expected_revision", "7"),
        ("append_items", "user_id", "a/b"),
        ("read_items", "limit", 0),
        ("read_items", "limit", 1001),
        ("read_items", "after", -2),
        ("read_items", "after", True),
        ("read_items", "before", -1),
        ("take_back_items", "count", 0),
        ("take_back_items", "count", 65),
        ("take_back_items", "operation_id", None),
        ("delete_items", "ids", []),
        ("delete_items", "ids", ["a"] * 65),
        ("delete_items", "ids[0]", [""]),
    ],
)
def test_a_wrong_argument_is_named(call: Call, tool: str, field: str, value: object) -> None:
    needed = {"operation_id": "undo"} if tool == "take_back_items" else {}

    code, details = refused(call, tool, **{**needed, field.partition("[")[0]: value})

    assert code == "INVALID_ARGUMENT"
    assert details["fields"].keys() == {field}


@pytest.mark.req("R313")
def test_a_place_is_on_one_side_alone(call: Call) -> None:
    assert refused(call, "read_items", after=1, before=3)[1]["fields"].keys() == {"before"}


@pytest.mark.req("R313")
def test_logs_are_listed_by_the_page_and_a_cursor_is_of_its_listing(call: Call) -> None:
    for name in ("b-2", "a-1", "b-1"):
        ask(call, "append_items", log=name, items=[{"id": "x", "data": name}])
        ask(call, "append_items", log=name, user_id=None, items=[{"id": "x", "data": name}])

    first = ask_list(call, limit=2)
    rest = ask_list(call, limit=2, cursor=first["cursor"])

    assert [each["log"] for each in (*first["logs"], *rest["logs"])] == ["a-1", "b-1", "b-2"]
    assert rest["cursor"] is None
    assert [each["log"] for each in ask_list(call, prefix="b-")["logs"]] == ["b-1", "b-2"]
    for other in ({"user_id": "bob"}, {"user_id": None}, {"prefix": "b"}, {"project": "kitchen"}):
        with pytest.raises(CairnError) as raised:
            ask_list(call, **{"cursor": first["cursor"], **other})
        fields: Any = raised.value.details["fields"]
        assert fields.keys() == {"cursor"}


@pytest.mark.req("R313")
def test_a_log_is_one_user_s_in_one_project(call: Call, clock: FakeClock) -> None:
    ask(call, "append_items", items=[{"id": "a", "data": "hers"}])
    clock.advance(seconds=1)

    for other in ({"user_id": "bob"}, {"user_id": None}, {"project": "kitchen"}, {"log": "thread-10"}):
        assert ask(call, "read_items", **other)["count"] == 0
        assert ask(call, "delete_items", **other)["deleted"] == 0
        assert ask(call, "append_items", items=[{"id": "a", "data": "another's"}], **other)["count"] == 1
    assert ask(call, "read_items")["items"][0]["data"] == "hers"
