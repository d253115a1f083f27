"""What must hold of branches after any schedule: all that was said is in one place once, on its branch or merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import inf

from cairn.branches.branching import branches, drop
from cairn.branches.merge import merge
from cairn.conversation.turns import Completion
from cairn.ground.errors import CairnError, NotFound
from cairn.ground.ids import Project, TurnId
from cairn.log.branches import Branch
from cairn.log.layout import log_owner, with_across
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.turns.after_turn import commit
from simulation.actions import Play
from simulation.branch_actions import EVE, SESSION, SHED, TENANT, place, turn_of
from simulation.operations import Operation
from simulation.recount import Problems, Recount
from simulation.stage import Process

MOST = 1000


class BranchFindings:
    """One look at the end of a schedule, once every branch that was being closed is closed."""

    def __init__(self, play: Play, process: Process) -> None:
        self._play = play
        self._operations = play.operations
        self._process = process
        self._services = process.services

    def problems(self) -> Problems:
        if not self._said:
            return
        yield from self._closed()
        yield from self._sent_again()
        yield from self._once()
        yield from self._known()
        yield from self._alike()
        owners = with_across([log_owner(EVE, SESSION), log_owner(None, SESSION)])
        yield from Recount(self._services, place(SHED), owners).problems()

    @cached_property
    def _said(self) -> dict[tuple[Project, str], list[Operation]]:
        """Return the calls that told something, by where and what."""
        found = dict[tuple[Project, str], list[Operation]]()
        for each in self._operations.of("said"):
            project, what = each.about
            found.setdefault((project, what.turn_id if isinstance(what, Completion) else what.content), []).append(each)
        return found

    @cached_property
    def _open(self) -> Sequence[Branch]:
        return branches(self._services, TENANT, SHED)

    def _closed(self) -> Problems:
        """Have each branch that was being merged or dropped be closed by the same command."""
        for each in branches(self._services, TENANT, SHED):
            if each.closing:
                try:
                    (merge if each.closing == "merge" else drop)(self._services, TENANT, each.project)
                except CairnError as error:
                    yield f"{each.project} was being closed, and is not: {error!r}"

    def _sent_again(self) -> Problems:
        """Send again what was said in the project or came to it, and one turn more, which it has to take."""
        yield from self._merged_again()
        probe = replace(turn_of(self._play, SHED), turn_id=TurnId("probe"))
        for (project, _), calls in (*self._said.items(), ((SHED, ""), [Operation("said", (SHED, probe), 0)])):
            if project == SHED and isinstance(calls[0].about[1], Completion):
                again = Operation("said", calls[0].about, self._operations.number())
                try:
                    again.ok = bool(commit(self._services, place(SHED), calls[0].about[1]))
                except CairnError as error:
                    yield f"{calls[0].about[1].turn_id} of {project} cannot be sent again: {error!r}"
                calls.append(again)

    def _merged_again(self) -> Problems:
        there = self._there(self._process, SHED)
        for (project, what), calls in self._said.items():
            turn = calls[0].about[1]
            if project != SHED and isinstance(turn, Completion) and there[what]:
                try:
                    if not commit(self._services, place(SHED), turn).replayed:
                        yield f"{what} of {project} was merged, and is stored again as it is sent to the project"
                except CairnError as error:
                    yield f"{what} of {project} was merged, and cannot be sent to the project: {error!r}"

    def _there(self, process: Process, project: Project) -> Counter[str]:
        """Return how often each turn and memory is known in the project or on a branch."""
        asked = RecallRequest(limit=MOST, user_id=EVE, min_confidence=0, scope="project")
        told = recall(process.services, place(project), asked)
        memories = Counter(each.content for each in told.found if each.kind == "memory")
        recent = process.services.sessions.recent(place(project), MOST)
        turns = Counter(str(events[0].turn_id) for _, events in recent.turns)
        log, owner = process.services.log, log_owner(EVE, SESSION)
        log.refresh(TENANT, project, owner)
        with log.view(TENANT, project, owner) as view:
            logged = Counter(str(each.turn_id) for each in view.turns(SESSION))
        return memories + (turns | logged) + ((turns | logged) - (turns & logged))

    @cached_property
    def _places(self) -> dict[Project, Counter[str]]:
        return {
            project: self._there(self._process, project) for project in (SHED, *(each.project for each in self._open))
        }

    def _once(self) -> Problems:
        """Hold where each thing is now to what was done to its branch since."""
        for project, there in self._places.items():
            if twice := [name for name, times in there.items() if times > 1 and self._is_sure(project, name)]:
                yield f"{project} has {twice} more than once, or not in all places"
        for (project, what), calls in self._said.items():
            merged = self._places[SHED][what] > 0
            if project == SHED:
                if any(each.ok for each in calls) and not merged:
                    yield f"{what} was said in {project} and is gone"
                continue
            own = not merged and self._places.get(project, Counter())[what] > 0
            yield from self._fate(project, what, calls, merged=merged, own=own)
            other = [each for each in self._places if each not in {SHED, project} and self._places[each][what]]
            if other and not merged:
                yield f"{what} of {project} is on {other}"

    def _fate(self, project: Project, what: str, calls: Sequence[Operation], *, merged: bool, own: bool) -> Problems:
        told = [each for each in calls if each.ok]
        merges = self._closings("merged", project, calls)
        drops = self._closings("dropped", project, calls)
        if merged and not merges:
            yield f"{what} came to the project, and {project} was not merged since"
        if not merged and not own and told and not drops:
            yield f"{what} of {project} is neither there nor merged"
        after = [
            each for each in (*merges, *drops) if each.ok and each.begun > max(each.ended or inf for each in calls)
        ]
        if own and after:
            yield f"{what} is on {project}, which was closed since"
        known = _known(told)
        if told and not drops and not merged and any(each.ok and each.begun > known for each in merges):
            yield f"{what} of {project} was lost as it was merged"

    def _closings(self, kind: str, project: Project, calls: Sequence[Operation]) -> list[Operation]:
        """Return the calls that may have closed a branch once something was said on it."""
        begun = min(each.begun for each in calls)
        return [
            each
            for each in self._operations.all
            if each.kind == kind
            and each.about == project
            and (each.ended or inf) > begun
            and not isinstance(each.answer, NotFound)
        ]

    def _is_sure(self, project: Project, what: str) -> bool:
        """Tell whether something is known on a branch for sure, or not: what came to the project since may be in part.

        A process whose clock is behind tells it under a moment that a branch made just before takes for known.
        """
        if project == SHED or (project, what) in self._said:
            return True
        return self._came(what) < self._begun(project)

    def _came(self, what: str) -> float:
        """Return until when something came to the project for sure, be it said there or merged."""
        told = {of: _known(calls) for (of, each), calls in self._said.items() if each == what}
        if SHED in told:
            return told[SHED]
        merges = [each for each in self._operations.of("merged") if each.begun > told.get(each.about, inf)]
        return _known(merges)

    def _begun(self, project: Project) -> int:
        """Return when a branch may have been made first; one whose answer was lost is there, for whoever asks again."""
        return min((each.begun for each in self._operations.of("branched") if each.about == project), default=0)

    def _known(self) -> Problems:
        """Hold an open branch to what its project had been told before it was made."""
        for branch in self._open:
            begun = self._begun(branch.project)
            for (project, what), calls in self._said.items():
                known = _known(calls)
                if project == SHED and known < begun and not self._places[branch.project][what]:
                    yield f"{branch.project} does not know {what}, which was said before"

    def _alike(self) -> Problems:
        """Hold what every process tells to what one that has nothing in memory reads."""
        for process in self._play.stage.surviving():
            for project, there in self._places.items():
                if (told := self._there(process, project)) != there:
                    yield f"a process tells {told - there} of {project} more, and {there - told} less"


def _known(calls: Sequence[Operation]) -> float:
    """Return when the first of these calls was answered well."""
    return min((each.ended or inf for each in calls if each.ok), default=inf)
