"""memory_list_dir_with_abstract reads the files that its listings point at: overviews, views and the agent's own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.files.files import PAGE_BYTES, WriteMode
from cairn.ground.errors import InvalidArgument, NotFound, PermissionDenied
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG

NAMES: dict[str, Any] = {"project": "garden", "session_id": "monday"}
MONDAY = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
ROOT = "/memory/monday"


def look(call: Call, **asked: Any) -> dict[str, Any]:
    return execute(CATALOG, "memory_list_dir_with_abstract", {**NAMES, **asked}, call)


def say(call: Call, text: str, turn_id: str = "turn-1", **names: Any) -> None:
    items = {"input_items": [message("user", text)], "output_items": [message("assistant", "Noted.")]}
    execute(CATALOG, "memory_after_turn", {**NAMES, **names, "turn_id": turn_id, **items}, call)


def write(call: Call, path: str, text: str) -> None:
    call.services.files.write(MONDAY, path, text, WriteMode.TRUNCATE)


@pytest.mark.req("R083")
@pytest.mark.parametrize("depth", [0, 1, 3, 8])
def test_each_overview_and_abstract_that_a_listing_points_at_can_be_read_by_the_same_tool(
    depth: int, call: Call
) -> None:
    say(call, "My name is Ada. I live in Berlin. I need to call the plumber by Friday.")
    write(call, "notes/todo.md", "Buy stamps.")
    listed = look(call, depth=depth)["summaries"]

    assert any(each["has_overview"] for each in listed)
    for each in listed:
        assert "content" not in look(call, path=each["path"], depth=0, content=True)
        if each["has_overview"]:
            overview = look(call, path=f"{each['path']}/.overview", content=True)
            assert set(overview) == {"summaries", "content"}
            assert overview["content"].strip()
            assert look(call, path=f"{each['path']}/.abstract", content=True)["content"] == each["abstract"] + "\n"


def test_every_file_of_a_session_is_read_as_text_by_its_whole_path_and_by_its_relative_one(call: Call) -> None:
    say(call, "My name is Ada.")
    write(call, "notes/todo.md", "Buy stamps: 豆.")
    files = dict(call.services.files.everything(MONDAY))

    assert {f"{ROOT}/meta/state.json", f"{ROOT}/notes/todo.md"} <= set(files)
    for path, content in files.items():
        assert look(call, path=path, content=True)["content"] == content.decode()
        assert look(call, path=path.removeprefix(f"{ROOT}/"), content=True)["content"] == content.decode()


def test_an_own_file_that_an_abstract_names_is_read(call: Call) -> None:
    write(call, "notes/todo.md", "Buy stamps.")
    (listed,) = look(call, path="notes")["summaries"]
    named = listed["abstract"].partition("Newest first: ")[2].removesuffix(".")

    assert look(call, path=f"{listed['path']}/{named}", content=True) == {"summaries": [], "content": "Buy stamps."}
    assert listed["has_overview"] is False


@pytest.mark.parametrize("text", ["x" * (2 * PAGE_BYTES), "é豆🌱" * 9000, "", "a" + "豆" * 5333, "y" * PAGE_BYTES])
def test_a_long_file_comes_in_pages_that_make_the_whole(text: str, call: Call) -> None:
    write(call, "notes/long.md", text)
    read, offset, pages = "", 0, 0
    while True:
        answer = look(call, path="notes/long.md", content=True, offset=offset)
        assert len(answer["content"].encode()) <= PAGE_BYTES
        read, pages = read + answer["content"], pages + 1
        if "next_offset" not in answer:
            break
        assert answer["next_offset"] > offset
        offset = answer["next_offset"]

    assert read == text
    assert pages == max(1, -(-len(text.encode()) // PAGE_BYTES))


def test_an_offset_within_a_character_is_refused_and_one_beyond_the_end_finds_nothing(call: Call) -> None:
    write(call, "notes/a.md", "豆")

    with pytest.raises(InvalidArgument, match="offset"):
        look(call, path="notes/a.md", content=True, offset=1)
    assert look(call, path="notes/a.md", content=True, offset=99)["content"] == ""
    for bad in (-1, "1", True):
        with pytest.raises(InvalidArgument, match="offset"):
            look(call, path="notes/a.md", content=True, offset=bad)


@pytest.mark.parametrize("path", ["notes/none.md", "meta/none.json", "notes/.overview", "nowhere"])
def test_a_file_that_is_not_there_is_not_found(path: str, call: Call) -> None:
    with pytest.raises(NotFound):
        look(call, path=path, content=True)  # a session without anything
    say(call, "Hello.")
    write(call, "notes/todo.md", "Buy stamps.")
    with pytest.raises(NotFound):
        look(call, path=path, content=True)


@pytest.mark.parametrize("path", ["", "notes", "notes/", ROOT, f"{ROOT}/", "meta"])
def test_a_directory_is_listed_as_ever(path: str, call: Call) -> None:
    say(call, "Hello.")
    write(call, "notes/todo.md", "Buy stamps.")

    assert look(call, path=path, content=True) == look(call, path=path)
    assert look(call, path=path)["summaries"]


@pytest.mark.parametrize("path", ["../tuesday/notes/a.md", "/memory/tuesday/notes/a.md", "/etc/passwd", "notes/../a"])
def test_nothing_outside_the_session_is_read(path: str, call: Call) -> None:
    say(call, "Hello.")
    with pytest.raises(InvalidArgument):
        look(call, path=path, content=True)


def test_another_tenant_project_session_or_user_reads_nothing(call: Call) -> None:
    ada, ben = (replace(call, caller=replace(call.caller, users=(UserId(name),))) for name in ("ada", "ben"))
    say(ada, "My name is Ada.", user_id="ada")
    write(call, "notes/todo.md", "canary")
    wanted = {"path": "notes/todo.md", "content": True}

    assert look(ada, **wanted)["content"] == "canary"
    with pytest.raises(PermissionDenied):
        look(ben, **wanted)
    for stranger in ({"project": "attic"}, {"session_id": "tuesday"}):
        with pytest.raises(NotFound):
            look(call, **wanted, **stranger)
    with pytest.raises(NotFound):
        look(replace(call, caller=replace(call.caller, tenant=Tenant("globex"))), **wanted)


@pytest.mark.req("R079")
def test_a_listing_has_no_field_of_a_file(call: Call) -> None:
    say(call, "Hello.")

    assert set(json.loads(json.dumps(look(call)))) == {"summaries"}
