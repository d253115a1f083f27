"""Call several tools in one call: one after another or at once, each with what earlier ones gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cairn.tool.call import Call, execute
from cairn.tool.catalog import only
from cairn.tool.pipe import Piped, run_pipe
from cairn.tool.pipe_plan import Steps
from cairn.tool.tool import Tool, tool


class PipeOfSteps(BaseModel):
    """The steps to take."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    steps: Annotated[
        Steps,
        Field(
            description="At most 50, one after another; 1 to 8 in a list run at once. In arguments ${id.path}, such as "
            "${found.memories.0.id}, is that part of an earlier step's result, as text within a longer one; $${ is a "
            "plain ${. A step may be an mcp_pipe, 5 deep at most."
        ),
    ]


_SESSION = {"project": "garden", "session_id": "monday"}
_SAID = {"type": "message", "role": "user", "content": "I want to plant beans in May."}
_ANSWERED = {"type": "message", "role": "assistant", "content": "Late May is best."}
EXAMPLE = {
    "steps": [
        {
            "id": "stored",
            "tool": "memory_after_turn",
            "arguments": {**_SESSION, "turn_id": "turn-3", "input_items": [_SAID], "output_items": [_ANSWERED]},
        },
        [
            {"id": "tidied", "tool": "memory_run_maintenance", "arguments": _SESSION},
            {"id": "known", "tool": "memory_list_dir_with_abstract", "arguments": {**_SESSION, "limit": 1}},
        ],
        {
            "id": "next",
            "tool": "memory_before_turn",
            "arguments": {**_SESSION, "current_input": "Go on from here: ${known.summaries.0.abstract}"},
        },
    ]
}


def _catalog(name: str | None = None) -> Sequence[Tool]:
    from cairn_tools.catalog import CATALOG  # noqa: PLC0415 - which lists this tool too

    return [tool for tool in (CATALOG if name is None else only(CATALOG, name)) if not tool.for_operators]


@tool(
    title="Call several tools",
    example=EXAMPLE,
    grants=(),
    destructive=True,
    idempotent=False,
    timeout=29,
    runs=_catalog,
)
def mcp_pipe(request: PipeOfSteps, call: Call) -> Piped:
    """Call to save round trips: runs several tools in order or at once, later ones with results of earlier ones.

    Each step needs the rights that its tool needs. The first failure ends it: failed_step says which and why, results
    what was done before it, and nothing is undone.
    """
    return run_pipe(request.steps, call, lambda name, given, call: execute(_catalog(name), name, given, call))


handler = mcp_pipe.handler
