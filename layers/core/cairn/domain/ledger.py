"""The ledger: which facts are believed, folded from a log in the order of its entries.

Each session keeps its own beliefs, so that what one session says never changes what another recalls of itself. A
wider view resolves them: of the beliefs of several sessions about one identity, the latest one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from cairn.domain.facts import Fact, Identity, State, identity
from cairn.domain.ids import SessionId

_NOTHING: Identity = ("", "")


class Ledger:
    """The latest belief of every session about every identity, ended ones included."""

    def __init__(self) -> None:
        """Start with no beliefs."""
        self._beliefs: dict[Identity, dict[SessionId, tuple[int, Fact]]] = {}
        self._subjects: dict[str, Identity] = {}
        self._retracted: dict[Identity, int] = {}
        self._applied = 0

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
                self._hold(session_id, fact)
            elif fact.state is State.DELETED:
                self._applied += 1
                self._retracted[identity(fact)] = self._applied

    def see(self, session_id: SessionId, record_ids: Iterable[str], now: datetime) -> None:
        """Note that facts were said again."""
        for record_id in record_ids:
            beliefs = self._beliefs.get(self._subjects.get(record_id, _NOTHING), {})
            held = beliefs.get(session_id)
            if held is not None and held[1].id == record_id:
                beliefs[session_id] = (held[0], replace(held[1], last_seen=now))

    def live(self, now: datetime, session_id: SessionId | None = None) -> list[Fact]:
        """Return the facts believed now: by one session, or by all of them together."""
        return [fact for fact in self._latest(session_id) if fact.is_live(now)]

    def lapsed(self, now: datetime, session_id: SessionId) -> list[Fact]:
        """Return the session's facts that are past their expiry and not yet marked so."""
        return [f for f in self._latest(session_id) if f.state is State.ACTIVE and not f.is_live(now)]

    def _latest(self, session_id: SessionId | None) -> Iterator[Fact]:
        for about, beliefs in self._beliefs.items():
            if session_id is None:
                applied, latest = max(beliefs.values(), key=lambda held: held[0])
                if applied > self._retracted.get(about, 0):
                    yield latest
            elif session_id in beliefs:
                yield beliefs[session_id][1]

    def _hold(self, session_id: SessionId, fact: Fact) -> None:
        self._applied += 1
        self._subjects[fact.id] = identity(fact)
        self._beliefs.setdefault(identity(fact), {})[session_id] = (self._applied, fact)
