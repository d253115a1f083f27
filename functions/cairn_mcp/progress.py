"""How far a long call is, told to a client that asked for it: of a pipe group by group, of maintenance its two ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from itertools import accumulate
from threading import Lock
from typing import Any, Final, cast

from cairn.ground.errors import InvalidArgument
from cairn.tool.pipe_plan import PIPE, Step, plan_of
from cairn_mcp.jsonrpc import RequestId, request_id
from cairn_mcp.server import ToolCall

MAINTENANCE: Final = "memory_run_maintenance"


class Progress:
    """What a call tells its client of how far it is, in steps of which the total is known."""

    def __init__(self, tell: Callable[..., None], token: RequestId, ends: Sequence[int]) -> None:
        """Tell under the client's token; `ends` are after how many calls inside each step has ended."""
        self._tell_client = tell
        self._token = token
        self._ends = ends
        self._calls = 0
        self._told = -1
        self._telling = Lock()

    def begin(self) -> None:
        """Tell that nothing is done yet."""
        self._tell(0)

    def ended(self) -> None:
        """Take note of a call inside that ended, and tell how far the whole is now."""
        with self._telling:
            self._calls += 1
            self._tell(sum(end <= self._calls for end in self._ends))

    def _tell(self, done: int) -> None:
        if done > self._told:  # by the specification it only ever grows
            self._told = done
            named = {"progressToken": self._token, "progress": done, "total": len(self._ends)}
            self._tell_client("notifications/progress", **named)


running: ContextVar[Progress | None] = ContextVar("cairn_mcp_progress", default=None)
"""What the call that runs in this context tells of its progress."""


def of_call(call: ToolCall, tell: Callable[..., None]) -> Progress | None:
    """Return what a long call tells, where its client asked for that and what it asks for is sound."""
    meta = call.params.get("_meta")
    token = request_id({"id": cast("dict[str, Any]", meta).get("progressToken")}) if isinstance(meta, dict) else None
    if token is None:
        return None
    if call.name == MAINTENANCE:
        return Progress(tell, token, [1])
    with suppress(InvalidArgument):
        if call.name == PIPE:
            groups: Sequence[Sequence[Step]] = plan_of(call.arguments.get("steps")).groups
            return Progress(tell, token, list(accumulate(sum(map(_calls, group)) for group in groups)))
    return None


def _calls(step: Step) -> int:
    """Return how many tools a step calls."""
    return 1 if step.plan is None else sum(_calls(each) for group in step.plan.groups for each in group)


def begins(name: str) -> None:
    """Take note in this context that a call begins."""
    if (progress := running.get()) is not None and name in {PIPE, MAINTENANCE}:
        progress.begin()


def ends(name: str) -> None:
    """Take note in this context that a call ended; a pipe ends with its last step."""
    if (progress := running.get()) is not None and name != PIPE:
        progress.ended()
