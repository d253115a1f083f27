"""Turns of agents that tell of a prompt and of its answer apart: begun by one event, ended by another, stored once.

What the user said is kept sealed meanwhile. A turn whose end never comes is stored as far as it is known, by the next
prompt or by maintenance. Whatever is sent twice, or sent again after a crash, is stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256

from cairn.conversation.items import is_result, message, text_of
from cairn.conversation.turns import Completion
from cairn.ground.codec import canonical, rfc3339
from cairn.ground.errors import ConditionFailed, Conflict, ResourceBusy
from cairn.ground.ids import MAX_ID_CHARACTERS, TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.table import Condition, Equals, Key, Missing, Update
from cairn.log.layout import log_owner
from cairn.log.registry import registered
from cairn.sessions import due
from cairn.sessions.head import COMPACTED_AT, Head, naming, stored_head
from cairn.sessions.layout import HEAD, session_pk
from cairn.sessions.open_turns import OpenTurn
from cairn.sessions.services import SessionServices
from cairn.turns.after_turn import commit
from cairn.turns.model import CommittedTurn

_WITHOUT_END = ""
"""How a turn ended whose end never came."""
_MOST_NOTED = 6000
"""How many characters of what tools did are kept of a turn."""
_SUMMARY = "Summary of the conversation so far, made by the agent itself:"
_ATTEMPTS = 5
_TAG_DIGITS = 32


def begin(services: SessionServices, session: Session, turn: OpenTurn) -> None:
    """Keep a turn until its end comes, and make sure that maintenance finds it; a second time changes nothing.

    Turns of the session that wait for longer are stored without an end: whoever speaks again waits for none. One that
    another call is storing is left to that, or to maintenance.
    """
    if services.open_turns.add(session, turn):
        list_as_due(services, session, turn.user_id)
    with suppress(ResourceBusy):
        end_without_answer(services, session, but=turn.turn_id)


def named(services: SessionServices, session: Session, inputs: Sequence[ResponseItem]) -> TurnId:
    """Return a name for a turn of an agent that gives it none: the same however often it is told that it begins.

    It is the open turn of these inputs, or else one that goes by them and by how many turns the session has.
    """
    open_one = _meant(services.open_turns.read(session), None, inputs)
    if open_one is not None:
        return open_one.turn_id
    head = stored_head(services.adapters.table, session)
    return TurnId(_tag([*inputs, {"behind": head.seq if head else 0}]))


def end(  # noqa: PLR0913, PLR0917 - who speaks where, which turn, and both halves of it
    services: SessionServices,
    session: Session,
    user_id: UserId | None,
    turn_id: TurnId | None,
    inputs: Sequence[ResponseItem],
    outputs: Sequence[ResponseItem],
) -> CommittedTurn:
    """Store a turn with its answer, once. Without a turn_id it is the open one of these inputs, or else the newest.

    `inputs` count where the turn's beginning was never told. An answer that comes after its turn was stored without one
    is stored behind it.
    """
    turns, tag = services.open_turns.read(session), _tag(outputs)
    turn = _meant(turns, turn_id, inputs)
    if turn is None and turn_id is None and any(each.ended == tag for each in turns):
        return CommittedTurn(replayed=True)
    if turn is None:
        said = Completion(
            turn_id=turn_id or TurnId(_tag([*inputs, *outputs])),
            user_id=user_id,
            inputs=tuple(inputs),
            outputs=tuple(outputs),
        )
        return _committed(services, session, said)
    if turn.ended is not None:
        if turn.ended != _WITHOUT_END or not outputs:
            return CommittedTurn(replayed=True)
        late = Completion(turn_id=_following(turn.turn_id), user_id=turn.user_id, inputs=(), outputs=tuple(outputs))
        return _committed(services, session, late)
    committed = _committed(services, session, _completion(turn, outputs))
    services.open_turns.end(session, turn, tag)
    return committed


def end_without_answer(
    services: SessionServices, session: Session, *, but: TurnId | None = None, before: datetime | None = None
) -> None:
    """Store the session's open turns as far as they are known, or those of them that began before a moment.

    ResourceBusy where another call is storing one of them.
    """
    for turn in services.open_turns.waiting(session):
        is_over = before is None or turn.at <= before
        if turn.turn_id != but and is_over:
            _committed(services, session, _completion(turn, ()))
            services.open_turns.end(session, turn, _WITHOUT_END)


def compacted(services: SessionServices, session: Session, user_id: UserId | None, summary: str) -> CommittedTurn:
    """Store the summary that an agent put in the place of its conversation.

    What was said before and what it was told it no longer has.
    """
    said = (message("assistant", f"{_SUMMARY} {summary}", "output_text"),)
    at = services.adapters.clock.now()
    turn = Completion(turn_id=TurnId(f"summary {_tag(said)}"), user_id=user_id, inputs=(), outputs=said)
    committed = _committed(services, session, turn)
    if not committed.replayed:
        services.adapters.table.update(Update(Key(session_pk(session), HEAD), set={COMPACTED_AT: rfc3339(at)}))
        services.open_turns.tell(session, user_id, {})
    return committed


def list_as_due(services: SessionServices, session: Session, user_id: UserId | None) -> None:
    """Make sure that maintenance finds a session that has an open turn, and that erasure finds whose it is.

    A session that names a user has made that user's log known to the project: a commit that finds the name does not.
    """
    settings, now = services.settings.memory_for(session.tenant), services.adapters.clock.now()
    key, owner = Key(session_pk(session), HEAD), log_owner(user_id, session.session_id)
    for _ in range(_ATTEMPTS):
        head = stored_head(services.adapters.table, session) or Head(key=key)
        entry = due.no_later_than(session, head, now + due.interval(settings))
        named = {} if owner in head.owners else naming((*head.owners, owner))
        if not (entry.set or named):
            return
        unchanged: Condition = Equals("owners", "\n".join(head.owners)) if head.owners else Missing("owners")
        if named:
            services.adapters.table.put(registered(session.tenant, session.project, owner))
        try:
            services.adapters.table.update(Update(key, set={**entry.set, **named}, condition=unchanged))
        except ConditionFailed:
            continue
        return
    raise ResourceBusy("the session is being written by other calls", {"resource": "session"})


def _meant(turns: Sequence[OpenTurn], turn_id: TurnId | None, inputs: Sequence[ResponseItem]) -> OpenTurn | None:
    """Return the turn that an end is about, None where it is none of these."""
    if turn_id is not None:
        return next((turn for turn in turns if turn.turn_id == turn_id), None)
    waiting = [turn for turn in turns if turn.ended is None]
    said = _said(inputs)
    alike = [turn for turn in waiting if _said(turn.inputs) == said]
    return (alike or ([] if said else waiting) or [None])[-1]


def _said(items: Sequence[ResponseItem]) -> str:
    return "\n".join(map(text_of, items))


def _completion(turn: OpenTurn, outputs: Sequence[ResponseItem]) -> Completion:
    outputs = (*newest(turn.notes), *outputs)
    return Completion(turn_id=turn.turn_id, user_id=turn.user_id, inputs=turn.inputs, outputs=outputs)


def newest(notes: Sequence[ResponseItem]) -> Sequence[ResponseItem]:
    """Return as much of what tools did as is kept of a turn, the newest, and no result without its call."""
    first, left = len(notes), _MOST_NOTED
    while first and (left := left - len(text_of(notes[first - 1]))) >= 0:
        first -= 1
    return notes[first + 1 :] if first < len(notes) and is_result(notes[first]) else notes[first:]


def _committed(services: SessionServices, session: Session, turn: Completion) -> CommittedTurn:
    """Commit a turn; one that was stored with another end counts as stored.

    ResourceBusy where a call with another end has not stored it yet, and may be gone.
    """
    try:
        return commit(services, session, turn)
    except Conflict:
        if services.guards.is_done(session, turn.turn_id):
            return CommittedTurn(replayed=True)
        raise ResourceBusy("the turn is being stored by another call", {"resource": "turn"}) from None


def _following(turn_id: TurnId) -> TurnId:
    """Return the id under which an answer is stored that came late."""
    name = f"{turn_id}+answer"
    return TurnId(name if len(name) <= MAX_ID_CHARACTERS else _tag([{"turn": turn_id}]))


def _tag(items: Sequence[ResponseItem]) -> str:
    return sha256(canonical(list(items))).hexdigest()[:_TAG_DIGITS]
