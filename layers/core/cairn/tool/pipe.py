"""Running a pipe: group after group, each step through the door that any call takes, until one fails."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import Annotated, Any, cast

from pydantic import BaseModel, Field

from cairn.edge import problems
from cairn.edge.events import MAX_RESPONSE_BYTES
from cairn.ground.errors import CairnError, PayloadTooLarge, Unavailable
from cairn.process.system import ThreadedParallel
from cairn.tool.call import Call
from cairn.tool.pipe_plan import MAX_PARALLEL, Plan, Step
from cairn.tool.pipe_references import resolved

RunTool = Callable[[str, object, Call], dict[str, Any]]
_ANSWERING_SECONDS = 0.5
"""What is left of a pipe's time to tell what its steps did."""
_MOST_RESULT_BYTES = MAX_RESPONSE_BYTES - 200_000
"""What results may take of an answer over MCP; the rest is for what stands around them."""
_parallel = ThreadedParallel(MAX_PARALLEL)


class StepResult(BaseModel):
    """What a step gave."""

    id: Annotated[str, Field(description="The step.")]
    tool: Annotated[str, Field(description="Its tool.")]
    result: Annotated[dict[str, Any], Field(description="The tool's answer.")]


class FailedStep(BaseModel):
    """The first step that failed."""

    id: Annotated[str, Field(description="The step.")]
    tool: Annotated[str, Field(description="Its tool.")]
    error: Annotated[dict[str, Any], Field(description="Why: code, message, details, retryable.")]


class Piped(BaseModel):
    """What a pipe did."""

    results: Annotated[list[StepResult], Field(description="What the steps gave, in their order, up to a failure.")]
    failed_step: Annotated[
        FailedStep | None, Field(description="The step that failed; no step after it was begun.")
    ] = None


def run_pipe(plan: Plan, call: Call, run_tool: RunTool) -> Piped:
    """Return what the steps gave, up to the first that failed; Unavailable where there is no time for any."""
    run = _Run(replace(call, until=call.until - _ANSWERING_SECONDS), run_tool)
    run.check_time()
    return run.plan(plan, {})


@dataclass(frozen=True, slots=True)
class _Outcome:
    result: StepResult | None
    failure: FailedStep | None


class _Run:
    """One outermost pipe with all in it: they share its time, its threads and the room of its answer."""

    def __init__(self, call: Call, run_tool: RunTool) -> None:
        self._call = call
        self._run_tool = run_tool
        self._slots = BoundedSemaphore(MAX_PARALLEL)
        self._room = _MOST_RESULT_BYTES
        self._taking = Lock()

    def plan(self, plan: Plan, known: Mapping[str, Any]) -> Piped:
        """Run a pipe whose steps may refer to these results by id, and to its own."""
        results: list[StepResult] = []
        for group in plan.groups:
            outcomes = self._at_once([partial(self._outcome, step, known) for step in group])
            given = [each.result for each in outcomes if each.result is not None]
            results += given
            for failure in (each.failure for each in outcomes if each.failure is not None):
                return Piped(results=results, failed_step=failure)
            known = {**known, **{each.id: each.result for each in given}}
        return Piped(results=results)

    def check_time(self) -> None:
        """Raise Unavailable where no step may begin any more."""
        if time.monotonic() >= self._call.until:
            raise Unavailable("The pipe's time was up before this step began")

    def _at_once(self, steps: Sequence[Callable[[], _Outcome]]) -> Sequence[_Outcome]:
        if len(steps) == 1:
            return [steps[0]()]
        return cast("list[_Outcome]", _parallel(steps))

    def _outcome(self, step: Step, known: Mapping[str, Any]) -> _Outcome:
        if step.plan is not None:
            inner = self.plan(step.plan, known)
            gave = StepResult(id=step.id, tool=step.tool, result=inner.model_dump())
            failed = inner.failed_step and FailedStep(id=step.id, tool=step.tool, error=inner.failed_step.error)
            return _Outcome(gave, failed)
        try:
            return _Outcome(StepResult(id=step.id, tool=step.tool, result=self._result(step, known)), None)
        except CairnError as error:
            why = problems.envelope(error)["error"]
            return _Outcome(None, FailedStep(id=step.id, tool=step.tool, error=why))

    def _result(self, step: Step, known: Mapping[str, Any]) -> dict[str, Any]:
        with self._slots:
            self.check_time()
            most_bytes = self._call.services.settings.limits.request_bytes
            result = self._run_tool(step.tool, resolved(step.arguments, known, most_bytes), self._call)
        self._take(result)
        return result

    def _take(self, result: dict[str, Any]) -> None:
        """Take room for a result as MCP shows it, once plain and once as text, in a response that is JSON again."""
        text = json.dumps(result, ensure_ascii=False)
        size = len(json.dumps(text)) + len(json.dumps(json.dumps(text, ensure_ascii=False)))
        with self._taking:
            self._room -= size
            if self._room < 0:
                limit = {"field": "response", "limit": MAX_RESPONSE_BYTES}
                raise PayloadTooLarge("The step was done, but its result is more than the pipe can answer with", limit)
