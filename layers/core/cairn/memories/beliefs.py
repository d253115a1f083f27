"""What is believed of a user, here and everywhere, and what was: as their logs tell when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cairn.facts.facts import Fact, Identity, identity
from cairn.ground.ids import SessionId
from cairn.log.layout import is_across
from cairn.log.ledger import Spoken, is_spoken_of
from cairn.recall.searching import Visibility
from cairn.sessions.services import SessionServices


class Belief(NamedTuple):
    """A fact, whose log it is in, and for which session."""

    owner: str
    session: SessionId
    fact: Fact


class Beliefs:
    """The beliefs of a user's logs, of which each matter has one in a log."""

    def __init__(self, services: SessionServices, visibility: Visibility) -> None:
        """Take them from the logs as they were last read."""
        self._log = services.log
        self._place = visibility.session.tenant, visibility.session.project
        self._owners = visibility.own
        self._live: dict[tuple[str, Identity], Belief] = {}
        now = services.adapters.clock.now()
        spoken: Spoken = {}
        # That across projects comes first: what the project holds from before ends where it speaks of that since.
        for owner in sorted(self._owners, key=is_across, reverse=True):
            with self._log.view(*self._place, owner) as view:
                believed, said = view.ledger.believed_of(now), view.ledger.said(None)
            for about, (session, fact) in believed.items():
                if not is_spoken_of(fact, about, spoken):
                    self._live[owner, about] = Belief(owner, session, fact)
            spoken = said

    def named(self, name: str) -> Belief | None:
        """Return the belief of this id or, where that was only recorded anew, the one in its place."""
        found = next((each for each in self._live.values() if each.fact.id == name), None)
        if found is not None or (earlier := self.recorded(name)) is None:
            return found
        instead = self.instead_of(earlier)
        return instead if instead is not None and instead.fact.value == earlier.fact.value else None

    def recorded(self, name: str) -> Belief | None:
        """Return the fact of this id as it was recorded, believed or not, None where there is none, or no more."""
        for owner in self._owners:
            with self._log.view(*self._place, owner) as view:
                found = view.recorded(name)
            if found is not None:
                return Belief(owner, *found)
        return None

    def instead_of(self, earlier: Belief) -> Belief | None:
        """Return what is believed now of what an earlier fact is about: in its log, or in the one across projects."""
        owners = [earlier.owner, *(owner for owner in self._owners if is_across(owner))]
        found = (self._live.get((owner, identity(earlier.fact))) for owner in owners)
        return next((each for each in found if each is not None), None)

    def heard(self, belief: Belief) -> Sequence[Fact]:
        """Return what every session heard of the same, in the belief's log."""
        with self._log.view(*self._place, belief.owner) as view:
            return view.ledger.heard(identity(belief.fact))
