"""Replay a conversation through the memory tools, turn by turn, and check the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Protocol

from cairn.context.rendering import MAY_BE_OUTDATED
from cairn.local.demo.client import CommitResult, MemoryClient, RecalledContext, Refused
from cairn.local.demo.conversation import Conversation, Scene, SceneTurn

_QUERIES = (
    "Who is the user, where do they live and what is their work?",
    "What do they like, what do they avoid, what are they planning?",
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ][\d:.]+Z?)?")
_REFERENCE = re.compile(rf", #\w+(?=(, {MAY_BE_OUTDATED})?\)\Z)")


class Audience(Protocol):
    """Who is shown each turn as it is replayed."""

    def turn(self, turn: SceneTurn, recalled: RecalledContext | None, stored: CommitResult) -> None:
        """Show a turn, what was recalled before it and what was stored after it."""
        ...

    def question(self, turn: SceneTurn, recalled: RecalledContext) -> None:
        """Show a question that nothing is stored of, and what memory held for it."""
        ...


@dataclass(slots=True)
class ReplayTally:
    """What a replay counted; latencies in milliseconds, `failures` one sentence each."""

    turns: int = 0
    sessions: int = 0
    facts_written: int = 0
    facts_superseded: int = 0
    replays_ignored: int = 0
    tokens: list[int] = field(default_factory=list[int])
    before_ms: list[float] = field(default_factory=list[float])
    after_ms: list[float] = field(default_factory=list[float])
    failures: list[str] = field(default_factory=list[str])
    privileged: set[str] = field(default_factory=set[str])

    def prepared(self, turn: SceneTurn, recalled: RecalledContext) -> None:
        """Count a preparation and hold it to what the turn expects."""
        self.tokens.append(recalled.tokens)
        self.before_ms.append(recalled.milliseconds)
        self.failures += misses(turn, recalled)
        self.privileged.update(recalled.privileged)

    def committed(self, stored: CommitResult) -> None:
        """Count a commit."""
        self.turns += 1
        self.facts_written += stored.facts_written
        self.facts_superseded += stored.facts_superseded
        self.replays_ignored += stored.replayed
        self.after_ms.append(stored.milliseconds)


async def replay(memory: MemoryClient, user_id: str, session: Scene, tally: ReplayTally, audience: Audience) -> None:
    """Replay a session: ask what matters before each turn that the user opens, store the turn after it."""
    tally.sessions += 1
    for turn in session.turns:
        recalled = None
        if turn.user:
            recalled = await memory.before_turn(session.session_id, user_id, turn.user)
            tally.prepared(turn, recalled)
        stored = await memory.after_turn(session.session_id, user_id, turn)
        tally.committed(stored)
        audience.turn(turn, recalled, stored)


async def ask(memory: MemoryClient, user_id: str, session: Scene, tally: ReplayTally, audience: Audience) -> list[str]:
    """Ask what a scene asks and store nothing; return a sentence for each expectation that is not met."""
    failures: list[str] = []
    for turn in session.turns:
        recalled = await memory.before_turn(session.session_id, user_id, turn.user)
        failures += misses(turn, recalled)
        tally.privileged.update(recalled.privileged)
        audience.question(turn, recalled)
    return failures


def misses(turn: SceneTurn, recalled: RecalledContext) -> list[str]:
    """Return a sentence for each expectation of the turn that what was recalled does not meet."""
    context, facts = recalled.context.casefold(), "\n".join(recalled.facts).casefold()
    missing = [f"{turn.turn_id}: {text!r} was not recalled" for text in turn.expect if text.casefold() not in context]
    stale = [f"{turn.turn_id}: the fact {text!r} is out of date" for text in turn.reject if text.casefold() in facts]
    return missing + stale


def obeyed(tally: ReplayTally) -> list[str]:
    """Return a sentence if more than one fixed policy stood in the privileged roles: recalled text would differ."""
    return [] if len(tally.privileged) <= 1 else [f"{len(tally.privileged)} different texts stood in privileged roles"]


async def send_again(memory: MemoryClient, user_id: str, turns: Sequence[tuple[Scene, SceneTurn]]) -> list[str]:
    """Send turns that are stored once more; return a sentence for each that was not ignored as a replay."""
    again = [(turn, await memory.after_turn(session.session_id, user_id, turn)) for session, turn in turns]
    return [f"{turn.turn_id} was not known" for turn, stored in again if not stored.replayed]


async def forge(memory: MemoryClient, user_id: str, session: Scene, turn: SceneTurn) -> list[str]:
    """Send other words under a stored turn's id; return a sentence if that is not refused as a conflict."""
    try:
        await memory.after_turn(session.session_id, user_id, replace(turn, user=("I never said any of that.",)))
    except Refused as refusal:
        return [] if refusal.code == "CONFLICT" else [str(refusal)]
    return [f"{turn.turn_id} was overwritten"]


async def digest(memory: MemoryClient, conversations: Sequence[Conversation]) -> str:
    """Return the SHA-256 of the state as the tools show it: equal for equal memories, whenever they were made.

    Per session: the directories with their abstracts, the newest items, and the facts and earlier turns recalled for
    fixed questions; dates and references of the store itself are left out.
    """
    state = [
        await _session_state(memory, conversation.user_id, session)
        for conversation in conversations
        for session in conversation.sessions
    ]
    return sha256(json.dumps(state).encode()).hexdigest()


def _clauses(abstract: str) -> list[str]:
    """Return what an abstract says, in no order: facts of one turn are of one age, and any of them may come first."""
    return sorted(re.split(r"[.:;]\s+|\.$", _MOMENT.sub("#", abstract)))


def _unnamed(fact: str) -> str:
    """Return a fact's line without its reference, which is of the id that this store gave it."""
    return _REFERENCE.sub("", fact)


async def _session_state(memory: MemoryClient, user_id: str, session: Scene) -> list[object]:
    summaries = await memory.summaries(session.session_id)
    directories = [(re.sub(r"\d", "#", path), _clauses(abstract)) for path, abstract in summaries]
    answers = [await memory.before_turn(session.session_id, user_id, (query,)) for query in _QUERIES]
    return [
        session.session_id,
        directories,
        [(sorted(map(_unnamed, a.facts)), sorted(a.chunks), a.recent) for a in answers],
    ]
