"""What must hold after any schedule, read through a healthy process and, again, from the items themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from cairn.conversation.events import Event, events_of
from cairn.conversation.items import role_of, text_of
from cairn.facts.extraction import extract
from cairn.facts.facts import Fact, Recording, identity, is_said, merge
from cairn.facts.kinds import is_of_user
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.session import Session
from cairn.log.layout import is_across, log_owner, named_in, with_across
from cairn.log.view import MemoryView
from simulation.actions import PROJECT, TENANTS, Play, tag_of
from simulation.client_history import CONFLICT, STORED, Attempt, SeenContext
from simulation.recount import Problems, Recount
from simulation.stage import SETTINGS, Process
from support.recall import ranked, rounded


class Findings:
    """One look at the end of a schedule."""

    def __init__(self, play: Play, process: Process, told: Sequence[Attempt]) -> None:
        self._play = play
        self._process = process
        self._services = process.services
        self._told = told
        self._recounts = {
            session: Recount(process.services, session, play.owners(session)) for session in play.sessions
        }

    @property
    def turns(self) -> int:
        return sum(len(recount.history) for recount in self._recounts.values())

    def problems(self) -> Problems:
        for session in self._play.sessions:
            yield from self._recounts[session].problems()
            yield from self._contents(session)
            yield from self._beliefs(session)
            yield from self._recent(session)
        yield from self._answers()
        yield from self._logs()
        for seen in self._play.stage.client_history.seen:
            yield from self._recalled(seen)

    def _contents(self, session: Session) -> Problems:
        sent = {
            turn_id: attempts
            for (at, turn_id), attempts in self._play.stage.client_history.turns().items()
            if at == session
        }
        stored = [events[0].turn_id for _, events in self._recounts[session].history]
        if sorted(stored) != sorted(sent):
            yield f"{session} holds {stored}, and was sent {sorted(sent)}"
        for _, events in self._recounts[session].history:
            forms = [
                _told(events_of(each.turn, each.turn.inputs, events[0].ts)) for each in sent.get(events[0].turn_id, [])
            ]
            if _told(events) not in forms:
                yield f"{events[0].turn_id} of {session} was stored otherwise than sent"

    def _misquoted(self, session: Session, statements: Sequence[Fact]) -> Problems:
        """Hold statements against what was said in the turns that they name."""
        texts: dict[str, str] = {}
        for _, events in self._recounts[session].history:
            texts[events[0].turn_id] = "\n".join(text_of(event.item) for event in events)
        for fact in statements:
            if fact.source.turn_id in texts and fact.value not in texts[fact.source.turn_id]:
                yield f"{session} believes {fact.value!r}, which {fact.source.turn_id} does not say"

    def _recent(self, session: Session) -> Problems:
        """Hold the newest turns that a process has in memory to what one that has nothing reads."""
        items = SETTINGS.recent_context_items
        expected = self._play.stage.healthy().services.sessions.recent(session, items)
        for process in self._play.stage.surviving():
            if process.services.sessions.recent(session, items) != expected:
                yield f"a process tells other recent turns of {session} than are stored"

    def _beliefs(self, session: Session) -> Problems:
        """Hold what is believed against a fold of what was said, one turn after the other."""
        for owner in self._play.owners(session):
            self._services.log.refresh(session.tenant, session.project, owner)
            with self._services.log.view(session.tenant, session.project, owner) as view:
                name = named_in(owner, session.project, session.session_id)
                live = view.facts(self._services.adapters.clock.now(), name)
            held = [fact for fact in live if not is_said(fact)]
            yield from self._misquoted(session, [fact for fact in live if is_said(fact)])
            expected = self._folded(session, owner)
            if _beliefs(held) != _beliefs(expected):
                yield f"{session} believes {_beliefs(held)} of {owner}, and was told {_beliefs(expected)}"

    def _folded(self, session: Session, owner: str) -> list[Fact]:
        live: dict[tuple[str, str], Fact] = {}
        previous = ("", "")
        for _, events in self._recounts[session].history:
            said = [(event.id, text_of(event.item)) for event in events if role_of(event.item) == "user"]
            by = log_owner(events[0].user_id, session.session_id)
            if owner in with_across([by]):
                found = extract(said, previous[1] if previous[0] == by else "")
                found = [each for each in found if is_of_user(each) == is_across(owner)]
                now = events[0].ts
                recording = Recording(
                    turn_id=events[0].turn_id,
                    now=now,
                    new_id=str,
                    l1_days=SETTINGS.l1_retention_days,
                    l2_days=SETTINGS.l2_retention_days,
                )
                changes = merge([fact for fact in live.values() if _is_live(fact, now)], found, recording)
                live = {
                    about: fact
                    for about, fact in live.items()
                    if about not in {identity(each) for each in changes.deleted}
                }
                live |= {identity(fact): fact for fact in changes.added}
            previous = (by, said[-1][1] if said else "")
        now = self._services.adapters.clock.now()
        return [fact for fact in live.values() if _is_live(fact, now)]

    def _answers(self) -> Problems:
        """Hold what clients were told to what is stored."""
        fresh: dict[tuple[Session, str], int] = {}
        stored = {
            (session, events[0].turn_id): (seq, events)
            for session in self._play.sessions
            for seq, events in self._recounts[session].history
        }
        known: dict[tuple[Session, str], int] = {}
        for attempt in self._told:
            key = (attempt.session, attempt.turn.turn_id)
            if attempt.is_acknowledged and attempt.ended is not None:
                known[key] = min(known.get(key, attempt.ended), attempt.ended)
            if attempt.outcome == STORED and attempt.result is not None:
                fresh[key] = fresh.get(key, 0) + 1
                yield from self._told_right(attempt, stored)
        yield from (f"{key} was told to be stored {count} times" for key, count in fresh.items() if count > 1)
        for attempt in self._told:
            key = (attempt.session, attempt.turn.turn_id)
            if attempt.outcome == CONFLICT and known.get(key, attempt.begun) < attempt.begun:
                _, events = stored[key]
                if _told(events) == _told(events_of(attempt.turn, attempt.turn.inputs, events[0].ts)):
                    yield f"{key} was a conflict with itself"

    def _told_right(
        self, attempt: Attempt, stored: Mapping[tuple[Session, TurnId], tuple[int, tuple[Event, ...]]]
    ) -> Problems:
        result = attempt.result
        seq, events = stored.get((attempt.session, attempt.turn.turn_id), (0, ()))
        entry = next(
            (each for each in self._recounts[attempt.session].entries if each["turn"] and each["turn"]["seq"] == seq),
            None,
        )
        if (
            result is None
            or entry is None
            or result.events_written != len(events)
            or result.facts_written != sum(len(each["added"]) for each in self._told_in(attempt.session, seq))
        ):
            yield f"{attempt.turn.turn_id} of {attempt.session} was answered {result}"

    def _told_in(self, session: Session, seq: int) -> list[dict[str, Any]]:
        """Return the entries of a turn, in the log of the project and across projects."""
        entries = self._recounts[session].entries
        return [each for each in entries if seq == (each["turn"]["seq"] if each["turn"] else each.get("said_in"))]

    def _logs(self) -> Problems:
        """Hold each log's view, with segments, to a fold of its entries, and each fact to its event."""
        readers = [self._process, *self._play.stage.surviving()]
        for session in self._play.sessions:
            now = self._services.adapters.clock.now()
            said = {(event.turn_id, event.id) for _, events in self._recounts[session].history for event in events}
            for owner in self._play.owners(session):
                folded = MemoryView()
                for record in self._recounts[session].log(owner):
                    folded.apply(record)
                names = (None, named_in(owner, session.project, session.session_id))
                expected = [_shown(folded, now, each) for each in names]
                for process in readers:
                    process.services.log.refresh(session.tenant, session.project, owner)
                    with process.services.log.view(session.tenant, session.project, owner) as view:
                        if [_shown(view, now, each) for each in names] != expected:
                            yield f"the view of {owner} in {session} differs from its log"
            sources = [fact["source"] for entry in self._recounts[session].entries for fact in entry["added"]]
            if any((source["turn_id"], source["event_id"]) not in said for source in sources):
                yield f"a fact of {session} has no event"

    def _recalled(self, seen: SeenContext) -> Problems:
        """Hold a context to what its caller may see, and to what was no more to be believed when it was asked for."""
        text = str(seen.prepared.items)
        foreign = [tag for tag in self._foreign(seen) if f"{tag} " in text]
        if foreign:
            yield f"{seen.session} was shown what {foreign} said"
        for fact in self._facts_of(seen):
            expires = fact["expires_at"]
            if expires is not None and expires <= f"{seen.at:%Y-%m-%dT%H:%M:%S}":
                yield f"{seen.session} recalled {fact['value']!r}, which had expired"
        ended = self._ended_before(seen)
        if ended & set(seen.prepared.recalled_fact_ids):
            yield f"{seen.session} recalled a fact that had ended"

    def _foreign(self, seen: SeenContext) -> list[str]:
        """Return the tags of those whose words the caller may not see."""
        tags: list[str] = []
        for tenant in TENANTS:
            for session_id in ("monday", "tuesday"):
                for user in ("ada", "bob"):
                    other = Session(tenant, PROJECT, SessionId(session_id))
                    own = tenant == seen.session.tenant
                    here = own and session_id == seen.session.session_id
                    if not (
                        here or (own and (seen.scope == "project" or (seen.scope == "user" and user == seen.user)))
                    ):
                        tags.append(tag_of(other, user))
        return tags

    @cached_property
    def _facts(self) -> dict[str, dict[str, Any]]:
        return {
            fact["id"]: fact
            for session in self._play.sessions
            for entry in self._recounts[session].entries
            for fact in entry["added"]
        }

    def _facts_of(self, seen: SeenContext) -> list[dict[str, Any]]:
        return [self._facts[name] for name in seen.prepared.recalled_fact_ids]

    def _ended_before(self, seen: SeenContext) -> set[str]:
        """Return the session's facts that turns had ended whose clients knew of it when the context was asked for."""
        known = {
            each.turn.turn_id
            for each in self._told
            if each.session == seen.session
            and each.is_acknowledged
            and each.ended is not None
            and each.ended < seen.asked
        }
        recount = self._recounts[seen.session]
        seqs = {entry["turn"]["seq"] for entry in recount.entries if entry["turn"] and entry["turn"]["id"] in known}
        return {fact["id"] for seq in seqs for entry in self._told_in(seen.session, seq) for fact in entry["ended"]}


def _told(events: Sequence[Event]) -> list[Any]:
    return [(event.id, event.type, event.turn_id, event.user_id, event.item) for event in events]


def _is_live(fact: Fact, now: datetime) -> bool:
    return fact.expires_at is None or now < fact.expires_at


def _beliefs(facts: Sequence[Fact]) -> list[Any]:
    return sorted(
        (fact.fact_id, fact.key, fact.value, fact.tier.value, str(fact.expires_at), fact.source.turn_id)
        for fact in facts
    )


def _shown(view: MemoryView, now: Any, name: SessionId | None) -> list[Any]:
    if name is None:
        return [view.facts(now, None), rounded(ranked(view, "tea, my name", now))]
    return [view.facts(now, name), view.turns(name), view.turn_count(name), view.last_seq(name), view.chunks(name)]
