"""Tools on a branch: whose key opens it, which of them know branches, and what the tool of branches answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.access.api_keys import project_pattern
from cairn.ground.errors import InvalidArgument, NotFound, PermissionDenied
from cairn.ground.ids import Tenant, UserId
from cairn.ground.table import Query
from cairn.tool.call import ON_BRANCHES, Call, execute
from cairn_tools.catalog import CATALOG

PLACE = {"project": "garden", "session_id": "monday", "user_id": "ada"}
TRIED = {**PLACE, "project": "garden@try-1"}


def ask(call: Call, tool: str, **given: Any) -> dict[str, Any]:
    return execute(CATALOG, tool, given, call)


def branch(call: Call, action: str, **given: Any) -> dict[str, Any]:
    return ask(call, "memory_branch", project="garden", action=action, **given)


def say(call: Call, place: dict[str, str], turn: str, text: str) -> None:
    ask(call, "memory_after_turn", **place, turn_id=turn, input_items=[text], output_items=["Noted."])


@pytest.fixture
def begun(call: Call) -> Call:
    say(call, PLACE, "t1", "I live in Oslo.")
    made = branch(call, "create", name="try-1")["branches"]
    assert [each["project"] for each in made] == ["garden@try-1"]
    return call


def facts(call: Call, place: dict[str, str]) -> list[str]:
    asked = {name: place[name] for name in ("project", "user_id")}
    return [each["value"] for each in ask(call, "memory_list_known", **asked)["facts"]]


def test_agents_work_on_a_branch_by_naming_it_as_their_project(begun: Call) -> None:
    begun.services.adapters.clock.sleep(60)
    say(begun, TRIED, "t2", "I moved to Bergen.")
    assert (facts(begun, TRIED), facts(begun, PLACE)) == (["Bergen"], ["Oslo"])
    assert "Bergen" in str(ask(begun, "memory_before_turn", **TRIED, current_input="Where do I live?"))
    assert [each["project"] for each in branch(begun, "list")["branches"]] == ["garden@try-1"]
    assert branch(begun, "merge", name="try-1")["merged"] == {"turns": 1, "changes": 0, "left_out": 0}
    assert facts(begun, PLACE) == ["Bergen"]
    assert branch(begun, "list")["branches"] == []


def test_a_branch_is_opened_by_who_may_open_its_project_and_by_nobody_else(begun: Call) -> None:
    def of(*projects: str, tenant: str = "acme", users: tuple[UserId, ...] = ()) -> Call:
        opened = tuple(project_pattern(each) for each in projects)
        return replace(begun, caller=replace(begun.caller, tenant=Tenant(tenant), projects=opened, users=users))

    asked = {**TRIED, "query": "Oslo"}
    assert ask(of("garden"), "recall", **asked)["memories"]
    for call in (of("shop"), of("garden/*"), of("shop", "gardens")):
        for tool, given in (("recall", asked), ("memory_branch", {"project": "garden", "action": "list"})):
            with pytest.raises(PermissionDenied, match="does not open this project"):
                ask(call, tool, **given)
    with pytest.raises(NotFound):
        ask(of("*", tenant="rival"), "recall", **asked)
    with pytest.raises(PermissionDenied, match="certain users"):
        ask(of("garden", users=(UserId("ada"),)), "memory_branch", project="garden", action="list")


def test_a_key_of_one_user_sees_on_a_branch_what_it_sees_in_the_project(begun: Call) -> None:
    say(begun, {**PLACE, "user_id": "ben", "session_id": "bens"}, "t9", "Hi.")
    begun.services.adapters.clock.sleep(60)
    branch(begun, "create", name="try-2")
    held = replace(begun, caller=replace(begun.caller, users=(UserId("ada"),)))
    place = {**PLACE, "project": "garden@try-2"}
    assert "Oslo" in str(ask(held, "memory_before_turn", **place, current_input="Where do I live?"))
    with pytest.raises(PermissionDenied, match="another user's"):
        ask(held, "memory_before_turn", **{**place, "session_id": "bens"}, current_input="Who?")


def test_a_key_of_one_user_begins_a_session_on_a_branch_and_on_none_that_is_not_there(begun: Call) -> None:
    held = replace(begun, caller=replace(begun.caller, users=(UserId("ada"),)))
    say(held, {**TRIED, "session_id": "new"}, "t2", "I moved to Bergen.")
    assert facts(held, TRIED) == ["Bergen"]
    with pytest.raises(NotFound, match="no such branch"):
        say(held, {**PLACE, "project": "garden@none"}, "t2", "I moved to Bergen.")
    assert branch(begun, "drop", name="try-1")["branches"] == []
    with pytest.raises(NotFound, match="no such branch"):
        say(held, {**TRIED, "session_id": "another"}, "t2", "I moved to Bergen.")
    table: Any = begun.services.adapters.table
    for pk in ("acme#m#garden@try-1", "acme#s#garden@try-1#another", "acme#s#garden@none#monday"):
        assert table.query(Query(pk, "\x01", "\U0010ffff")).items == ()


def test_a_header_names_a_branch_of_the_project_that_a_key_is_bound_to(begun: Call) -> None:
    bound = replace(begun, caller=replace(begun.caller, projects=(project_pattern("garden"),)))
    named = replace(bound, names={"project": "garden@try-1"})
    given = {"session_id": "monday", "user_id": "ada", "query": "Oslo"}
    assert ask(named, "recall", **given)["memories"]
    with pytest.raises(PermissionDenied):
        ask(replace(bound, names={"project": "shop@try-1"}), "recall", **given)


def test_a_tool_that_knows_no_branches_says_so(call: Call) -> None:
    told = 0
    for tool in CATALOG:
        knows = tool.name in ON_BRANCHES or "project" not in tool.input_schema()["properties"] or tool.for_operators
        if knows or not tool.enabled(call.services.settings, None):
            continue
        with pytest.raises(InvalidArgument, match=f"is a branch, which {tool.name} does not know"):
            execute((tool,), tool.name, {**tool.example, "project": "garden@try-1"}, call)
        told += 1
    assert told > 20
