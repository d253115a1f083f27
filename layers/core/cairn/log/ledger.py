"""The ledger: fold a log's entries, in their order, into the facts that are believed.

Each session keeps its own beliefs, so that what one session says never changes what another recalls of itself. A
wider view resolves them: of the beliefs of several sessions about one identity, the latest one counts.

A ledger of a stretch of a log does not know what was believed before it. What the stretch says of earlier facts waits
there, and takes effect when the ledger is replayed after the ledgers of what came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from typing import Any, TypeAlias

from cairn.facts.facts import Fact, Identity, State, from_record, identity, to_record
from cairn.ground.codec import moment, rfc3339
from cairn.ground.ids import SessionId
from cairn.log.layout import ACROSS, is_within

_NOTHING: Identity = ("", "")
_MOST_PARTS = 16
"""Of how many sessions' parts the order is kept: those that speak in turn."""
Spoken: TypeAlias = Mapping[Identity, datetime | None]
"""Of what was spoken, and when last; None where that is not known."""


class Ledger:
    """Holds the latest belief of every session about every identity, including ended ones."""

    def __init__(self) -> None:
        """Start with no beliefs."""
        self._beliefs: dict[Identity, dict[SessionId, tuple[int, Fact]]] = {}
        self._subjects: dict[tuple[SessionId, str], Identity] = {}
        self._retracted: dict[Identity, int] = {}
        self._ended_earlier: dict[tuple[SessionId, str], tuple[int, Fact]] = {}
        self._seen_earlier: dict[tuple[SessionId, str], datetime] = {}
        self._applied = 0
        # Until something changes: the latest belief about each identity, in order, of sessions or of all together, and
        # what was taken back of all together.
        self._ordered: dict[SessionId | None, list[tuple[Identity, SessionId, Fact]]] = {}
        self._taken_back: list[Fact] | None = None

    def apply(self, record: Mapping[str, Any]) -> None:
        """Fold what one entry's record says of facts."""
        session = SessionId(record["session"])
        self.add(session, map(from_record, record["added"]))
        self.end(session, map(from_record, record["ended"]))
        self.see(session, record["seen"], moment(record["at"]))

    def add(self, session_id: SessionId, facts: Iterable[Fact]) -> None:
        """Hold new facts in place of what the session believed of their identities."""
        for fact in facts:
            self._hold(session_id, fact)

    def end(self, session_id: SessionId, facts: Iterable[Fact]) -> None:
        """Hold facts as ended: the session's own, or deleted ones of other sessions, which only a wider view heeds.

        One of the session's own that was replaced since stays replaced.
        """
        for fact in facts:
            held = self._beliefs.get(identity(fact), {}).get(session_id)
            if held is not None and held[1].id == fact.id:
                # It expired by its age, whenever that is noted: a later belief stays later.
                order = held[0] if fact.state is State.EXPIRED else None
                self._hold(session_id, fact, order)
            elif held is None:
                # Said of a fact of an earlier stretch, or of another session: it takes effect when that is known.
                self._ended_earlier[session_id, fact.id] = (self._next(), fact)
            if fact.state is State.DELETED:
                self._retract(identity(fact))

    def see(self, session_id: SessionId, record_ids: Iterable[str], now: datetime) -> None:
        """Note that facts were said again."""
        for record_id in record_ids:
            own = (session_id, record_id)
            beliefs = self._beliefs.get(self._subjects.get(own, _NOTHING), {})
            held = beliefs.get(session_id)
            ended = self._ended_earlier.get(own)
            if held is not None and held[1].id == record_id:
                self._hold(session_id, replace(held[1], last_seen=now), held[0])
            elif ended is not None:
                self._ended_earlier[own] = (ended[0], replace(ended[1], last_seen=now))
            elif own not in self._subjects:
                self._seen_earlier[own] = now

    def live(self, now: datetime, session_id: SessionId | None = None) -> list[Fact]:
        """Return the facts believed now, by one session or by all of them together, the latest belief last."""
        return [fact for _, fact in self._latest(session_id) if fact.is_live(now)]

    def believed_of(self, now: datetime) -> dict[Identity, tuple[SessionId, Fact]]:
        """Return what all sessions believe now together, by what it is about, the latest last, with who holds it."""
        return {about: (holder, fact) for about, holder, fact in self._in_order(None) if fact.is_live(now)}

    def latest(self, about: Identity) -> Fact | None:
        """Return the latest belief of all sessions together about one identity, None where it was taken back."""
        newest = self._newest(about, None)
        return None if newest is None else newest[2]

    def deleted(self, part: SessionId | None) -> list[Fact]:
        """Return the facts that one session or any had believed, and that were taken back without another value."""
        if part is None and self._taken_back is not None:
            return self._taken_back
        found = [
            fact
            for about, beliefs in self._beliefs.items()
            for order, _, fact in _held(beliefs, part)
            if fact.state is State.DELETED or (fact.state is State.ACTIVE and order < self._retracted.get(about, 0))
        ]
        if part is None:
            self._taken_back = found
        return found

    def holder(self, record_id: str, now: datetime) -> tuple[SessionId, Fact] | None:
        """Return the live fact of this id and the session that believes it, None where none does."""
        held = ((session, fact) for each in self._beliefs.values() for session, (_, fact) in each.items())
        return next(((session, fact) for session, fact in held if fact.id == record_id and fact.is_live(now)), None)

    def heard(self, about: Identity) -> list[Fact]:
        """Return what each session last heard of a matter, ended or not."""
        return [fact for _, fact in self._beliefs.get(about, {}).values()]

    def said(self, part: SessionId | None) -> Spoken:
        """Return what sessions spoke of, and when last; None for what was ended of which nothing else is known."""
        over = dict.fromkeys(self._retracted) if part is None else {}
        return {**over, **self._spoken(self._beliefs, part)}

    def said_of(self, about: Iterable[Identity]) -> Spoken:
        """Return said() of all sessions, as far as it is of these identities."""
        meant = set(about)
        return {**dict.fromkeys(meant & self._retracted.keys()), **self._spoken(meant & self._beliefs.keys(), None)}

    def _spoken(self, meant: Iterable[Identity], part: SessionId | None) -> Spoken:
        held = ((about, list(_held(self._beliefs[about], part))) for about in meant)
        return {about: max(_changed_at(fact) for _, _, fact in each) for about, each in held if each}

    def lapsed(self, now: datetime, session_id: SessionId) -> list[Fact]:
        """Return the session's facts that are past their expiry and not yet marked so."""
        return [f for _, f in self._latest(session_id) if f.state is State.ACTIVE and not f.is_live(now)]

    def to_records(self, *, from_beginning: bool) -> list[list[Any]]:
        """Return as JSON values what replay() needs; a log's beginning has nothing earlier to say anything of."""
        records: list[tuple[int, list[Any]]] = [
            (order, ["held", session, to_record(fact)])
            for beliefs in self._beliefs.values()
            for session, (order, fact) in beliefs.items()
        ]
        records += [(order, ["retracted", *about]) for about, order in self._retracted.items()]
        if not from_beginning:
            records += [(0, ["seen", session, name, rfc3339(at)]) for (session, name), at in self._seen_earlier.items()]
            records += [
                (order, ["ended", session, to_record(fact)])
                for (session, _), (order, fact) in self._ended_earlier.items()
            ]
        return [record for _, record in sorted(records, key=itemgetter(0))]

    def replay(self, records: Iterable[Sequence[Any]]) -> None:
        """Fold what a ledger of the next stretch of the log returned as records."""
        for kind, *what in records:
            match kind:
                case "held":
                    self._hold(SessionId(what[0]), from_record(what[1]))
                case "ended":
                    self.end(SessionId(what[0]), [from_record(what[1])])
                case "seen":
                    self.see(SessionId(what[0]), [what[1]], moment(what[2]))
                case _:
                    self._retract((what[0], what[1]))

    def _latest(self, part: SessionId | None) -> Iterator[tuple[SessionId, Fact]]:
        return ((holder, fact) for _, holder, fact in self._in_order(part))

    def _in_order(self, part: SessionId | None) -> Sequence[tuple[Identity, SessionId, Fact]]:
        """Return the latest beliefs in the log's order; those of some sessions are kept until something changes."""
        if part in self._ordered:
            return self._ordered[part]
        found = ((self._newest(about, part), about) for about in self._beliefs)
        latest = sorted(((*newest, about) for newest, about in found if newest is not None), key=itemgetter(0))
        ordered = [(about, holder, fact) for _, holder, fact, about in latest]
        if len(self._ordered) >= _MOST_PARTS:
            self._ordered.clear()
        self._ordered[part] = ordered
        return ordered

    def _newest(self, about: Identity, part: SessionId | None) -> tuple[int, SessionId, Fact] | None:
        """Return the latest belief of those sessions with its order and holder, by the log's order, not by clocks."""
        beliefs = self._beliefs.get(about, {})
        if part is None and len(beliefs) == 1:  # as nearly all are
            [(session, (order, fact))] = beliefs.items()
            return (order, session, fact) if order > self._retracted.get(about, 0) else None
        newest = max(_held(beliefs, part), key=itemgetter(0), default=None)
        is_own = part is not None and part in beliefs
        return newest if newest is not None and (is_own or newest[0] > self._retracted.get(about, 0)) else None

    def _hold(self, session_id: SessionId, fact: Fact, order: int | None = None) -> None:
        """Hold a session's belief, as its newest unless an order is given."""
        about = identity(fact)
        self._subjects[session_id, fact.id] = about
        self._beliefs.setdefault(about, {})[session_id] = (self._next() if order is None else order, fact)
        self._forget_order()

    def _retract(self, about: Identity) -> None:
        self._retracted[about] = self._next()
        self._forget_order()

    def _forget_order(self) -> None:
        self._ordered.clear()
        self._taken_back = None

    def _next(self) -> int:
        self._applied += 1
        return self._applied


def current(found: Mapping[str, list[Fact]], spoken: Mapping[str, Spoken]) -> dict[str, list[Fact]]:
    """Return facts by owner without those of users in a project of which they spoke since, across projects."""
    since = {owner.removeprefix(ACROSS): said for owner, said in spoken.items()}
    return {owner: unspoken(facts, since.get(owner, {})) for owner, facts in found.items()}


def unspoken(facts: Iterable[Fact], spoken: Spoken) -> list[Fact]:
    """Return the facts of which nothing was said since they were recorded."""
    if not spoken:
        return list(facts)
    return [fact for fact in facts if not is_spoken_of(fact, fact.about, spoken)]


def is_spoken_of(fact: Fact, about: Identity, spoken: Spoken) -> bool:
    """Tell whether something was said of the fact's identity since it was recorded."""
    if about not in spoken:
        return False
    at = spoken[about]
    return at is None or fact.recorded_at <= at


def _held(
    beliefs: Mapping[SessionId, tuple[int, Fact]], part: SessionId | None
) -> Iterable[tuple[int, SessionId, Fact]]:
    """Return the beliefs of the sessions that are meant, each with its order and holder; is_within() says which."""
    if part is not None and not part.endswith("/"):
        return [(beliefs[part][0], part, beliefs[part][1])] if part in beliefs else []
    return [(order, session, fact) for session, (order, fact) in beliefs.items() if is_within(part, session)]


def _changed_at(fact: Fact) -> datetime:
    return fact.valid_to or fact.recorded_at


class History:
    """The facts believed at a time, and the facts that others had superseded by then."""

    def __init__(self, history: Iterable[dict[str, Any]], at: datetime) -> None:
        """Fold the entries that were made until then."""
        self._at = at
        self._ledger = Ledger()
        self._superseded: dict[str, tuple[SessionId, Fact]] = {}
        for record in history:
            if moment(record["at"]) <= at:
                self._apply(record)

    def facts(self, session: SessionId | None) -> list[Fact]:
        """Return what was believed, by one session or by all of them together."""
        return self._ledger.live(self._at, session)

    def superseded(self, session: SessionId | None) -> list[Fact]:
        """Return what one session or any had believed before something else took its place."""
        return [fact for holder, fact in self._superseded.values() if is_within(session, holder)]

    def said(self, part: SessionId | None) -> Spoken:
        """Return what was spoken of until then."""
        return self._ledger.said(part)

    def _apply(self, record: dict[str, Any]) -> None:
        self._ledger.apply(record)
        for fact in map(from_record, record["ended"]):
            if fact.state is State.SUPERSEDED or fact.superseded_by is not None:
                self._superseded[fact.id] = (SessionId(record["session"]), fact)
