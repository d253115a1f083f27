"""The vendors' own types as judges of what Cairn answers in their formats, and the rules that their APIs add."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

DATA = Path(__file__).resolve().parents[1] / "data"
Json = dict[str, Any]


@cache
def frameworks() -> Mapping[str, list[Json]]:
    """Return one conversation as each framework's own classes wrote it."""
    made = json.loads((DATA / "framework_messages.json").read_text(encoding="utf-8"))
    return {name: each["messages"] for name, each in made.items()}


@cache
def _adapter(module: str, name: str) -> TypeAdapter[Any]:
    from importlib import import_module  # noqa: PLC0415 - vendors' packages are slow to import

    kind: Any = getattr(import_module(module), name)
    return TypeAdapter(cast("Any", list).__class_getitem__(kind))


@cache
def _converse() -> tuple[Any, Any]:
    from botocore.session import Session  # noqa: PLC0415 - as above
    from botocore.validate import ParamValidator  # noqa: PLC0415 - as above

    model = cast("Any", Session()).get_service_model("bedrock-runtime").operation_model("Converse").input_shape
    return ParamValidator(), model


@cache
def _langchain() -> Any:
    schema = json.loads((DATA / "langchain_messages.schema.json").read_text(encoding="utf-8"))
    definitions = schema.pop("$defs")
    return Draft202012Validator({"type": "array", "items": schema, "$defs": definitions})


def _responses(answer: Json) -> None:
    _adapter("openai.types.responses", "ResponseInputItemParam").validate_python(answer["input_items"])
    asked, answered = set[str](), set[str]()
    for item in answer["input_items"]:
        if item.get("type") == "function_call":
            asked.add(item["call_id"])
        if item.get("type") == "function_call_output":
            assert item["call_id"] in asked
            answered.add(item["call_id"])
    assert asked == answered


def _chat(answer: Json) -> None:
    items = answer["input_items"]
    _adapter("openai.types.chat", "ChatCompletionMessageParam").validate_python(items)
    waiting = list[str]()
    for item in items:
        if item["role"] == "tool":
            assert item["tool_call_id"] in waiting
            waiting.remove(item["tool_call_id"])
        else:
            assert waiting == []
            waiting = [call["id"] for call in item.get("tool_calls", ())]
    assert waiting == []


def _in_turns(roles: list[str], other: str) -> None:
    assert roles == ["user" if at % 2 == 0 else other for at in range(len(roles))]


def _paired(turns: list[tuple[list[str], list[str]]]) -> None:
    """Hold each turn's calls to the results of the next, and no result to another place."""
    for (calls, _), (_, results) in zip([([], []), *turns], [*turns, ([], [])], strict=True):
        assert sorted(calls) == sorted(results)


def _anthropic(answer: Json) -> None:
    items = answer["input_items"]
    _adapter("anthropic.types", "MessageParam").validate_python(items)
    assert isinstance(answer["system"], str)
    _in_turns([item["role"] for item in items], "assistant")
    assert all(block["type"] != "text" or block["text"].strip() for item in items for block in item["content"])
    for item in items:
        kinds = [block["type"] == "tool_result" for block in item["content"]]
        assert kinds == sorted(kinds, reverse=True), "results come first"
    _paired(
        [
            (
                [block["id"] for block in item["content"] if block["type"] == "tool_use"],
                [block["tool_use_id"] for block in item["content"] if block["type"] == "tool_result"],
            )
            for item in items
        ]
    )


def _bedrock(answer: Json) -> None:
    validator, model = _converse()
    items = answer["input_items"]
    system = {"system": [{"text": answer["system"]}]} if answer["system"] else {}
    report = validator.validate({"modelId": "m", "messages": items, **system}, model)
    assert not report.has_errors(), report.generate_report()
    _in_turns([item["role"] for item in items], "assistant")
    assert all(item["content"] for item in items)
    _paired(
        [
            (
                [block["toolUse"]["toolUseId"] for block in item["content"] if "toolUse" in block],
                [block["toolResult"]["toolUseId"] for block in item["content"] if "toolResult" in block],
            )
            for item in items
        ]
    )


def _gemini(answer: Json) -> None:
    items = answer["input_items"]
    _adapter("google.genai.types", "Content").validate_python(items)
    _in_turns([item["role"] for item in items], "model")
    _paired(
        [
            (
                [part["functionCall"]["id"] for part in item["parts"] if "functionCall" in part],
                [part["functionResponse"]["id"] for part in item["parts"] if "functionResponse" in part],
            )
            for item in items
        ]
    )


def _of_langchain(answer: Json) -> None:
    items = answer["input_items"]
    problems = [error.message for error in _langchain().iter_errors(items)]
    assert problems == []
    kinds = [item["type"] == "system" for item in items]
    assert kinds == sorted(kinds, reverse=True), "instructions come first"


def _text(answer: Json) -> None:
    assert answer["input_items"] == []
    assert isinstance(answer["text"], str)
    assert not answer["text"].startswith("{")


JUDGES: Mapping[str, Callable[[Json], None]] = {
    "responses": _responses,
    "chat": _chat,
    "anthropic": _anthropic,
    "converse": _bedrock,
    "gemini": _gemini,
    "langchain": _of_langchain,
    "text": _text,
}
"""By format: raises for an answer that the vendor would not take."""
