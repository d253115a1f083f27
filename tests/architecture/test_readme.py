"""The session and the loop that README shows are what Cairn does."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

from cairn_tools.catalog import CATALOG

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SESSION = re.compile(r"^\$ call (\w+) '(.+)'\n(\{.+\})$", re.MULTILINE)
HEADERS = dict(re.findall(r'-H "(X-Cairn-\w+): (\w+)"', README))
ITS_OWN = {"id", "timestamp"}
"""Members that differ from run to run."""

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


@pytest.fixture
def ask(services: object, event_of: Callable[..., dict[str, Any]]) -> Ask:
    assert services

    def of(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        handler = import_module(f"cairn_tools.{tool}").handler
        answer = handler(
            event_of(f"/v1/tools/{tool}", arguments, headers={k.lower(): v for k, v in HEADERS.items()}), None
        )
        assert answer["statusCode"] == 200, answer["body"]
        return json.loads(answer["body"])

    return of


def is_part_of(shown: Any, answer: Any) -> bool:
    """Tell whether an answer has all that is shown of it."""
    if isinstance(shown, dict) and isinstance(answer, dict):
        members = cast("dict[str, Any]", shown)
        return all(name in answer and (name in ITS_OWN or is_part_of(members[name], answer[name])) for name in members)
    if isinstance(shown, list) and isinstance(answer, list):
        pairs = zip(cast("list[Any]", shown), cast("list[Any]", answer), strict=True)
        return all(is_part_of(*pair) for pair in pairs)
    return shown == answer


def test_the_session_with_its_answers_stands_on_the_first_screen_and_is_true(ask: Ask) -> None:
    shown = SESSION.findall(README)

    assert len(shown) == 3
    assert README[: README.index(shown[-1][-1])].count("\n") < 25
    for tool, arguments, answer in shown:
        assert is_part_of(json.loads(answer.replace(", …", "")), ask(tool, json.loads(arguments))), tool


def test_the_loop_stores_what_the_model_answered(ask: Ask) -> None:
    (shown,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    calls = [
        node for node in ast.parse(shown).body if not isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)
    ]

    def memory(tool: str, **given: object) -> Mapping[str, Any]:
        return ask(tool, {"session_id": "tuesday", **given})

    def your_model(items: list[object]) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": f"I read {len(items)} items."}]

    said: dict[str, Any] = {"memory": memory, "your_model": your_model}

    exec(compile(ast.Module(calls, []), "README.md", "exec"), said)  # noqa: S102 - a page of this repository

    assert said["prepared"]["input_items"][-1]["content"] == said["said"][0]["content"]


def test_every_tool_that_is_named_is_in_the_catalog() -> None:
    names = {tool.name for tool in CATALOG}

    assert set(re.findall(r"\b(?:memory_\w+|mcp_pipe)\b", README)) <= names
