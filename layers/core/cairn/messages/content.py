"""Content parts that have a type, as most vendors write them: one reader for all, since frameworks pass them on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from cairn.conversation.media import Media, media_of
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Part, Result, Text, as_json

MEDIA: Final = frozenset(
    [
        "image",
        "image_url",
        "input_image",
        "file",
        "input_file",
        "document",
        "audio",
        "input_audio",
        "audio_url",
        "video",
        "video_url",
        "input_video",
        "container_upload",
        "image-url",
        "image-data",
        "file-url",
        "file-data",
        "file-id",
        "media",
    ]
)
THOUGHTS: Final = frozenset(
    [
        "thinking",
        "redacted_thinking",
        "reasoning",
        "reasoning_content",
        "reasoning_text",
        "compaction",
        "reasoning-file",
        "step-start",
        "cache_point",
        "cachePoint",
    ]
)
"""What a model thought, or how it went on: not what was said."""
TEXTS: Final = frozenset(["text", "input_text", "output_text", "summary_text", "text-plain"])
CALLS: Final = frozenset(["tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "server_tool_call"])
SHAPE: Final = "must be a text, image, file, tool call, tool result or reasoning part"
Reader = Callable[[Field, Calls], Iterable[Part]]


def content(said: Field, calls: Calls) -> list[Part]:
    """Return what a content says: text, or a list of texts and typed parts; nothing where there is none."""
    if isinstance(said.value, str):
        return [Text(said.text())]
    if said.value is None:
        return []
    return [part for each in said.list("text or a list of content parts") for part in typed(each, calls)]


def shown(said: Field, calls: Calls) -> list[Text | Media]:
    """Return what a tool answered: text, parts, or any other JSON as text."""
    if said.value is None or isinstance(said.value, str):
        return [Text(said.text())] if said.value else []
    if said.is_list and all(map(_is_part, said.list())):
        return [part for part in content(said, calls) if isinstance(part, Text | Media)]
    return [Text(as_json(said.value))]


def typed(part: Field, calls: Calls) -> Iterable[Part]:  # noqa: PLR0911 - one for each kind of part
    """Return what one part says; InvalidArgument where nobody could find what it says."""
    if isinstance(part.value, str):
        return [Text(part.text())]
    kind = part.object().get("type")
    if kind in THOUGHTS:
        return []
    if kind in CALLS:
        return [_call(part, calls)]
    if kind in {"tool_result", "tool-result"} or kind.endswith("_tool_result"):
        return [_result(part, calls)]
    if kind == "refusal":
        return [Text(part.at("refusal").text())]
    if kind == "search_result":
        return [Text("\n".join(filter(None, [part.get("title", "source"), *_texts(part.at("content"), calls)])))]
    if kind in MEDIA:
        return _media(part, calls)
    if part.has("text"):
        return [Text(part.at("text").text())]
    raise part.refused(SHAPE)


def _is_part(field: Field) -> bool:
    kind = field.get("type")
    return isinstance(field.value, str) or kind in TEXTS or kind in MEDIA or kind == "search_result"


def _texts(said: Field, calls: Calls) -> list[str]:
    return [part.text for part in content(said, calls) if isinstance(part, Text)]


def _call(part: Field, calls: Calls) -> Call:
    name = part.at("name", "toolName").text()
    return calls.made(part.get("id", "toolCallId"), name, part.at("input", "args", "arguments").value)


def _result(part: Field, calls: Calls) -> Result:
    said = part.at("content", "output", "result")
    if said.get("type") in {"text", "json", "error-text", "error-json", "content"} and "value" in said.map():
        said = said.at("value")  # as Vercel's ModelMessage wraps it
    return calls.answered(part.get("tool_use_id", "toolCallId"), part.get("toolName"), shown(said, calls))


def _media(part: Field, calls: Calls) -> list[Part]:
    """Return an image or a file, and the words of a document that is text."""
    source = part.at("source")
    if source.get("type") in {"text", "content"}:
        said = source.at("data") if source.get("type") == "text" else source.at("content")
        return [Text("\n".join(filter(None, [part.get("title"), *_texts(said, calls)])))]
    shown = media_of(part.map(), "file" if part.get("type") == "container_upload" else "")
    if shown is None or not (shown.place or shown.file_id or shown.name):
        raise part.refused("must have an address, bytes in base64 or a name")
    return [shown]
