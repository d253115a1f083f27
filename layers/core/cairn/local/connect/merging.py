"""Change a value in a JSON text and leave every other character as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cairn.local.connect.json_text import JsonValue, Node, parsed

_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_SPACES: Final = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is written, so that what is added looks the same."""

    comments: bool
    indent: str
    newline: str

    @classmethod
    def of(cls, text: str, *, comments: bool = False) -> Style:
        """Return a text's style; of one in a single line, two spaces."""
        found = _INDENT.search(text)
        return cls(comments, found[1] if found else "  ", "\r\n" if "\r\n" in text else "\n")


def put(text: str, path: Sequence[str], value: JsonValue, style: Style) -> str:
    """Return the text with a value at a path of names, in objects that are made where they are not there.

    ValueError where something else than an object is on the way.
    """
    node = parsed(text, comments=style.comments)
    for depth, name in enumerate(path):
        _must_be(node, dict, path[:depth])
        if name not in node.members:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _insert(text, node, (f"{json.dumps(name)}: ", value), depth + 1, style)
        node = node.members[name]
    if node.value == value:
        return text
    return text[: node.start] + _rendered(value, len(path), style) + text[node.end :]


def append(text: str, path: Sequence[str], value: JsonValue, style: Style) -> str:
    """Return the text with a value at the end of the list at a path, which is made where it is not there."""
    node = found(text, path, style)
    if node is None:
        return put(text, path, [value], style)
    _must_be(node, list, path)
    return _insert(text, node, ("", value), len(path) + 1, style)


def replace(text: str, path: Sequence[str], index: int, value: JsonValue, style: Style) -> str:
    """Return the text with another value in the place of one of a list."""
    node = found(text, path, style)
    if node is None or node.items[index].value == value:
        return text
    item = node.items[index]
    return text[: item.start] + _rendered(value, len(path) + 1, style) + text[item.end :]


def take(text: str, path: Sequence[str], style: Style) -> str:
    """Return the text without the member at a path; as it is where there is none."""
    owner = found(text, path[:-1], style)
    if owner is None or path[-1] not in owner.members:
        return text
    return _without(text, owner, list(owner.members).index(path[-1]), style)


def take_items(text: str, path: Sequence[str], is_taken: Callable[[Any], bool], style: Style) -> str:
    """Return the text without the values of a list that are to be taken."""
    node = found(text, path, style)
    if node is None:
        return text
    for index in reversed(range(len(node.items))):
        if is_taken(node.items[index].value):
            text = _without(text, node, index, style)
            node = found(text, path, style) or node
    return text


def found(text: str, path: Sequence[str], style: Style) -> Node | None:
    """Return the value at a path of names, None where there is none."""
    node: Node | None = parsed(text, comments=style.comments)
    for name in path:
        node = None if node is None else node.members.get(name)
    return node


def _must_be(node: Node, kind: type, path: Sequence[str]) -> None:
    if not isinstance(node.value, kind):
        said = {dict: "an object", list: "a list"}[kind]
        raise ValueError(f"{'.'.join(path) or 'its content'} is not {said}")  # noqa: TRY004 - a wrong value to whoever reads it


def _insert(text: str, owner: Node, member: tuple[str, JsonValue], depth: int, style: Style) -> str:
    """Put a member, its name and value, behind the last one, on lines of its own where the others are."""
    name, value = member
    last = owner.children[-1] if owner.children else None
    if last is None:
        inner = style.newline + style.indent * depth
        outer = style.newline + style.indent * (depth - 1)
        added = f"{inner}{name}{_rendered(value, depth, style)}{outer}"
        return text[: owner.start + 1] + added + text[owner.end - 1 :]
    is_alone = "\n" in text[owner.start : last.first]
    lead = style.newline + style.indent * depth if is_alone else " "
    return f"{text[: last.end]},{lead}{name}{_rendered(value, depth, style)}{text[last.end :]}"


def _rendered(value: JsonValue, depth: int, style: Style) -> str:
    lines = json.dumps(value, indent=style.indent, ensure_ascii=False).split("\n")
    return (style.newline + style.indent * depth).join(lines)


def _without(text: str, owner: Node, index: int, style: Style) -> str:
    """Take a member out with the spaces before it, and the comma that it needed."""
    child = owner.children[index]
    start = len(text[: child.first].rstrip(_SPACES))
    if index > 0:
        before = owner.children[index - 1]
        comma = text.index(",", _skip(text, before.end, style))
        return text[:comma] + text[comma + 1 : start] + text[child.end :]
    after = _skip(text, child.end, style)
    if text[after] != ",":
        rest = text[child.end : owner.end - 1]
        return text[:start] + (rest if rest.strip() else "") + text[owner.end - 1 :]
    return text[:start] + text[child.end : after] + text[after + 1 :]


def _skip(text: str, at: int, style: Style) -> int:
    space = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*" if style.comments else r"\s*", re.DOTALL)
    found_space = space.match(text, at)
    return at if found_space is None else found_space.end()
