"""What a pipe does with its steps: order, parallel groups, the first failure, time and room."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from threading import Barrier, Event, Lock
from types import SimpleNamespace
from typing import Any

import pytest

from cairn.edge.events import respond
from cairn.ground.errors import CairnError, InternalError, NotFound, ResourceBusy, Unavailable
from cairn.tool.call import Call
from cairn.tool.pipe import Piped, run_pipe
from cairn.tool.pipe_plan import PIPE, plan_of
from support.services import changed

PATIENCE_SECONDS = 5.0
Answer = Callable[[str, Any, Call], dict[str, Any]]


def echo(_tool: str, arguments: Any, _call: Call) -> dict[str, Any]:
    return {"got": arguments}


class Tools:
    """Tools that answer as a test says; they keep what they were asked, in order."""

    def __init__(self, answer: Answer = echo) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.calls: list[Call] = []
        self._answer = answer
        self._lock = Lock()

    def run(self, tool: str, arguments: Any, call: Call) -> dict[str, Any]:
        with self._lock:
            self.asked.append((tool, arguments))
            self.calls.append(call)
        return self._answer(tool, arguments, call)


def step(name: str, tool: str = "recall", **arguments: object) -> dict[str, Any]:
    return {"id": name, "tool": tool, "arguments": arguments}


def pipe(name: str, *steps: object) -> dict[str, Any]:
    return {"id": name, "tool": PIPE, "arguments": {"steps": list(steps)}}


def ran(call: Call, tools: Tools, *steps: object) -> Piped:
    return run_pipe(plan_of(list(steps)), call, tools.run)


def failing(**errors: CairnError) -> Tools:
    """Return tools of which those with these names fail."""

    def answer(tool: str, arguments: Any, _call: Call) -> dict[str, Any]:
        if tool in errors:
            raise errors[tool]
        return {"got": arguments}

    return Tools(answer)


def ids(done: Piped) -> list[str]:
    return [each.id for each in done.results]


def test_steps_run_in_order_and_each_takes_what_earlier_ones_gave(call: Call) -> None:
    tools = Tools()
    done = ran(
        call,
        tools,
        step("a", n=1),
        step("b", n="${a.got.n}", text="n=${a.got.n}"),
        step("c", all="${b.got}", n="${a.got.n}"),
    )

    assert [arguments for _, arguments in tools.asked] == [
        {"n": 1},
        {"n": 1, "text": "n=1"},
        {"all": {"n": 1, "text": "n=1"}, "n": 1},
    ]
    assert [(each.id, each.tool) for each in done.results] == [("a", "recall"), ("b", "recall"), ("c", "recall")]
    assert done.results[1].result == {"got": {"n": 1, "text": "n=1"}}
    assert done.failed_step is None


def test_the_steps_of_a_group_run_at_once_and_answer_in_their_order(call: Call) -> None:
    together = Barrier(8, timeout=PATIENCE_SECONDS)

    def answer(_tool: str, arguments: Any, _call: Call) -> dict[str, Any]:
        together.wait()
        return arguments

    done = ran(call, Tools(answer), [step(f"s{number}", n=number) for number in range(8)])

    assert [each.result["n"] for each in done.results] == list(range(8))


@pytest.mark.slow
def test_no_more_than_8_steps_run_at_once_however_pipes_are_nested(call: Call) -> None:
    together, lock, ninth = Barrier(8, timeout=PATIENCE_SECONDS), Lock(), Event()
    running: list[str] = []

    def answer(tool: str, _arguments: Any, _call: Call) -> dict[str, Any]:
        with lock:
            running.append(tool)
            if len(running) > 8:
                ninth.set()
        together.wait()
        ninth.wait(0.1)
        with lock:
            running.pop()
        return {}

    inner = [pipe(f"p{p}", [step(f"s{p}{number}") for number in range(8)]) for p in range(3)]
    done = ran(call, Tools(answer), inner)

    assert done.failed_step is None
    assert not ninth.is_set()


def test_the_first_failure_ends_the_pipe_and_is_reported_with_its_step(call: Call) -> None:
    tools = failing(forget=NotFound("There is no such memory", {"id": "m1"}))
    done = ran(call, tools, step("a"), step("b", "forget"), step("c"))

    assert ids(done) == ["a"]
    assert done.model_dump()["failed_step"] == {
        "id": "b",
        "tool": "forget",
        "error": {
            "code": "NOT_FOUND",
            "message": "There is no such memory",
            "details": {"id": "m1"},
            "retryable": False,
        },
    }
    assert len(tools.asked) == 2


def test_a_failure_in_a_group_leaves_the_others_their_results_and_begins_nothing_after_it(call: Call) -> None:
    tools = failing(forget=ResourceBusy("busy"), remember=InternalError("broken"))
    done = ran(call, tools, [step("a"), step("b", "forget"), step("c", "remember"), step("d")], step("e"))

    assert ids(done) == ["a", "d"]
    assert done.failed_step is not None
    assert (done.failed_step.id, done.failed_step.error["code"]) == ("b", "RESOURCE_BUSY")
    assert sorted(tool for tool, _ in tools.asked) == ["forget", "recall", "recall", "remember"]


def test_a_pipe_in_a_pipe_gives_what_a_pipe_gives_and_its_failure_is_the_outer_step_s_too(call: Call) -> None:
    tools = failing(forget=NotFound("gone"))
    inner = pipe("p", step("b", n="${a.got.n}"), step("c", n="${b.got.n}"))

    done = ran(call, tools, step("a", n=1), inner, step("d", n="${p.results.1.result.got.n}"))
    assert ids(done) == ["a", "p", "d"]
    assert [each["id"] for each in done.results[1].result["results"]] == ["b", "c"]
    assert done.results[2].result == {"got": {"n": 1}}

    failed = ran(call, tools, step("a"), pipe("p", step("b"), pipe("q", step("c"), step("d", "forget"))), step("e"))
    assert ids(failed) == ["a", "p"]
    assert failed.failed_step is not None
    assert (failed.failed_step.id, failed.failed_step.tool, failed.failed_step.error["code"]) == (
        "p",
        PIPE,
        "NOT_FOUND",
    )
    within = failed.results[1].result
    assert ([each["id"] for each in within["results"]], within["failed_step"]["id"]) == (["b", "q"], "q")
    assert within["results"][1]["result"]["failed_step"]["id"] == "d"


def test_a_reference_that_leads_nowhere_fails_its_step_and_its_tool_is_not_called(call: Call) -> None:
    tools = Tools()
    done = ran(call, tools, step("a"), step("b", query="${a.got.absent}"))

    assert done.failed_step is not None
    assert (done.failed_step.id, done.failed_step.error["code"]) == ("b", "INVALID_ARGUMENT")
    assert done.failed_step.error["details"]["fields"] == {
        "arguments.query": "refers to a.got.absent, which step a did not give"
    }
    assert len(tools.asked) == 1


def test_references_make_no_request_larger_than_a_request_may_be(call: Call) -> None:
    settings = replace(call.services.settings, limits=replace(call.services.settings.limits, request_bytes=2000))
    small = replace(call, services=changed(call.services, settings=settings))
    done = ran(small, Tools(), step("a", text="x" * 1500), step("b", both=["${a.got.text}", "${a.got.text}"]))

    assert done.failed_step is not None
    assert (done.failed_step.id, done.failed_step.error["code"]) == ("b", "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize("text", ['"\\', "é", "x", "\x01", "𝄞"])
def test_results_that_no_answer_could_hold_end_the_pipe_and_what_is_told_fits_over_mcp(text: str, call: Call) -> None:
    def answer(_tool: str, _arguments: Any, _call: Call) -> dict[str, Any]:
        return {"text": text * 150_000}

    tools = Tools(answer)
    done = ran(call, tools, *[step(f"s{number}") for number in range(20)])

    assert 0 < len(done.results) < 20
    assert done.failed_step is not None
    assert done.failed_step.error["code"] == "PAYLOAD_TOO_LARGE"
    assert "was done" in done.failed_step.error["message"]
    assert len(tools.asked) == len(done.results) + 1
    told = done.model_dump(mode="json")
    content = [{"type": "text", "text": json.dumps(told, ensure_ascii=False)}]
    result = {"content": content, "structuredContent": told, "isError": False}
    assert respond(200, {"jsonrpc": "2.0", "id": 1, "result": result})["statusCode"] == 200


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return a monotonic clock that a test sets."""
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr("cairn.tool.pipe.time", SimpleNamespace(monotonic=lambda: now.time))
    return now


def test_all_steps_share_the_pipe_s_time_but_for_what_it_takes_to_answer(call: Call, clock: SimpleNamespace) -> None:
    tools = Tools()
    ran(replace(call, until=clock.time + 20), tools, step("a"), [step("b"), pipe("p", step("c"))])

    assert {each.until for each in tools.calls} == {clock.time + 19.5}
    assert {each.caller for each in tools.calls} == {call.caller}
    assert all(each.services is call.services for each in tools.calls)


def test_a_step_is_not_begun_once_the_time_is_up_and_what_was_done_is_told(call: Call, clock: SimpleNamespace) -> None:
    def answer(_tool: str, _arguments: Any, _call: Call) -> dict[str, Any]:
        clock.time += 15
        return {}

    tools = Tools(answer)
    done = ran(replace(call, until=clock.time + 20), tools, step("a"), step("b"), step("c"), step("d"))

    assert ids(done) == ["a", "b"]
    assert done.failed_step is not None
    assert (done.failed_step.id, done.failed_step.error["code"]) == ("c", "UNAVAILABLE")
    assert len(tools.asked) == 2


def test_a_pipe_without_time_for_any_step_is_unavailable(call: Call, clock: SimpleNamespace) -> None:
    tools = Tools()

    with pytest.raises(Unavailable):
        ran(replace(call, until=clock.time + 0.5), tools, step("a"))
    assert tools.asked == []


def test_what_is_no_error_of_cairn_s_is_not_held_back(call: Call) -> None:
    def answer(_tool: str, _arguments: Any, _call: Call) -> dict[str, Any]:
        raise ZeroDivisionError

    alone: list[Any] = [step("a")]
    for steps in (alone, [[step("a"), step("b")]]):
        with pytest.raises(ZeroDivisionError):
            ran(call, Tools(answer), *steps)
