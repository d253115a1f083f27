"""What is new in a turn's input, against what its session holds."""

from __future__ import annotations

from cairn.conversation.turns import Completion
from cairn.ground.session import ResponseItem, Session
from cairn.recall import block
from cairn.sessions.recent_turns import Recent
from cairn.sessions.services import SessionServices
from cairn.turns.echoes import new_inputs

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
