"""Write the model's input in the format that a caller asks for: one table, a writer for each vendor's messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from cairn.conversation import token_count as tokens
from cairn.conversation.items import text_of
from cairn.conversation.media import Media
from cairn.ground.session import ResponseItem
from cairn.messages import anthropic, chat, converse, gemini, langchain
from cairn.messages.dialogue import dialogue, taking_turns
from cairn.messages.field import Field
from cairn.messages.formats import Format
from cairn.messages.parts import Call, Message, Part, Text, items_of
from cairn.messages.plain import Sign, plain
from cairn.messages.reading import shape_of, understood

_SEPARATOR: Final = "\n\n"
Json = dict[str, Any]


class Input(NamedTuple):
    """What a model is to be given, in the items that Cairn keeps: memory before the rest, and the current input last.

    `memory` is what Cairn made itself, `recent` what it stored and the caller did not send.
    """

    memory: Sequence[ResponseItem] = ()
    history: Sequence[ResponseItem] = ()
    recent: Sequence[ResponseItem] = ()
    current: Sequence[ResponseItem] = ()

    @property
    def items(self) -> tuple[ResponseItem, ...]:
        """Return all of it, in the order in which a model reads it."""
        return (*self.memory, *self.history, *self.recent, *self.current)


class Written(NamedTuple):
    """The input in a caller's format, `system` and `text` where the format has them, and an estimate of its tokens."""

    items: tuple[ResponseItem, ...]
    tokens: int
    system: str | None = None
    text: str | None = None


class _Vendor(NamedTuple):
    """How a vendor's messages are written, whether their roles take turns, and whether instructions stand apart."""

    write: Callable[[Sequence[Message]], list[Json]]
    in_turns: bool = True


_VENDORS: Final[Mapping[Format, _Vendor]] = {
    "chat": _Vendor(chat.write, in_turns=False),
    "langchain": _Vendor(langchain.write, in_turns=False),
    "anthropic": _Vendor(anthropic.write),
    "converse": _Vendor(converse.write),
    "gemini": _Vendor(gemini.write),
}


def write(given: Input, form: Format, sign: Sign) -> Written:
    """Return the input in a format; `sign` makes the seal by which a plain text is known again."""
    if form == "responses":
        items = tuple(each for item in given.items for each in _responses(item))
        return Written(items, tokens.count_items(items))
    if form == "text":
        text = plain(_said(given.memory), _said(given.recent), sign)
        return Written((), tokens.count(text), text=text)
    vendor = _VENDORS[form]
    told, messages = dialogue(_said(given.items))
    if vendor.in_turns:
        turns = taking_turns(messages)
        system = _SEPARATOR.join(told)
        return Written(tuple(vendor.write(turns)), _tokens(turns) + tokens.count(system), system)
    whole = [*(Message("system", (Text(each),)) for each in told), *messages]
    return Written(tuple(vendor.write(whole)), _tokens(whole))


def _responses(item: ResponseItem) -> Sequence[ResponseItem]:
    """Return an item as it was sent, or what it says where older code kept another shape."""
    if shape_of(Field(item, "", 0)) is None:
        return (_whole(item),)
    return [_whole(each) for message in understood(dict(item)) for each in items_of(message)]


def _whole(item: ResponseItem) -> ResponseItem:
    """Return an item as the API's types have it.

    An answer in parts has an id there, so one without is a text; a tool's result has the id of its call, so one without
    is told by the user.
    """
    role, content = item.get("role"), cast("object", item.get("content"))
    if item.get("type", "message") != "message":
        return item
    if role == "tool":
        return items_of(Message("user", (Text(f"[Result of a tool: {text_of(item)}]"),)))[0]
    if role == "assistant" and "id" not in item and isinstance(content, list):
        said = cast("list[Any]", content)
        if all(isinstance(part, str) or part.get("type") == "output_text" for part in said):
            return {**item, "content": text_of(item)}
    return item


def _said(items: Sequence[ResponseItem]) -> list[Message]:
    return [message for item in items for message in understood(dict(item))]


def _tokens(messages: Sequence[Message]) -> int:
    return sum(tokens.ITEM_TOKENS + sum(map(_count, message.parts)) for message in messages)


def _count(part: Part) -> int:
    if isinstance(part, Text):
        return tokens.count(part.text)
    if isinstance(part, Media):
        return tokens.IMAGE_TOKENS if part.kind == "image" else tokens.count(part.label or part.kind)
    if isinstance(part, Call):
        return tokens.ITEM_TOKENS + tokens.count(part.name) + tokens.count(part.arguments)
    return tokens.ITEM_TOKENS + sum(map(_count, part.parts))
