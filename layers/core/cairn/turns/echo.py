"""Find what is new in a turn's input: without what Cairn inserted, instructions, and echoes of what is stored.

What a prepared turn held may come back in any format in which it can be asked for. Items are therefore compared as they
are, and where that finds no echo, by the single things that they say.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cairn.conversation.items import identity, is_call, is_named, is_result, message, text_of
from cairn.conversation.roles import conversation, is_privileged, is_quoted
from cairn.conversation.turns import Completion
from cairn.ground.errors import CorruptData
from cairn.ground.session import ResponseItem, Session
from cairn.messages.dialogue import OPENING
from cairn.messages.plain import without_memory
from cairn.messages.units import parts_of, units_of, with_parts, without_units
from cairn.recall import block
from cairn.recall.block import Verify, is_injected
from cairn.sessions.recent_turns import Recent
from cairn.sessions.services import SessionServices


def new_inputs(
    inputs: Sequence[ResponseItem], stored: Sequence[ResponseItem], history: Sequence[ResponseItem], verify: Verify
) -> tuple[ResponseItem, ...]:
    """Return the inputs without injected messages, instructions and a leading echo of the context they were said in.

    `stored` are the session's newest items, oldest first. An echo is a leading run of inputs that ends as the stored
    items do, before them the caller's history, or that ends as this history does. Where before_turn leaves out a
    stored item (it is in the history or current, or half of a tool call), the echo may lack it. The last input is
    what was just said, never an echo.
    """
    said = [own for item in conversation(inputs) if (own := _own(item, verify)) is not None]
    history = conversation(history)
    found = _without_echo(said, stored, history)
    if len(found) < len(said) or any(map(is_named, said[:-1])):
        return found
    return _without_echoed_units(said, stored, history)


def _own(item: ResponseItem, verify: Verify) -> ResponseItem | None:
    """Return an item without what Cairn made in it, None where nothing is left: it may stand within a message."""
    if item.get("role") != "user":
        return item
    parts = parts_of(item)
    if parts:
        own = [_own(with_parts(item, [part]), verify) for part in parts]
        left = [part for one in own if one is not None for part in one["content"]]
        return item if left == parts else with_parts(item, left) if left else None
    text = text_of(item)
    if text == OPENING or is_injected(item, verify):
        return None
    kept = without_memory(text, verify)
    if kept == text:
        return item
    return message("user", kept) if kept else None


def _without_echo(
    said: Sequence[ResponseItem], stored: Sequence[ResponseItem], history: Sequence[ResponseItem]
) -> tuple[ResponseItem, ...]:
    names = [identity(item) for item in said]
    newest, older = [identity(item) for item in stored], [identity(item) for item in history]
    halves = {identity(item) for item in (*stored, *history) if is_call(item) or is_result(item)}
    known = {*older, *names[-1:]}
    for length in range(len(names) - 1, 0, -1):
        if _is_echo(names[:length], newest, older, known, halves):
            return tuple(said[length:])
        known.add(names[length - 1])
    return tuple(said)


def _without_echoed_units(
    said: Sequence[ResponseItem], stored: Sequence[ResponseItem], history: Sequence[ResponseItem]
) -> tuple[ResponseItem, ...]:
    """Return what is said without a leading echo, looked for thing by thing; a message may be an echo in part."""
    of_each = [units_of(item) for item in said]
    names = [name for units in of_each for name in units]
    newest, older = ([name for item in items for name in units_of(item)] for items in (stored, history))
    halves = {name for item in (*stored, *history) if is_call(item) or is_result(item) for name in units_of(item)}
    known = {*older, *(of_each[-1] if of_each else ())}
    for length in range(len(names) - 1, 0, -1):
        if _is_echo(names[:length], newest, older, known, halves):
            return _after(said, of_each, length)
        known.add(names[length - 1])
    return tuple(said)


def _after(said: Sequence[ResponseItem], of_each: Sequence[Sequence[str]], length: int) -> tuple[ResponseItem, ...]:
    """Return what is said after so many single things."""
    for at, units in enumerate(of_each):
        if length < len(units):
            return (without_units(said[at], length) if length else said[at], *said[at + 1 :])
        length -= len(units)
    return ()


def _is_echo(run: list[str], newest: list[str], older: list[str], known: set[str], halves: set[str]) -> bool:
    """Tell whether the run ends as the stored items do, with or without those known otherwise, after older ones.

    A run that outlasts both begins before all that was read; one matching item is too few to say so.
    """
    for past in (newest, [name for name in newest if name not in known]):
        rest, stored_matched = _unmatched(run, past, halves)
        rest, older_matched = _unmatched(run[:rest], older, halves)
        if rest == 0 or (stored_matched and older_matched and len(run) - rest > 1):
            return True
    return False


def _unmatched(run: Sequence[str], past: Sequence[str], left_out: Collection[str]) -> tuple[int, bool]:
    """Match the tails of both; return how much of the run's head is left, and whether all of the past was matched."""
    rest = len(run)
    for name in reversed(past):
        if rest and run[rest - 1] == name:
            rest -= 1
        elif name not in left_out:
            return rest, False
    return rest, True


def instructions_of(turn: Completion) -> int:
    """Return how many items of the turn are the caller's instructions, which are not stored; the policy is not one."""
    given = [item for item in (*turn.inputs, *turn.outputs) if is_privileged(item)]
    return sum(text_of(item) != block.POLICY for item in given)


NOTHING_STORED = Recent(None, ())


def read_context(services: SessionServices, session: Session, turn: Completion) -> Recent:
    """Return what an echo could be of; the last thing said is never one, so a lone input of one part needs no read.

    CorruptData where some of it is damaged: what is an echo of that would be stored twice.
    """
    if len(turn.inputs) <= 1 and not any(map(parts_of, turn.inputs)):
        return NOTHING_STORED
    recent = services.sessions.recent(session, services.settings.memory_for(session.tenant).recent_context_items)
    if recent.damaged:
        raise CorruptData("a recent turn of the session cannot be read")
    return recent


def new_inputs_of(
    services: SessionServices, session: Session, turn: Completion, context: Recent
) -> tuple[ResponseItem, ...]:
    """Return the turn's inputs without injected memory and without an echo of the context."""

    def is_genuine(message: bytes, tag: str) -> bool:
        return services.vault.verify(session.tenant, block.PURPOSE, message, tag)

    stored = [event.item for _, events in context.turns for event in events if not is_quoted(event.item)]
    return new_inputs(turn.inputs, stored, turn.history, is_genuine)
