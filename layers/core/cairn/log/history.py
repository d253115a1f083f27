"""What was believed at a time in the past: the changes of facts until then, folded anew."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from cairn.facts.facts import Fact, State, from_record
from cairn.ground.codec import moment
from cairn.ground.ids import SessionId
from cairn.log.ledger import Ledger


class History:
    """The beliefs of a log at a time, and those that others had replaced by then."""

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
        return [fact for holder, fact in self._superseded.values() if session in {None, holder}]

    def _apply(self, record: dict[str, Any]) -> None:
        self._ledger.apply(record)
        for fact in map(from_record, record["ended"]):
            if fact.state is State.SUPERSEDED or fact.superseded_by is not None:
                self._superseded[fact.id] = (SessionId(record["session"]), fact)
