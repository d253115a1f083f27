"""AutoGen: messages and events of its agents (`type`, `source`, `content`), and the messages of its model clients."""

from __future__ import annotations

from typing import Final

from cairn.conversation.media import Media, media_of
from cairn.messages.field import Field
from cairn.messages.parts import Calls, Message, Part, Text, as_json

_SAID: Final = frozenset(
    ["TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "ToolCallSummaryMessage"]
)
_THOUGHTS: Final = frozenset(
    [
        "ThoughtEvent",
        "MemoryQueryEvent",
        "UserInputRequestedEvent",
        "SelectSpeakerEvent",
        "ModelClientStreamingChunkEvent",
        "SelectorEvent",
    ]
)
_CALLS: Final = frozenset(("ToolCallRequestEvent",))
_RESULTS: Final = frozenset(("ToolCallExecutionEvent", "FunctionExecutionResultMessage"))
_OF_CLIENTS: Final = {"SystemMessage": "system", "UserMessage": "user", "AssistantMessage": "assistant"}
_CODE: Final = frozenset(("CodeGenerationEvent", "CodeExecutionEvent"))
_USERS: Final = frozenset(("user", "human", "user_proxy", "userproxy", "user_proxy_agent"))


def is_autogen(item: Field) -> bool:
    """Tell whether the item's type is the name of a message or an event, as these are."""
    kind, given = item.get("type"), item.map()
    by_source = "source" in given and kind.startswith("StructuredMessage")
    known = kind in _SAID | _THOUGHTS | _CALLS | _RESULTS | _CODE or kind in _OF_CLIENTS
    return "role" not in given and "content" in given and (known or by_source) and "additional_kwargs" not in given


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message or an event says, by its source; what an agent thought is left out."""
    kind, said = item.get("type"), item.at("content")
    if kind in _THOUGHTS:
        return []
    if kind in _RESULTS:
        return [Message("tool", tuple(_result(each, calls) for each in said.list()))]
    if kind in _CALLS or (kind == "AssistantMessage" and isinstance(said.value, list)):
        return [Message("assistant", tuple(_call(each, calls) for each in said.list()))]
    source = item.get("source")
    role = _OF_CLIENTS.get(kind) or ("user" if source.lower() in _USERS else "assistant")
    name = source if role in {"user", "assistant"} and source.lower() not in {*_USERS, "assistant"} else ""
    return [Message(role, tuple(_content(said)), name)]


def _call(call: Field, calls: Calls) -> Part:
    return calls.made(call.object().get("id"), call.at("name").text(), call.at("arguments").value)


def _result(result: Field, calls: Calls) -> Part:
    said = result.object().at("content").value
    words = [Text(as_json(said))] if said not in (None, "") else []
    return calls.answered(result.get("call_id"), result.get("name"), words)


def _content(said: Field) -> list[Part]:
    if isinstance(said.value, list):
        return [_part(each) for each in said.list()]
    return [Text(said.text() if isinstance(said.value, str) else as_json(said.value))]


def _part(part: Field) -> Text | Media:
    if isinstance(part.value, str):
        return Text(part.text())
    media = media_of(part.object().map(), "image")
    if media is None or not media.place:
        raise part.refused("must be text or an image with data")
    return media
