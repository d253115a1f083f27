"""Every function of the template, as it is built, answers its sample events under Lambda's own runtime."""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cairn_tools.catalog import CATALOG
from lambda_runtime import Function, Sandbox
from sample_events import samples
from support.tool import check_example, http_status

pytestmark = pytest.mark.enable_socket

TOOLS = {tool.name: tool for tool in CATALOG}
# By those that only AWS itself invokes, with events of its own.
RAISED = {"cairn_auth.authorizer.handler": "InvalidArgument", "cairn_jobs.worker.handler": "KeyError"}


def contents(function: Function) -> set[Path]:
    return {path for root in (function.code, function.layers) if root for path in Path(root).rglob("*")}


def test_a_function_answers_its_sample_events(function: Function, sandbox: Sandbox) -> None:
    before = contents(function)

    for name, event in samples(function, os.environ["RUNTIME_KEY"]).items():
        answer = sandbox.invoke(event)
        assert "errorType" not in answer, answer
        check(name, answer)

    assert contents(function) == before, "it wrote into what is read-only in Lambda"


def check(name: str, answer: dict[str, Any]) -> None:
    """Hold an answer to what its event asks: the authorizer, a job, a tool in the sandbox, a page, or a tool."""
    match answer:
        case {"context": context}:
            assert answer["isAuthorized"] is True
            assert context["tenant"] == "local"
        case {"batchItemFailures": failed}:
            assert failed == []
        case {"shards": shards}:
            assert isinstance(shards, list)
        case {"result": result}:
            check_output(name, result)
        case {"statusCode": HTTPStatus.SEE_OTHER, "cookies": [_]}:
            assert name == "console", "it alone signs a browser in"
        case _:
            check_response(name, answer)


def check_response(name: str, answer: dict[str, Any]) -> None:
    """Hold an answer to a request over HTTP or MCP."""
    body = json.loads(answer["body"])
    over_mcp = "jsonrpc" in body
    assert answer["statusCode"] == (http_status(TOOLS[name]) if name in TOOLS and not over_mcp else 200), body
    if name == "health":
        assert body["stores"] == {"table": True, "blobs": True, "key": True}
    elif name in TOOLS:
        check_example(TOOLS[name], body["result"]["structuredContent"] if over_mcp else body)


def check_output(name: str, structured: object) -> None:
    """Hold what a tool returned to its schema."""
    Draft202012Validator(TOOLS[name].output_schema()).validate(structured)  # pyright: ignore[reportUnknownMemberType]


def test_an_event_that_is_none_is_refused_and_not_failed(function: Function, sandbox: Sandbox) -> None:
    answer = sandbox.invoke({"nonsense": [1]})

    assert answer.get("statusCode", 400) in {400, 405}, answer
    if "errorType" in answer:
        assert answer["errorType"] == RAISED[function.handler]
