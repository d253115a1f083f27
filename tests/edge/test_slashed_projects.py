"""Projects named `owner/repo`: apart from their parts, within a key's patterns, and found again by every tool."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from cairn.access.api_keys import Grant, covers, project_pattern
from cairn.ground import ids
from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.ground.ids import Project
from cairn.services import Services
from cairn.settings.settings import read
from cairn.tool.tool import Tool
from support.access import EventOf, answered, bearer, over_mcp, through
from support.bound import ACME, House
from support.tool import FOR_AGENTS, SESSION_TOOLS, http_status

pytestmark = pytest.mark.req("R284")

GOOD = ["garden", "owner/repo", "owner/repo.name", "a/b/c", "a.b/c", ".github/x", "x/.github", "...", "a" * 128, "..p"]
BAD = ["", "/", "a/", "/a", "a//b", ".", "..", "./a", "a/..", "a/./b", "../a", "a#b", "a\\b", "a/b\n", "ä/b", "a" * 129]
NEIGHBOURS = {
    "a/b": "aardvark",
    "a": "bullfinch",
    "b": "cormorant",
    "a.b": "dormouse",
    "ab": "earthworm",
    "a/b/c": "firefly",
    "a/B": "gadwall",
}
"""Projects, and what each of them is about."""


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


@pytest.mark.parametrize("name", GOOD)
def test_a_name_may_have_parts_between_slashes(name: str) -> None:
    assert ids.project(name) == name
    assert covers(project_pattern(name), Project(name))


@pytest.mark.parametrize("name", BAD)
def test_a_part_is_never_empty_and_leads_nowhere(name: str) -> None:
    with pytest.raises(InvalidArgument, match="project"):
        ids.project(name)


@pytest.mark.parametrize(
    ("pattern", "covered", "other"),
    [
        (
            "owner/*",
            ["owner/repo", "owner/repo.name", "owner/a/b"],
            ["owner", "owner2/repo", "owner.repo", "x/owner/a"],
        ),
        ("owner/repo", ["owner/repo"], ["owner/repo2", "owner/repo/x", "owner/repo.x", "owner"]),
        ("*/repo", ["owner/repo", "acme.io/repo"], ["repo", "a/b/repo", "owner/repo.x"]),
        ("owner/team.*", ["owner/team.a", "owner/team.a.b"], ["owner/team", "owner/team.a/b", "team.a"]),
        ("team.*", ["team.a", "team.a.b"], ["team.a/b", "team/a", "team"]),
        ("*", ["a", "a/b", "a.b/c.d"], []),
    ],
)
def test_a_star_stands_for_whole_parts_only(pattern: str, covered: list[str], other: list[str]) -> None:
    assert [name for name in covered + other if covers(project_pattern(pattern), Project(name))] == covered


@pytest.mark.parametrize("pattern", ["owner/", "/repo", "owner//repo", "owner/r*", "owner/**", "a/../b", "./a"])
def test_what_covers_no_name_is_no_pattern(pattern: str) -> None:
    with pytest.raises(InvalidArgument, match="whole dotted segments, or parts between slashes"):
        project_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "taken"), [("owner/*", True), ("owner/repo.x", True), ("owner/", False), ("a/..", False)]
)
def test_settings_share_the_sessions_of_such_projects(pattern: str, *, taken: bool) -> None:
    environment = {"CAIRN_MEMORY_SHARED_PROJECTS": pattern}
    if taken:
        memory = read(environment).memory
        assert memory.shares(Project("owner/repo.x"))
        assert not memory.shares(Project("other/repo.x"))
    else:
        with pytest.raises(SettingsError, match="shared_projects"):
            read(environment)


def test_projects_whose_names_share_parts_share_nothing_else(house: House) -> None:
    key = house.key()
    for project, animal in NEIGHBOURS.items():
        place = {"project": project, "session_id": "b", "user_id": "ada"}
        told: dict[str, Any] = {
            "turn_id": "1",
            "input_items": f"I like an animal, the {animal}.",
            "output_items": [],
        }
        assert house.ask(key, "memory_after_turn", {**place, **told})["facts_written"] == 1
        assert house.ask(key, "remember", {**place, "content": f"The {animal} is fed.", "scope": "project"})[
            "memory_id"
        ]

    for project, animal in NEIGHBOURS.items():
        place = {"project": project, "session_id": "b", "user_id": "ada"}
        wide = {**place, "current_input": "Which animal is it?", "recall_scope": "project"}
        seen = [
            house.ask(key, "recall", {**place, "query": "Which animal is it?", "min_confidence": 0}),
            house.ask(key, "memory_before_turn", wide),
            house.ask(key, "memory_list_dir_with_abstract", {"project": project, "session_id": "b"}),
        ]
        assert animal in json.dumps(seen[0])
        assert animal in json.dumps(seen[1])
        assert not [other for other in NEIGHBOURS.values() if other != animal and other in json.dumps(seen)]


@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in SESSION_TOOLS])
@pytest.mark.parametrize(
    ("projects", "is_open"), [("owner/*", True), ("owner/repo", True), ("owner other/repo", False)]
)
def test_a_key_opens_the_projects_of_its_patterns_at_every_door(
    projects: str, tool: Tool, *, is_open: bool, services: Services, event_of: EventOf
) -> None:
    key = services.credentials.create(ACME, Grant(tuple(project_pattern(each) for each in projects.split()))).text
    given = {**tool.example, "project": "owner/repo"}

    over_http = answered(tool, through(bearer(key), event_of("/", given)))

    assert over_http[0] == (http_status(tool) if is_open else 403)
    assert answered(tool, through(bearer(key), event_of("/", {**given, "project": "owner2/repo"})))[0] == 403
    headed = {name: value for name, value in given.items() if name != "project"}
    event = event_of("/", headed, headers={"x-cairn-project": "owner/repo"})
    assert answered(tool, through(bearer(key), event))[0] == over_http[0]
    assert over_mcp(tool, bearer(key), event_of)[0] == 403, "the example is about another project"


def test_a_turn_in_two_steps_and_an_archived_session_are_of_their_project(house: House) -> None:
    key, place = house.key(), {"project": "owner/repo", "session_id": "monday"}
    begun = house.ask(key, "memory_run_turn", {**place, "phase": "begin", "turn_id": "1", "current_input": "I am Ada."})
    done = {"phase": "commit", "operation_token": begun["operation_token"], "output_items": "Hello Ada."}
    narrow = house.services.credentials.create(ACME, Grant((project_pattern("owner/other"),))).text

    assert house.denied(narrow, "memory_run_turn", done)
    assert house.ask(key, "memory_run_turn", done)["ok"]
    assert house.ask(key, "store_session_to_cascade", {**place, "tags": ["x"]})["indexed"]
    assert house.ask(key, "memory_run_maintenance", place)["ok"]
    assert house.ask(key, "getContext", place)["session_id"] == "monday"


def test_the_audit_log_names_such_a_project(house: House, services: Services) -> None:
    told: dict[str, Any] = {"session_id": "s", "turn_id": "1", "input_items": "Hi", "output_items": []}
    house.ask(house.key(), "memory_after_turn", {**told, "project": "Octo-Org/My_Repo.py"})

    now = services.adapters.clock.now()
    [record] = services.audit.records(ACME, now - timedelta(days=1), now + timedelta(days=1), 10)
    assert record.subject.project == "Octo-Org/My_Repo.py"


def test_every_tool_that_takes_a_project_says_what_it_may_look_like() -> None:
    shown = [tool.input_schema()["properties"].get("project") for tool in FOR_AGENTS]
    assert all("owner/repo" in each["description"] for each in shown if each)
