"""The page on frameworks' messages does what it says: its examples are run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.vendors import JUDGES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "bring-your-framework-s-messages.md"


@pytest.mark.req("R288")
@pytest.mark.req("R290")
def test_the_examples_of_the_page_run_and_give_what_it_says(call: Call) -> None:
    answers = list[dict[str, Any]]()

    def memory(tool: str, **arguments: object) -> dict[str, Any]:
        named = {"project": "garden", "session_id": "tuesday", "user_id": "ada", **arguments}
        answers.append(execute(CATALOG, tool, named, call))
        return answers[-1]

    names: dict[str, Any] = {"memory": memory}
    code = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for block in code:
        exec(compile(block, PAGE.name, "exec"), names)  # noqa: S102 - what the page shows is what is tried

    first, prepared, second, text, third = answers
    assert (first["events_written"], first["instructions_left_out"]) == (4, 1)
    assert (second["events_written"], third["events_written"]) == (2, 2)
    JUDGES["anthropic"](prepared)
    JUDGES["text"](text)
    assert names["request"]["system"].startswith("You are a gardener.")
