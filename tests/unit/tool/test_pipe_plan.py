"""A pipe is refused as a whole, by the field that is wrong, before any step of it is done."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.ground.errors import InvalidArgument
from cairn.tool.pipe_plan import MAX_NESTING, MAX_PARALLEL, MAX_STEPS, PIPE, plan_of
from cairn_tools.catalog import CATALOG


def step(name: object, **arguments: object) -> dict[str, Any]:
    return {"id": name, "tool": "recall", "arguments": arguments}


def pipe(name: str, *steps: object) -> dict[str, Any]:
    return {"id": name, "tool": PIPE, "arguments": {"steps": list(steps)}}


def nested(depth: int) -> list[Any]:
    """Return the steps of a pipe in which so many stand in one another."""
    return [step("innermost")] if depth == 1 else [pipe(f"p{depth}", *nested(depth - 1))]


def problem(steps: object) -> tuple[str, str]:
    with pytest.raises(InvalidArgument) as refused:
        plan_of(steps)
    fields: Any = refused.value.details["fields"]
    ((field, why),) = fields.items()
    return field, why


def test_the_limits_are_those_of_the_contract_and_the_name_is_the_tool_s() -> None:
    assert (MAX_STEPS, MAX_NESTING, MAX_PARALLEL) == (50, 5, 8)
    assert [tool.name for tool in CATALOG if tool.runs is not None] == [PIPE]


def test_50_steps_are_the_most_those_of_inner_pipes_included() -> None:
    fifty = [step(f"s{number}") for number in range(50)]

    assert len(plan_of(fifty).groups) == 50
    assert problem([*fifty, step("s50")])[0] == "[50]"
    assert problem([pipe("inner", *fifty[:48]), [step("a"), step("b")]])[0] == "[1][1]"
    assert plan_of([pipe("inner", *fifty[:48]), step("a")])


def test_5_pipes_in_one_another_are_the_most() -> None:
    assert plan_of(nested(5))
    field, why = problem(nested(6))
    assert (field, why) == ("[0]" + ".arguments.steps[0]" * 4 + ".arguments.steps", "nests pipes deeper than 5")


def test_8_steps_at_once_are_the_most() -> None:
    eight = [step(f"s{number}") for number in range(8)]

    assert [len(group) for group in plan_of([eight, step("after")]).groups] == [8, 1]
    assert problem([[*eight, step("s8")]]) == ("[0]", "must hold 1 to 8 steps, which run at once")
    nobody: list[Any] = []
    assert problem([step("a"), nobody])[0] == "[1]"


@pytest.mark.parametrize("given", [None, {}, [], "steps", 7])
def test_steps_are_a_list_that_is_not_empty(given: object) -> None:
    assert problem(given) == ("", "must be a list of at least one step")
    assert problem([{"id": "p", "tool": PIPE, "arguments": {"steps": given}}])[0] == "[0].arguments.steps"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ("step", "[0]"),
        (None, "[0]"),
        ([[step("a")]], "[0][0]"),
        ({"tool": "recall", "arguments": {}}, "[0].id"),
        ({"id": "a", "arguments": {}}, "[0].tool"),
        ({"id": "a", "tool": "recall"}, "[0].arguments"),
        ({**step("a"), "when": 1}, "[0].when"),
        (step(""), "[0].id"),
        (step("a.b"), "[0].id"),
        (step("a\n"), "[0].id"),
        (step(7), "[0].id"),
        (step("x" * 65), "[0].id"),
        ({**step("a"), "tool": "re call"}, "[0].tool"),
        ({**step("a"), "arguments": []}, "[0].arguments"),
        ({**pipe("a", step("b")), "arguments": {"steps": [step("b")], "more": 1}}, "[0].arguments"),
        ({**pipe("a"), "arguments": {}}, "[0].arguments"),
    ],
)
def test_a_step_has_an_id_a_tool_and_arguments_and_nothing_else(given: object, field: str) -> None:
    assert problem([given])[0] == field


@pytest.mark.parametrize(
    "steps",
    [[step("a"), step("a")], [[step("a"), step("a")]], [step("a"), pipe("p", step("a"))], [pipe("a", step("a"))]],
)
def test_an_id_is_one_step_s_in_all_pipes(steps: list[Any]) -> None:
    field, why = problem(steps)

    assert field.endswith(".id")
    assert why == "is another step's already"


@pytest.mark.parametrize(
    ("steps", "field"),
    [
        ([step("a", query="${b.x}"), step("b")], "[0].arguments.query"),
        ([step("a", query="${a.x}")], "[0].arguments.query"),
        ([[step("a"), step("b", query=["${a.x}"])]], "[0][1].arguments.query[0]"),
        ([step("a", query="${nobody}")], "[0].arguments.query"),
        ([pipe("p", step("a")), step("b", query="${a}")], "[1].arguments.query"),
        ([pipe("p", step("a", query="${p.results}"))], "[0].arguments.steps[0].arguments.query"),
        ([step("a", query="${b")], "[0].arguments.query"),
    ],
)
def test_a_reference_is_to_a_step_that_has_ended_in_its_own_pipe_or_around_it(steps: list[Any], field: str) -> None:
    assert problem(steps)[0] == field


def test_an_inner_pipe_sees_what_ended_before_it_and_others_see_what_it_gave_as_a_whole() -> None:
    inner = pipe("p", step("b", query="${a.x}"), [step("c", query="${b.x} ${a.x}")])

    assert plan_of([step("a"), inner, step("d", query="${p.results.0.result.x} ${a.x}")])
