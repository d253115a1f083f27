"""References in a step's arguments to what earlier steps gave."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.errors import InvalidArgument, PayloadTooLarge
from cairn.tool.pipe_references import resolved

FOUND: dict[str, Any] = {
    "memories": [{"id": "m1", "score": 0.5, "new": True, "tags": ["a"]}],
    "count": 1,
    "a b": None,
    "7": "seven",
}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def put(value: object, **results: object) -> Any:
    return resolved({"x": value}, results, 1_000_000)["x"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${found.memories.0.id}", "m1"),
        ("${found.memories.0.score}", 0.5),
        ("${found.memories.0.new}", True),
        ("${found.memories.0.tags}", ["a"]),
        ("${found.a b}", None),
        ("${found.7}", "seven"),
        ("${found.memories.0}", FOUND["memories"][0]),
        ("${found}", FOUND),
        ("is ${found.memories.0.id}, ${found.count} of ${found.memories.0.tags}", 'is m1, 1 of ["a"]'),
        ("${found.memories.0.new}${found.a b}", "truenull"),
        (" ${found.count}", " 1"),
        ("costs $5 {or} $ {six}", "costs $5 {or} $ {six}"),
        ("$${found.count}", "${found.count}"),
        ("$$${found.count}$${", "$${found.count}${"),
    ],
)
def test_a_reference_alone_keeps_its_type_and_within_a_text_it_is_text(text: str, value: object) -> None:
    assert put(text, found=FOUND) == value
    assert put([{"deep": [text]}], found=FOUND) == [{"deep": [value]}]


def escaped(part: Any) -> Any:
    if isinstance(part, str):
        return part.replace("${", "$${")
    if isinstance(part, list):
        return [escaped(each) for each in cast("list[Any]", part)]
    return (
        {name: escaped(each) for name, each in cast("dict[str, Any]", part).items()} if isinstance(part, dict) else part
    )


@pytest.mark.slow
@given(JSON)
def test_any_result_comes_through_whole_as_it_was(value: Any) -> None:
    assert json.dumps(put("${a}", a=value)) == json.dumps(value)
    assert json.dumps(put("${a.v}", a={"v": value})) == json.dumps(value)


@pytest.mark.slow
@given(JSON)
def test_arguments_whose_marks_are_escaped_are_what_they_were(value: Any) -> None:
    assert put(escaped(value)) == value


@pytest.mark.slow
@given(st.text())
def test_what_was_put_is_not_looked_through_again(text: str) -> None:
    stored = "${b.secret}" + text

    assert put("${a}", a=stored, b={"secret": "canary"}) == stored
    assert put("say ${a}", a=stored, b={"secret": "canary"}) == f"say {stored}"


@pytest.mark.parametrize(
    "path",
    [
        "absent",
        "memories.1",
        "memories.-1",
        "memories.id",
        "memories.0.id.0",
        "count.0",
        "memories.\u0660",
        "memories.0x",
        "new",
    ],
)
def test_a_reference_that_leads_nowhere_names_its_field_its_step_and_its_path(path: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        resolved({"list": [{"query": f"a ${{found.{path}}}"}]}, {"found": FOUND}, 1000)

    assert refused.value.details["fields"] == {
        "arguments.list[0].query": f"refers to found.{path}, which step found did not give"
    }


@pytest.mark.parametrize(
    "text", ["${", "${}", "${.a}", "${a.}", "${a..b}", "${a b}", "${${a}}", "x ${a", "${ä}", "${a{b}"]
)
def test_what_looks_like_a_reference_and_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"arguments\.x must refer to a step as \$\{id\.path\}"):
        put(text, a={"b": 1})


def test_what_references_stand_for_is_bounded_in_all() -> None:
    result = {"text": "x" * 98}  # 100 bytes as JSON

    assert resolved({"x": "${a.text}" * 10}, {"a": result}, 1000)
    for arguments in ({"x": "${a.text}" * 11}, {"x": ["${a.text}"] * 11}, {"x": ["${a.text}"] * 10, "y": "${a.text}"}):
        with pytest.raises(PayloadTooLarge):
            resolved(arguments, {"a": result}, 1000)
