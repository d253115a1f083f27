"""What mem0's clients find: by filters, by the page, and by how likely it is the answer."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.services import Services
from cairn.tool.call import Call
from cairn_tools.remember import remember
from support.doubles import FakeClock
from support.mem0 import HERS, Client, client, words

REFUSED: list[dict[str, Any]] = [
    *({}, {"metadata": {"a": 1}}, {"user_id": "*"}, {"user_id": {"ne": "ada"}}, {"NOT": [{"user_id": "ada"}]}),
    *({"user_id": 7}, {"user_id": "ada", "mood": "good"}, {"user_id": "ada", "created_at": {"gte": "soon"}}),
    *(
        {"user_id": "ada", "metadata": {"n": {"near": 2}}},
        {"user_id": "ada", "AND": {}},
        {"OR": []},
        {"OR": [{"user_id": "ada"}, {"metadata": {"a": 1}}]},
        {"OR": [3]},
    ),
    *({"user_id": "ada", "memory_ids": "x"}, {"user_id": {"in": [f"user-{n}" for n in range(11)]}}),
    {"user_id": "ada", "NOT": [{"AND": [{"AND": [{"AND": [{"AND": [{"AND": [{"AND": [{"AND": [{}]}]}]}]}]}]}]}]},
]


@pytest.fixture
def mem0(services: Services) -> Client:
    return client(services)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"user_id": "ada"}, {"pears", "figs", "plums"}),
        ({"AND": [{"user_id": "ada"}, {"run_id": "r"}]}, {"figs"}),
        ({"user_id": "ada", "agent_id": "planner"}, {"pears"}),
        ({"user_id": "ada", "metadata": {"tag": "x"}}, {"pears"}),
        ({"user_id": "ada", "metadata": {"n": {"gte": 3}}}, {"figs"}),
        ({"user_id": "ada", "metadata": {"one": 1}}, {"pears"}),
        ({"user_id": "ada", "metadata": {"one": True}}, set[str]()),
        ({"user_id": "ada", "metadata": {"tag": "*"}}, {"pears", "figs"}),
        ({"user_id": "ada", "NOT": [{"metadata": {"tag": "x"}}]}, {"figs", "plums"}),
        ({"AND": [{"user_id": "ada"}, {"OR": [{"agent_id": "planner"}, {"run_id": "r"}]}]}, {"pears", "figs"}),
        ({"OR": [{"user_id": "ada"}, {"user_id": "eve"}]}, {"pears", "figs", "plums", "kale"}),
        ({"user_id": {"in": ["eve", "bob"]}}, {"kale"}),
        ({"user_id": "ada", "keywords": {"icontains": "PLUM"}}, {"plums"}),
        ({"user_id": "ada", "created_at": {"gte": "2026-03-02"}}, {"plums"}),
        ({"user_id": "ada", "created_at": {"lt": "2026-03-02T00:00:00Z"}}, {"pears", "figs"}),
        ({"user_id": "ada", "agent_id": "*"}, {"pears"}),
        ({"user_id": "ada", "run_id": {"ne": "r"}}, {"pears", "plums"}),
        ({"AND": [{"user_id": "ada"}, {"user_id": "eve"}]}, set[str]()),
        ({"agent_id": "planner"}, {"beans"}),
        ({"app_id": "desk"}, set[str]()),
        ({"run_id": "r"}, {"peas"}),
    ],
    ids=str,
)
def test_a_filter_says_whose_memory_is_meant_and_which_of_it(
    mem0: Client, clock: FakeClock, filters: dict[str, Any], found: set[str]
) -> None:
    def keep(what: str, **of: Any) -> None:
        mem0.add(f"We grow {what}.", infer=False, **of)

    keep("pears", user_id="ada", agent_id="planner", metadata={"tag": "x", "n": 2, "one": 1})
    keep("figs", user_id="ada", run_id="r", metadata={"tag": "y", "n": 3})
    keep("kale", user_id="eve")
    keep("beans", agent_id="planner")
    keep("peas", run_id="r")
    clock.advance(days=1)
    keep("plums", user_id="ada")
    said = {f"We grow {each}." for each in found}

    assert set(words(mem0.all(filters))) == said
    assert set(words(mem0.search("What do we grow?", filters, top_k=50))) == said


@pytest.mark.parametrize("filters", REFUSED, ids=lambda filters: str(filters)[:60])
def test_a_filter_that_names_nobody_or_is_none_is_refused(mem0: Client, filters: dict[str, Any]) -> None:
    for path, body in (("/v3/memories/", {}), ("/v3/memories/search/", {"query": "x"})):
        refused = mem0.call("POST", path, {**body, "filters": filters})
        assert (refused.status, "filters" in refused.detail or "user_id" in refused.detail) == (400, True)


def test_all_are_listed_by_the_page_the_newest_first(mem0: Client, clock: FakeClock) -> None:
    for number in range(5):
        mem0.add(f"Bed {number} is full.", infer=False, **HERS)
        clock.advance(seconds=1)

    pages = [
        mem0.ok("POST", f"/v3/memories/?page={page}&page_size=2", {"filters": HERS, "fields": ["memory"]})
        for page in (1, 2, 3, 4)
    ]

    assert [words(page["results"]) for page in pages] == [
        ["Bed 4 is full.", "Bed 3 is full."],
        ["Bed 2 is full.", "Bed 1 is full."],
        ["Bed 0 is full."],
        [],
    ]
    assert {page["count"] for page in pages} == {5}
    assert pages[0]["previous"] is None
    assert [page["next"] and page["next"].startswith("/v3/memories/?page=") for page in pages] == [
        True,
        True,
        None,
        None,
    ]
    assert pages[0]["results"][0].keys() == {"memory"}


def test_what_scores_too_low_is_left_out(mem0: Client) -> None:
    mem0.add("I live in Oslo.", "My name is Ada.", **HERS)

    assert mem0.search("Where does she live?", HERS, threshold=1.01) == []


def test_what_agents_keep_for_themselves_or_for_a_project_is_none_of_mem0_s(mem0: Client, call: Call) -> None:
    for scope, kind in (("user", "decision"), ("project", "fact")):
        note = {"content": f"We grow figs, says the {kind}.", "type": kind, "scope": scope}
        remember.execute({"project": "mem0", "user_id": "ada", "session_id": "s", **note}, call)
    mem0.add("We grow kale.", infer=False, **HERS)

    assert words(mem0.all(HERS)) == ["We grow kale."]
    assert words(mem0.search("What do we grow?", HERS)) == ["We grow kale."]
