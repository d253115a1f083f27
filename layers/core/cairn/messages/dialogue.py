"""Bring messages into the order that models' APIs ask for: calls before their results, roles that take turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Final, NamedTuple

from cairn.conversation.roles import PRIVILEGED
from cairn.messages.parts import Call, Message, Part, Result, Text, words

OPENING: Final = "[The conversation goes on from what was said before.]"
"""What the user says first where an API wants that and the first message is the model's."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64


class Dialogue(NamedTuple):
    """What a model is told by its caller, and the messages."""

    system: tuple[str, ...]
    messages: tuple[Message, ...]


def wire_id(identifier: str) -> str:
    """Return the id of a call in what every vendor takes: an id that one of them refuses is replaced, always alike."""
    if _ID.fullmatch(identifier):
        return identifier
    return f"call_{sha256(identifier.encode()).hexdigest()[:24]}"


def dialogue(messages: Iterable[Message]) -> Dialogue:
    """Return instructions apart, and messages with each call's result right behind it.

    A call without its result, or a result without its call, no API takes: it is told in words.
    """
    given = [*messages]
    system = [words(each.parts) for each in given if each.role in PRIVILEGED]
    spoken = [_portable(each) for each in given if each.role not in PRIVILEGED]
    said = [each for each in spoken if each.parts]
    return Dialogue(tuple(filter(None, system)), tuple(each for each in _paired(said) if each.parts))


def taking_turns(messages: Sequence[Message]) -> list[Message]:
    """Return messages of user and assistant in turn, the user first; results are the user's, before what is said."""
    turns: list[Message] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1].role == role:
            turns[-1] = Message(role, (*turns[-1].parts, *message.parts))
        else:
            turns.append(Message(role, message.parts))
    if turns and turns[0].role == "assistant":
        turns.insert(0, Message("user", (Text(OPENING),)))
    return [each._replace(parts=_results_first(each.parts)) for each in turns]


def _results_first(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(sorted(parts, key=lambda part: not isinstance(part, Result)))


def _paired(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages, what the model says at once as one where it calls, then the results of its calls."""
    results = _results(messages)
    taken = {id(result) for result in results.values()}
    for is_model, run in groupby(messages, key=lambda each: each.role == "assistant"):
        if is_model:
            yield from _with_results([*run], results)
            continue
        for message in run:
            parts = tuple(_answered(part, message.role) for part in message.parts if id(part) not in taken)
            yield Message("user", parts, message.name)


def _results(messages: Sequence[Message]) -> dict[str, Result]:
    """Return the first result of each call that stands behind it, by the id of the call."""
    called: set[str] = set()
    found: dict[str, Result] = {}
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, Call):
            called.add(part.id)
        elif isinstance(part, Result) and part.id in called:
            found.setdefault(part.id, part)
    return found


def _with_results(run: Sequence[Message], results: Mapping[str, Result]) -> Iterator[Message]:
    """Yield what a model says at once: from the message before its first call on as one, with the calls at its end."""
    first = next((at for at, each in enumerate(run) if any(isinstance(part, Call) for part in each.parts)), None)
    if first is None:
        yield from run
        return
    begin = max(0, first - 1)
    yield from run[:begin]
    parts = [part for message in run[begin:] for part in message.parts]
    asked = {part.id: part for part in parts if isinstance(part, Call)}
    said = [part for part in parts if not isinstance(part, Call | Result)]
    told = [_unanswered(call) for name, call in asked.items() if name not in results]
    called = [call for name, call in asked.items() if name in results]
    yield Message("assistant", (*said, *told, *called), run[begin].name)
    if called:
        yield Message("tool", tuple(results[call.id]._replace(name=call.name) for call in called))


def _unanswered(call: Call) -> Text:
    return Text(f"[{call.name} was called with {call.arguments}, and no result is known.]")


def _answered(part: Part, role: str) -> Part:
    """Return what a tool said without a call that it belongs to as words; anything else as it is."""
    if isinstance(part, Result):
        return Text(f"[Result of {part.name or 'a tool'}: {part.text}]")
    return Text(f"[Result of a tool: {words([part])}]") if role == "tool" else part


def _portable(message: Message) -> Message:
    """Return the message with ids and names of calls that every vendor takes, and without empty texts."""
    kept = (part for part in message.parts if not (isinstance(part, Text) and not part.text.strip()))
    return message._replace(parts=tuple(map(_portable_part, kept)))


def _portable_part(part: Part) -> Part:
    if isinstance(part, Call):
        name = _NOT_IN_A_NAME.sub("_", part.name)[:_LONGEST_NAME] or "tool"
        return part._replace(id=wire_id(part.id), name=name)
    if isinstance(part, Result):
        kept = tuple(each for each in part.parts if not (isinstance(each, Text) and not each.text.strip()))
        return part._replace(id=wire_id(part.id), parts=kept)
    return part
