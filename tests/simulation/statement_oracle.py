"""What must hold of statements after any schedule: of those that contradict each other exactly the newest holds."""

from __future__ import annotations

from collections import Counter
from math import inf

from cairn.conversation.items import text_of
from cairn.conversation.turns import Completion
from cairn.ground.errors import CairnError
from cairn.ground.session import Session
from cairn.log.layout import with_across
from cairn.turns.after_turn import commit
from simulation.actions import Play
from simulation.recount import Problems, Recount
from simulation.stage import Process
from simulation.statement_actions import HOUSE, SESSIONS, STATERS, TENANT, matter_of


class StatementFindings:
    """One look at the end of a schedule, once every turn was sent again."""

    def __init__(self, play: Play, process: Process) -> None:
        self._play = play
        self._process = process
        self._services = process.services
        self._turns: dict[str, tuple[Session, Completion]] = {
            each.about[1].turn_id: each.about for each in play.operations.of("stated")
        }

    def problems(self) -> Problems:
        if not self._turns:
            return
        for turn_id, (session, turn) in self._turns.items():
            try:
                commit(self._services, session, turn)
            except CairnError as error:
                yield f"{turn_id} cannot be sent again: {error!r}"
        for session_id in {session.session_id for session, _ in self._turns.values()}:
            yield from Recount(self._services, Session(TENANT, HOUSE, session_id), self._owners()).problems()
        for user in STATERS:
            yield from self._newest(f"u:{user}")

    def _owners(self) -> list[str]:
        return with_across([f"u:{user}" for user in STATERS])

    def _newest(self, owner: str) -> Problems:
        """Hold what each process believes of a user to what was said last, in the order of the log."""
        recount = Recount(self._services, Session(TENANT, HOUSE, SESSIONS[0]), ())
        expected = dict[str, str]()
        times = Counter[str]()
        for entry in recount.log(owner):
            if entry["turn"]:
                times[entry["turn"]["id"]] += 1
                for item in self._turns[entry["turn"]["id"]][1].inputs:
                    expected[matter_of(text_of(item))] = text_of(item)
        told = {name for name, (_, turn) in self._turns.items() if f"u:{turn.user_id}" == owner}
        if times != Counter(told):
            yield f"the log of {owner} tells {times} of the turns {told}"
        for process in (self._process, *self._play.stage.surviving()):
            believed, newest = self._believed(process, owner), Counter(expected.values())
            more = [said for said in believed - newest if not self._was_told_at_once(owner, said)]
            if more or newest - believed:
                yield f"{owner} is believed to say {sorted(believed.elements())}, and said last {expected}"

    def _was_told_at_once(self, owner: str, said: str) -> bool:
        """Tell whether another session told of its matter meanwhile: then neither may know the other."""
        about = [
            each
            for each in self._play.operations.of("stated")
            if f"u:{each.about[1].user_id}" == owner
            and matter_of(said) in {matter_of(text_of(item)) for item in each.about[1].inputs}
        ]
        own = [each for each in about if said in {text_of(item) for item in each.about[1].inputs}]
        return any(
            one.about[0] != other.about[0] and one.begun < (other.ended or inf) and other.begun < (one.ended or inf)
            for one in own
            for other in about
        )

    def _believed(self, process: Process, owner: str) -> Counter[str]:
        log, now = process.services.log, self._services.adapters.clock.now()
        found = Counter[str]()
        for each in with_across([owner]):
            log.refresh(TENANT, HOUSE, each)
            with log.view(TENANT, HOUSE, each) as view:
                found.update(fact.value for fact in view.facts(now, None))
        return found
