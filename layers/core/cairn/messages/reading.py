"""Read what a caller sends, in whatever shape its framework has, into the items that Cairn keeps.

A shape is told by its structure alone, the first that fits in the order of the table. What fits none is held to that of
Responses, whose items are kept as they were sent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from cairn.conversation.roles import as_stored
from cairn.ground.errors import InvalidArgument
from cairn.messages import (
    a2a,
    anthropic,
    autogen,
    chat,
    converse,
    gemini,
    langchain,
    llama_index,
    pydantic_ai,
    responses,
    vercel,
)
from cairn.messages.field import Field
from cairn.messages.parts import Calls, Message, Text, items_of

Item = dict[str, Any]


class Shape(NamedTuple):
    """One way in which messages are written: how to tell it, and how to read it."""

    name: str
    fits: Callable[[Field], bool]
    read: Callable[[Field, Calls], list[Message]]


SHAPES: Final = (
    Shape("LangChain", langchain.is_langchain, langchain.read),
    Shape("AutoGen", autogen.is_autogen, autogen.read),
    Shape("pydantic-ai", pydantic_ai.is_pydantic_ai, pydantic_ai.read),
    Shape("ADK", gemini.is_event, gemini.read_event),
    Shape("A2A", a2a.is_a2a, a2a.read),
    Shape("Vercel UIMessage", vercel.is_ui_message, vercel.read),
    Shape("Gemini", gemini.is_content, gemini.read),
    Shape("llama-index", llama_index.is_llama_index, llama_index.read),
    Shape("Converse", converse.is_converse, converse.read),
    Shape("Vercel ModelMessage", vercel.is_model_message, vercel.read_model_message),
    Shape("Anthropic", anthropic.is_anthropic, anthropic.read),
)
"""All but those of OpenAI, in the order in which they are tried."""


def shape_of(item: Field) -> Shape | None:
    """Return the shape that an item is read by; None where it is kept as it is."""
    if responses.is_plain(item.map()):
        return None
    found = next((shape for shape in SHAPES if shape.fits(item)), None)
    if found is None and chat.is_chat(item) and not _is_kept(item):
        return Shape("Chat", chat.is_chat, chat.read)
    return found


def read(values: Sequence[object], by: str, path: str, most: int) -> list[list[Item]]:
    """Return for each value the items that it says; a text, and what does not tell its speaker, was said by `by`.

    InvalidArgument, by its place below `path`, for what cannot be read; a text may have `most` bytes.
    """
    calls = Calls()
    return [_read(Field(value, f"{path}[{index}]", most), by, calls) for index, value in enumerate(values)]


def understood(item: Item) -> list[Message]:
    """Return what an item says that is stored or was read; what older code kept in another shape is read as that."""
    field = Field(item, "", sys.maxsize)
    shape = shape_of(field)
    try:
        return [*shape.read(field, Calls())] if shape else responses.said(field)
    except InvalidArgument:
        return responses.said(Field(as_stored({"kind": item}), "", field.most))


def _read(field: Field, by: str, calls: Calls) -> list[Item]:
    if isinstance(field.value, str):
        if not field.value.strip():
            raise field.refused("must not be blank")
        return items_of(Message(by, (Text(field.text()),)))
    item = _named(field.object(), by)
    shape = shape_of(item)
    if shape is None:
        responses.check(item)
        return [dict(item.map())]
    return [each for message in shape.read(item, calls) for each in items_of(_spoken(message, by))]


def _named(item: Field, by: str) -> Field:
    """Return an item without a null type or role, which are none; what has content alone was said by `by`."""
    given = {name: value for name, value in item.map().items() if value is not None or name not in {"type", "role"}}
    is_content_alone = "content" in given and not given.keys() & {"type", "role", "author", "source", "kind", "lc"}
    return Field({"role": by, **given} if is_content_alone else given, item.path, item.most)


def _spoken(message: Message, by: str) -> Message:
    return message if message.role else message._replace(role=by)


def _is_kept(item: Field) -> bool:
    only_chats = ("tool_calls", "tool_call_id", "function_call", "refusal", "audio", "tool_name")
    return not item.has(*only_chats) and responses.is_kept(item)
