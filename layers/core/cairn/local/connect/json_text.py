"""Read JSON as text: where each value stands, so that one can be changed and all around it stays as it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

JsonValue: TypeAlias = Any
_SPACE: Final = re.compile(r"[\s\ufeff]*")
_SPACE_AND_COMMENTS: Final = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TEXT: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DEEPEST: Final = 200


class NotJson(ValueError):
    """A text is no JSON; `line` and `column`, from 1, say where that shows."""

    def __init__(self, text: str, at: int) -> None:
        """Keep where it breaks."""
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at)
        super().__init__(f"line {self.line}, column {self.column}")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: [start, end). `members` are an object's by name, `items` a list's."""

    start: int
    end: int
    value: JsonValue
    members: dict[str, Node] = field(default_factory=dict[str, "Node"])
    items: tuple[Node, ...] = ()
    name_start: int = -1
    """Where the name begins, of a member of an object."""

    @property
    def first(self) -> int:
        """Return where what stands for it in its object or list begins."""
        return self.start if self.name_start < 0 else self.name_start

    @property
    def children(self) -> tuple[Node, ...]:
        """Return what is in it, in order."""
        return self.items or tuple(self.members.values())


def parsed(text: str, *, comments: bool = False) -> Node:
    """Return the value of a text, with comments and commas before a closing bracket if allowed; NotJson otherwise."""
    reader = _Reader(text, comments=comments)
    found = reader.value(reader.skip(0), 0)
    if reader.skip(found.end) != len(text):
        raise NotJson(text, reader.skip(found.end))
    return found


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._comments = comments
        self._space = _SPACE_AND_COMMENTS if comments else _SPACE

    def skip(self, at: int) -> int:
        found = self._space.match(self._text, at)
        return at if found is None else found.end()

    def value(self, at: int, depth: int, name_start: int = -1) -> Node:
        if depth > _DEEPEST:
            raise NotJson(self._text, at)
        match self._text[at : at + 1]:
            case "{":
                return self._object(at, depth, name_start)
            case "[":
                return self._list(at, depth, name_start)
            case _:
                token = _TEXT.match(self._text, at) or _PLAIN.match(self._text, at)
                if token is None:
                    raise NotJson(self._text, at)
                return Node(at, token.end(), self._scalar(token), name_start=name_start)

    def _object(self, start: int, depth: int, name_start: int) -> Node:
        members: dict[str, Node] = {}
        at = self.skip(start + 1)
        while not self._text.startswith("}", at):
            name = _TEXT.match(self._text, at)
            if name is None:
                raise NotJson(self._text, at)
            colon = self.skip(name.end())
            self._expect(":", colon)
            member = self.value(self.skip(colon + 1), depth + 1, at)
            said = self._scalar(name)
            if said in members:  # two of a name: which of them counts is the agent's affair, so nothing is changed
                raise NotJson(self._text, at)
            members[said] = member
            at = self._next(member.end, "}")
        value = {name: member.value for name, member in members.items()}
        return Node(start, at + 1, value, members=members, name_start=name_start)

    def _list(self, start: int, depth: int, name_start: int) -> Node:
        items: list[Node] = []
        at = self.skip(start + 1)
        while not self._text.startswith("]", at):
            item = self.value(at, depth + 1)
            items.append(item)
            at = self._next(item.end, "]")
        return Node(start, at + 1, [item.value for item in items], items=tuple(items), name_start=name_start)

    def _next(self, end: int, closing: str) -> int:
        """Return where the next member begins, or the closing bracket is."""
        at = self.skip(end)
        if self._text.startswith(closing, at):
            return at
        self._expect(",", at)
        after = self.skip(at + 1)
        if self._text.startswith(closing, after) and not self._comments:
            raise NotJson(self._text, after)
        return after

    def _expect(self, character: str, at: int) -> None:
        if not self._text.startswith(character, at):
            raise NotJson(self._text, at)

    def _scalar(self, token: re.Match[str]) -> JsonValue:
        try:
            return json.loads(token.group())
        except ValueError:
            raise NotJson(self._text, token.start()) from None
