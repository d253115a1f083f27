"""Memory as one plain text, for prompts that are one: sealed at its end, so that it is known when it comes back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from cairn.messages.parts import Call, Message, Result, words

Sign = Callable[[bytes], str]
Verify = Callable[[bytes, str], bool]
_SEPARATOR: Final = "\n\n"
_END: Final = re.compile(r"\n\n\[End of memory ([0-9]{1,7})-([0-9.a-f]{1,48})\]")
_MOST_ENDS: Final = 8
"""At how many places of a text memory is looked for."""


def plain(memory: Sequence[Message], recent: Sequence[Message], sign: Sign) -> str:
    """Return what memory adds as a text: first what Cairn says itself, then a line for each thing said."""
    said = [*(words(each.parts) for each in memory), "\n".join(line for each in recent for line in _lines(each))]
    text = _SEPARATOR.join(filter(None, said))
    return f"{text}{_SEPARATOR}[End of memory {len(text)}-{sign(_sealed(text))}]" if text else ""


def without_memory(text: str, verify: Verify) -> str:
    """Return a text without what plain() made, wherever it stands in it."""
    for end in islice(_END.finditer(text), _MOST_ENDS):
        start = end.start() - int(end[1])
        if start >= 0 and verify(_sealed(text[start : end.start()]), end[2]):
            return f"{text[:start].rstrip()}{_SEPARATOR}{text[end.end() :].lstrip()}".strip()
    return text


def _sealed(text: str) -> bytes:
    return f"plain:{text}".encode()


def _lines(message: Message) -> list[str]:
    said = words(message.parts)
    by = message.name or message.role
    lines = [f"{by}: {_within(said)}"] if said else []
    lines += [f"{by} called {each.name}: {_within(each.arguments)}" for each in message.parts if isinstance(each, Call)]
    return lines + [f"tool: {_within(each.text)}" for each in message.parts if isinstance(each, Result)]


def _within(text: str) -> str:
    """Return a text whose further lines are indented, so that none of them looks like another speaker's."""
    return "\n  ".join(text.splitlines())
