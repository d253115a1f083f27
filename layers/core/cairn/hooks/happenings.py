"""What memory does when something happens in an agent: a prompt begins a turn, an answer ends it, and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Final, TypeAlias

from cairn.conversation.items import message
from cairn.edge.guard import within
from cairn.ground import ids
from cairn.ground.adapters import Pending
from cairn.ground.errors import CairnError, InvalidArgument
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.hooks.events import Answered, Begun, Compacted, Delegated, Ended, Happening, Prompted, ToolsUsed, ToolUse
from cairn.hooks.questions import Question, Told
from cairn.hooks.tool_results import items_of
from cairn.sessions.open_turns import OpenTurn
from cairn.sessions.services import SessionServices
from cairn.telemetry.record import positions_read
from cairn.turns import open_turns
from cairn.turns.before_turn import prepare

_AT_THE_BEGIN: Final = TurnId("")
"""In place of a turn, what was told at the begin of a session."""
MOST_SECONDS: Final = 2.0
"""How long a prompt waits for memory at most; as a rule it is a twentieth of that."""


Keep: TypeAlias = Callable[[Session, Told], object]
"""Keeps what an agent was told, and why: it has no place for a receipt."""


class Hooks:
    """Follows the sessions of one user's agents."""

    def __init__(self, services: SessionServices, user: UserId | None, at: datetime | None, keep: Keep) -> None:
        """Act for this user by a call of this moment, and have all kept that an agent is told."""
        self._services = services
        self._user = user
        self._at = at
        self._keep = keep
        self._is_late = False

    def happened(self, session: Session, what: Happening | None) -> str:
        """Do what is to be done; return what the agent's model is to be told, "" for nothing."""
        match what:
            case Begun():
                return "\n\n".join(filter(None, [self._told(session, _AT_THE_BEGIN, ""), names_of(session)]))
            case Prompted():
                return self._prompted(session, what)
            case ToolsUsed():
                self._note(session, what.turn, what.uses)
            case Delegated():
                use = ToolUse(id=what.agent, name=what.name, given=None, gave=what.answer)
                self._note(session, what.turn, (use,))
            case Answered():
                self._answered(session, what)
            case Compacted():
                open_turns.compacted(self._services, session, self._user, what.summary)
            case Ended():
                open_turns.end_without_answer(self._services, session)
            case None:
                pass
        return ""

    def _prompted(self, session: Session, what: Prompted) -> str:
        """Keep the prompt, and find what matters for it at the same time."""
        said = (message("user", what.prompt),)
        name = open_turns.named(self._services, session, said) if what.turn is None else turn_id(what.turn)
        kept = self._turn(name, inputs=said)
        found = Pending(lambda: self._told(session, kept.turn_id, what.prompt))
        self._services.adapters.parallel([found, lambda: open_turns.begin(self._services, session, kept)])
        return found.result

    def _told(self, session: Session, turn: TurnId, prompt: str) -> str:
        """Return what memory adds to a prompt, without one what holds anyway; "" where that takes too long or fails.

        What the agent was told before it has: only what it was told for this very prompt is told again.
        """
        try:
            return within(MOST_SECONDS, lambda: self._context(session, turn, prompt))
        except CairnError:
            self._is_late = True
            return ""

    def _context(self, session: Session, turn: TurnId, prompt: str) -> str:
        told = self._services.open_turns.told(session)
        is_shared = self._services.settings.memory_for(session.tenant).shares(session.project)
        question = Question(
            turn_id=turn,
            prompt=prompt,
            user_id=self._user,
            recall_scope="project" if is_shared else None,
            told=frozenset(name for other, names in told.items() if other != turn for name in names),
        )
        with positions_read() as positions:
            prepared = prepare(self._services, session, question.preparation(self._at))
        if self._is_late:  # the agent goes on without it
            return ""
        is_new = bool(set(prepared.placed) - set(told.get(turn, ())))
        tell = partial(self._services.open_turns.tell, session, self._user, {**told, turn: prepared.placed})
        keep = partial(self._keep, session, Told(question, prepared, positions))
        # At its begin a session that is told nothing new has asked nothing.
        self._services.adapters.parallel([*([tell] if is_new else []), *([keep] if is_new or prompt else [])])
        return prepared.text or ""

    def _note(self, session: Session, turn: str | None, uses: Sequence[ToolUse]) -> None:
        """Keep what tools did, with the turn that waits for its end; without one it is not kept."""
        name = None if turn is None else turn_id(turn)
        if name is None:
            waiting = self._services.open_turns.waiting(session)
            if not waiting:
                return
            name = waiting[-1].turn_id
        noted = self._turn(name, notes=items_of(uses))
        self._services.open_turns.note(session, noted, " ".join(use.id for use in uses))

    def _answered(self, session: Session, what: Answered) -> None:
        name = None if what.turn is None else turn_id(what.turn)
        said = () if what.prompt is None else (message("user", what.prompt),)
        answer = (message("assistant", what.answer, "output_text"),) if what.answer else ()
        open_turns.end(self._services, session, self._user, name, said, answer)

    def _turn(
        self, name: TurnId, *, inputs: tuple[ResponseItem, ...] = (), notes: tuple[ResponseItem, ...] = ()
    ) -> OpenTurn:
        at = self._services.adapters.clock.now()
        return OpenTurn(turn_id=name, user_id=self._user, at=at, inputs=inputs, notes=notes)


def names_of(session: Session) -> str:
    """Return what memory's tools are to be told, which an agent's model would have to guess."""
    return f'For memory tools: project "{session.project}", session_id "{session.session_id}".'


def turn_id(name: str) -> TurnId:
    """Return an agent's name for a turn as the turn's id, what cannot be one as its digest."""
    try:
        return ids.turn_id(name)
    except InvalidArgument:
        return TurnId(sha256(name.encode(errors="surrogatepass")).hexdigest())
