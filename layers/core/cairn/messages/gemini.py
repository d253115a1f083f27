"""Gemini contents and events of its Agent Development Kit: `parts`, with names in snake case or camel case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from cairn.conversation.media import Media, media_of
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Message, Part, Result, Text, as_json, objects

_ROLES: Final = {"": "", "user": "user", "model": "assistant", "assistant": "assistant", "function": "tool"} | {
    each: each for each in ("tool", "system")
}
_SHAPE: Final = "must be a Gemini part: text, functionCall, functionResponse, inlineData or fileData"
_MARKS: Final = (
    *("thought_signature", "thoughtSignature", "video_metadata", "videoMetadata", "tool_call", "toolCall"),
    *("tool_response", "toolResponse"),
)
"""What says nothing: marks, and what the API notes of its own tools."""
Json = dict[str, Any]


def is_event(item: Field) -> bool:
    """Tell whether the item is an event of the Agent Development Kit."""
    said = item.map().get("content")
    is_one = isinstance(item.map().get("author"), str) and "role" not in item.map()
    return is_one and ("content" in item.map() or item.has("actions")) and (said is None or isinstance(said, dict))


def is_content(item: Field) -> bool:
    """Tell whether the item has parts without a type or kind."""
    return "parts" in item.map() and item.map().get("content") is None


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a content says; what it thought is left out."""
    role = _ROLES.get(item.get("role"))
    if role is None:
        raise item.at("role").refused("must be user, model or function")
    parts = [part for each in item.at("parts").list("a list of parts") for part in _read(each.object(), calls)]
    is_result = bool(parts) and all(isinstance(part, Result) for part in parts)
    return [Message("tool" if is_result else role, tuple(parts))]


def read_event(event: Field, calls: Calls) -> list[Message]:
    """Return what an event says, by whoever its author is; one of actions alone says nothing."""
    if not event.has("content"):
        return []
    author = event.get("author")
    by = "user" if author == "user" else "assistant"
    return [
        message._replace(role=by if message.role in {"", "user", "assistant"} else message.role)
        for message in read(event.at("content"), calls)
    ]


def _read(part: Field, calls: Calls) -> Iterable[Part]:  # noqa: PLR0911 - one for each kind of part
    if part.map().get("thought"):
        return []
    if part.has("text"):
        return [Text(part.at("text").text())]
    if part.has("function_call", "functionCall"):
        asked = part.at("function_call", "functionCall").object()
        return [calls.made(asked.get("id"), asked.at("name").text(), asked.at("args").value)]
    if part.has("function_response", "functionResponse"):
        answer = part.at("function_response", "functionResponse").object()
        return [calls.answered(answer.get("id"), answer.at("name").text(), _answer(answer.at("response")))]
    if part.has("inline_data", "inlineData", "file_data", "fileData"):
        held = part.at("inline_data", "inlineData", "file_data", "fileData").object()
        media = media_of(held.map(), "file")
        return [media] if media else []
    if part.has("executable_code", "executableCode"):
        return [Text(part.at("executable_code", "executableCode").at("code").text())]
    if part.has("code_execution_result", "codeExecutionResult"):
        return [Text(part.at("code_execution_result", "codeExecutionResult").get("output"))]
    if part.has("audio_transcription", "audioTranscription"):
        return [Text(part.at("audio_transcription", "audioTranscription").at("text").text())]
    if part.has(*_MARKS):
        return []
    raise part.refused(_SHAPE)


def _answer(response: Field) -> list[Text | Media]:
    """Return what a function answered: the text alone where it is all that stands under output or result."""
    held = response.map()
    if len(held) == 1 and response.get("output", "result"):
        return [Text(response.at("output", "result").text())]
    return [] if response.value in (None, {"output": ""}) else [Text(as_json(response.value))]


def write(messages: Sequence[Message]) -> list[Json]:
    """Return contents: user and model take turns, and a function's response has the user's role."""
    named = {part.id: part.name for message in messages for part in message.parts if isinstance(part, Call)}
    return [
        {
            "role": "model" if message.role == "assistant" else "user",
            "parts": [_part(part, named) for part in message.parts],
        }
        for message in messages
    ]


def _part(part: Part, named: dict[str, str]) -> Json:
    if isinstance(part, Text):
        return {"text": part.text}
    if isinstance(part, Call):
        return {"functionCall": {"id": part.id, "name": part.name, "args": dict(objects(part.arguments))}}
    if isinstance(part, Result):
        name = named.get(part.id) or part.name or "tool"
        return {"functionResponse": {"id": part.id, "name": name, "response": {"output": part.text}}}
    if part.data:
        named_so = {"displayName": part.name} if part.name else {}
        return {"inlineData": {"mimeType": part.mime or "application/octet-stream", "data": part.data, **named_so}}
    if part.url and part.mime:
        return {"fileData": {"mimeType": part.mime, "fileUri": part.url}}
    return {"text": part.label or f"[{part.kind}]"}
