"""Ask a language model for a turn's facts, before anything is claimed or leased, so that no lock waits for it."""

from __future__ import annotations

from functools import partial

from cairn.conversation.items import role_of, text_of
from cairn.conversation.turns import Completion
from cairn.facts.proposals import FactQuestion, Proposals
from cairn.facts.told import requests, without
from cairn.ground.adapters import Pending
from cairn.ground.errors import ModelFailed
from cairn.ground.session import Session
from cairn.log.layout import across, log_owner
from cairn.recall.searching import Visibility
from cairn.sessions.services import SessionServices
from cairn.turns.echo import new_inputs_of, read_context

_NONE = Proposals()


def proposals(services: SessionServices, session: Session, turn: Completion) -> Proposals:
    """Return what a language model makes of the turn; nothing where it is not to be asked, or fails."""
    model, settings = services.fact_model, services.settings.memory_for(session.tenant).heuristic
    if model is None or not settings.reads_turns:
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
    reaches = services.settings.memory_for(session.tenant).across_projects
    owners = [owner, *(across(owner) if reaches else ())]
    place = session.tenant, session.project
    services.adapters.parallel([is_free, context, *(partial(services.log.refresh, *place, each) for each in owners)])
    if not is_free.result:
        return None
    said = [text_of(item) for item in new_inputs_of(services, session, turn, context.result) if role_of(item) == "user"]
    said = without(said, requests(said))  # what is not to be kept is not told a model either
    if not any(said):
        return None
    held = services.searcher.believed(Visibility(session, owner, "session", reaches), owners)
    return FactQuestion(said=tuple(filter(None, said)), believed=tuple(held))
