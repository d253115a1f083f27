"""Prepare again what an agent's hook was told for a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from cairn.calls.receipts import Asked, Receipts
from cairn.ground import codec
from cairn.ground.ids import moment_of
from cairn.ground.session import Session
from cairn.hooks.questions import Question
from cairn.sessions.services import SessionServices
from cairn.turns.before_turn import prepare
from cairn.turns.model import PreparedTurn

HOOK = "memory_hook"
"""The tool of agents' hooks."""


def prepared_again(
    services: SessionServices, receipts: Receipts, session: Session, call: str, asked: Asked
) -> PreparedTurn:
    """Return what was prepared for the question of this call, over services as they were for it."""
    question = Question.of(asked.arguments, frozenset(_told_before(receipts, session, call, asked)))
    explain = bool(asked.arguments.get("explain"))
    return prepare(services, session, question.preparation(moment_of(call), explain=explain))


def _told_before(receipts: Receipts, session: Session, call: str, asked: Asked) -> Iterator[str]:
    """Yield what the agent had been told for other prompts since it last put a summary in its conversation's place."""
    since = asked.arguments.get("held_since")
    for kept in receipts.of_session(session, call):
        if since is not None and moment_of(kept.receipt.call) < codec.moment(since):
            return
        if kept.asked.tool == HOOK and kept.asked.arguments["turn_id"] != asked.arguments["turn_id"]:
            yield from kept.asked.arguments["told"]
