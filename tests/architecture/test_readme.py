"""The session and the loop that README shows are what Cairn does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

from cairn import Memory
from cairn_tools.catalog import CATALOG

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SESSION = re.compile(r"^\$ call (\w+) '(.+)'\n(\{.+\})$", re.MULTILINE)
HEADERS = dict(re.findall(r'-H "(X-Cairn-\w+): (\w+)"', README))
PROJECT, USER = re.findall(r"^\$ export KEY=.*keys create --project (\w+) --user (\w+)\)$", README, re.MULTILINE)[0]
"""What the key is bound to, with which both the session and the loop are played."""
ITS_OWN = {"id", "timestamp"}
"""Members that differ from run to run."""

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


@pytest.fixture
def ask(services: object, event_of: Callable[..., dict[str, Any]]) -> Ask:
    assert services

    def of(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        handler = import_module(f"cairn_tools.{tool}").handler
        event = event_of(f"/v1/tools/{tool}", arguments, headers={k.lower(): v for k, v in HEADERS.items()})
        event["requestContext"]["authorizer"]["lambda"] |= {"projects": PROJECT, "users": json.dumps([USER])}
        answer = handler(event, None)
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


@pytest.mark.req("R286")
def test_the_loop_stores_what_the_model_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("CAIRN_DATA", str(tmp_path / "store"))
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")

    def your_model(items: Sequence[object]) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": f"I read {len(items)} items."}]

    known: dict[str, Any] = {"your_model": your_model}
    for _ in range(2):  # a second conversation finds the first
        exec(compile(shown, "README.md", "exec"), known)  # noqa: S102 - a page of this repository
        known["memory"].close()

    assert known["said"] in json.dumps(known["prepared"].input_items[-1])
    with Memory(user="ada", project="garden") as memory:
        assert "I read 1 items." in [hit.content for hit in memory.search("How many items?")]
    # Who asks the same again is given what came of it, not the question.
    assert "Assistant: I read 1 items." in json.dumps(known["prepared"].input_items[:-1])


def test_every_tool_that_is_named_is_in_the_catalog() -> None:
    names = {tool.name for tool in CATALOG}

    assert set(re.findall(r"\b(?:memory_\w+|mcp_pipe)\b", README)) <= names
