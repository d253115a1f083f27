"""Ask a language model for a turn's facts, before anything is claimed or leased, so that no lock waits for it."""

from __future__ import annotations

from cairn.conversation.items import role_of, text_of
from cairn.conversation.turns import Completion
from cairn.facts.proposals import FactQuestion, Proposals
from cairn.ground.adapters import Pending
from cairn.ground.errors import ModelFailed
from cairn.ground.session import Session
from cairn.log.layout import log_owner
from cairn.sessions.services import SessionServices
from cairn.turns.echo import new_inputs_of, read_context

_NONE = Proposals()


def proposals(services: SessionServices, session: Session, turn: Completion) -> Proposals:
    """Return what a language model makes of the turn; nothing where it is off, fails, or could not be committed."""
    model, settings = services.fact_model, services.settings.memory_for(session.tenant).heuristic
    if model is None or not settings.enabled:
        return _NONE
    question = _question(services, session, turn)
    if question is None:
        return _NONE
    try:
        return model.propose(question, settings)
    except ModelFailed:
        return _NONE


def _question(services: SessionServices, session: Session, turn: Completion) -> FactQuestion | None:
    """Return what to ask; None for a turn that is done, in other hands, or without words of the user."""
    owner = log_owner(turn.user_id, session.session_id)
    is_free = Pending(lambda: services.guards.is_free(session, turn.turn_id))
    context = Pending(lambda: read_context(services, session, turn))
    services.adapters.parallel([is_free, context, lambda: services.log.refresh(session.tenant, session.project, owner)])
    if not is_free.result:
        return None
    said = [text_of(item) for item in new_inputs_of(services, session, turn, context.result) if role_of(item) == "user"]
    if not any(said):
        return None
    with services.log.view(session.tenant, session.project, owner) as view:
        believed = view.facts(services.adapters.clock.now(), session.session_id)
    return FactQuestion(said=tuple(filter(None, said)), believed=tuple(believed))
