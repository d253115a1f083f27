"""Find what is new in a turn's input: without what Cairn inserted, and without echoes of what is stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cairn.conversation.items import identity, is_call, is_result
from cairn.conversation.turns import Completion
from cairn.ground.session import ResponseItem, Session
from cairn.recall import block
from cairn.recall.block import Verify, is_injected
from cairn.sessions.recent_turns import Recent
from cairn.sessions.services import SessionServices


def new_inputs(
    inputs: Sequence[ResponseItem], stored: Sequence[ResponseItem], history: Sequence[ResponseItem], verify: Verify
) -> tuple[ResponseItem, ...]:
    """Return the inputs without injected messages and without a leading echo of the context they were said in.

    `stored` are the session's newest items, oldest first. An echo is a leading run of inputs that ends as the stored
    items do, before them the caller's history, or that ends as this history does. Where before_turn leaves out a
    stored item (it is in the history or current, or half of a tool call), the echo may lack it. The last input is
    what was just said, never an echo.
    """
    said = [item for item in inputs if not is_injected(item, verify)]
    names = [identity(item) for item in said]
    newest, older = [identity(item) for item in stored], [identity(item) for item in history]
    halves = {identity(item) for item in (*stored, *history) if is_call(item) or is_result(item)}
    known = {*older, *names[-1:]}
    for length in range(len(names) - 1, 0, -1):
        if _is_echo(names[:length], newest, older, known, halves):
            return tuple(said[length:])
        known.add(names[length - 1])
    return tuple(said)


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


NOTHING_STORED = Recent(None, ())


def read_context(services: SessionServices, session: Session, turn: Completion) -> Recent:
    """Return what an echo could be of; the last input is never one, so a lone input needs no read."""
    if len(turn.inputs) <= 1:
        return NOTHING_STORED
    return services.sessions.recent(session, services.settings.memory_for(session.tenant).recent_context_items)


def new_inputs_of(
    services: SessionServices, session: Session, turn: Completion, context: Recent
) -> tuple[ResponseItem, ...]:
    """Return the turn's inputs without injected memory and without an echo of the context."""

    def is_genuine(message: bytes, tag: str) -> bool:
        return services.vault.verify(session.tenant, block.PURPOSE, message, tag)

    stored = [event.item for _, events in context.turns for event in events]
    return new_inputs(turn.inputs, stored, turn.history, is_genuine)
