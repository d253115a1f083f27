"""What goes wrong in a Lambda, under its own runtime: time, size, a process that ends, a store that hangs."""

from __future__ import annotations

import json
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from select import select
from typing import Any

import pytest

from cairn_tools.catalog import CATALOG
from functions import functions
from lambda_runtime import Function, Sandbox, running
from sample_events import samples

pytestmark = pytest.mark.enable_socket

STORELESS = {f"{each.logical_id}Function" for each in functions(CATALOG) if not each.grants}
QUOTED = '"' * 190_000
"""A text that doubles each time it is written into JSON."""
POLL_SECONDS = 0.05


@pytest.mark.req("R249")
def test_every_function_answers_before_its_time_is_up_though_the_store_hangs(
    deployed: dict[str, Function], tmp_path: Path
) -> None:
    """Each starts cold, and the next one when this one waits for its store: none waits for a processor instead."""

    def asked(function: Function, silence: str) -> dict[str, Any]:
        cut_off = replace(function, environment={**function.environment, "AWS_ENDPOINT_URL": silence})
        with running(cut_off, tmp_path / f"{function.name}.log") as sandbox:
            return sandbox.invoke(next(iter(samples(function, "cairn_" + "a" * 16 + "_" + "b" * 43).values())))

    answers: dict[str, Future[dict[str, Any]]] = {}
    with ExitStack() as stores, ThreadPoolExecutor(len(deployed)) as pool:
        for name, function in deployed.items():
            store = stores.enter_context(socket.create_server(("127.0.0.1", 0), backlog=128))  # which says nothing
            waited = answers[name] = pool.submit(asked, function, f"http://127.0.0.1:{store.getsockname()[1]}")
            while not (waited.done() or select([store], [], [], POLL_SECONDS)[0]):
                pass

    for name, answered in answers.items():
        answer = answered.result()
        failed = "unavailable" in json.dumps(answer).lower() or bool(answer.get("batchItemFailures"))
        assert failed is (name not in STORELESS), (name, answer)


def test_an_answer_over_six_megabytes_is_an_error_of_ours(deployed: dict[str, Function], tmp_path: Path) -> None:
    after, before, mcp = (
        deployed[name] for name in ("MemoryAfterTurnFunction", "MemoryBeforeTurnFunction", "McpFunction")
    )
    session = {"project": "large", "session_id": "quotes"}
    with running(after, tmp_path / "after.log") as sandbox:
        for number in range(3):
            said = [{"role": "user", "content": f"{number}{part}{QUOTED}"} for part in range(5)]
            turn = {**session, "turn_id": f"t{number}", "input_items": said, "output_items": []}
            assert sandbox.invoke(http_event(after, turn))["statusCode"] == 200
    wanted = {**session, "current_input": "All of it", "max_input_tok": 1_000_000_000}
    called = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": CATALOG[0].name, "arguments": wanted},
    }
    with running(before, tmp_path / "before.log") as over_http, running(mcp, tmp_path / "mcp.log") as over_mcp:
        for answer in (
            over_http.invoke(http_event(before, wanted)),
            over_mcp.invoke(http_event(mcp, called, bare=True)),
        ):
            assert answer["statusCode"] == 413, answer
            assert "PAYLOAD_TOO_LARGE" in answer["body"]
        assert over_http.invoke(http_event(before, {**wanted, "max_input_tok": 100}))["statusCode"] == 200


def http_event(function: Function, body: object, *, bare: bool = False) -> dict[str, Any]:
    """Return the function's sample event with another body; `bare` without the headers of MCP's newest revision."""
    event = next(iter(samples(function, "").values()))
    headers = {"content-type": "application/json"} if bare else event["headers"]
    return {**event, "headers": headers, "body": json.dumps(body)}


def test_a_request_over_six_megabytes_leaves_the_function_well(deployed: dict[str, Function], tmp_path: Path) -> None:
    function = deployed["MemoryBeforeTurnFunction"]
    with running(function, tmp_path / "function.log") as sandbox:
        sandbox.answer(json.dumps(http_event(function, {"current_input": "x" * 6_400_000})).encode())

        assert sandbox.invoke(next(iter(samples(function, "").values())))["statusCode"] == 200


def test_lambda_s_own_limits_are_enforced_here(faulty: Sandbox) -> None:
    assert faulty.invoke({}) == {"answered": 1, "body": ""}

    assert b"timed out after 1.00 seconds" in faulty.answer(b'{"sleep": 3}')
    assert faulty.invoke({"characters": 6_300_000})["errorType"] == "Function.ResponseSizeTooLarge"


def test_a_process_that_ends_is_started_anew(faulty: Sandbox) -> None:
    assert [faulty.invoke({})["answered"] for _ in range(2)] == [1, 2]

    assert faulty.invoke({"exit": True})["errorType"] == "Runtime.ExitError"

    assert [faulty.invoke({})["answered"] for _ in range(2)] == [1, 2]
