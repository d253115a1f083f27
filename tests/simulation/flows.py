"""The core flows, each with every single fault at every call and every pair of faults: nothing here is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import TypeAlias

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import Session
from cairn.log.layout import log_owner
from cairn.turns import operation_token as operations
from cairn.turns import run_turn
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.turns.run_turn import begin
from simulation.actions import PLACES, PROJECT, SESSION_IDS, TENANTS, Play, tag_of
from simulation.faulty_link import Fault
from simulation.stage import Process, Stage, small
from simulation.verdict import Verdict, judged
from support.faults import Stopped

SESSION = Session(TENANTS[0], PROJECT, SESSION_IDS[0])
ADA = UserId("ada")
OF_A_READ = (Fault.REFUSED, Fault.KILLED_BEFORE)
OF_A_WRITE = (Fault.REFUSED, Fault.LOST, Fault.LATE, Fault.KILLED_BEFORE, Fault.KILLED_AFTER)
PAUSE_SECONDS = 31.0
MOST_TRIES = 6
Plan: TypeAlias = tuple[tuple[int, Fault], ...]
Flow: TypeAlias = Callable[["Rehearsal"], None]


@dataclass(slots=True)
class Faults:
    """Which call of a flow goes wrong and how, counted over all processes."""

    plan: dict[int, Fault]
    calls: list[str] = field(default_factory=list[str])

    def draw(self, what: str) -> Fault | None:
        self.calls.append(what)
        return self.plan.get(len(self.calls) - 1)


class Rehearsal:
    """A session with a past, and a client that calls again after a while, at a new process where the old one died."""

    def __init__(self, play: Play, faults: Faults) -> None:
        self.play = play
        self.faults = faults
        self._process: Process | None = None

    def insist(self, call: Callable[[Process], object]) -> None:
        """Make a call until it is answered."""
        for _ in range(MOST_TRIES):
            process = self._process = self._process or self.play.stage.process(self.faults.draw)
            try:
                if call(process) is not False:
                    return
            except (Unavailable, ResourceBusy):
                pass
            except Stopped:
                self._process = None
            self.play.stage.scheduler.pause(PAUSE_SECONDS)

    def send(self, turn: Completion) -> None:
        self.insist(lambda process: self.play.stage.send(process, SESSION, turn).is_acknowledged)


def commit(rehearsal: Rehearsal) -> None:
    """Commit a turn whose facts replace, end and repeat others."""
    rehearsal.send(turn("new", "Hm.", "My name is Hedy. I like tea. I no longer work at Initech."))


def compact(rehearsal: Rehearsal) -> None:
    """Prepare a turn with so little room that it compacts, then commit it."""
    request = Preparation(current=(message("user", "What is my name?"),), user_id=ADA, max_input_tok=250)
    rehearsal.insist(lambda process: prepare(process.services, SESSION, request))
    rehearsal.send(turn("new", "What is my name?"))


def two_calls(rehearsal: Rehearsal) -> None:
    """Begin a turn, and commit it by its token."""
    new, tokens = turn("new", "I live in Oslo."), list[str]()
    request = Preparation(current=new.inputs, user_id=ADA, turn_id=new.turn_id)
    rehearsal.insist(lambda process: tokens.append(begin(process.services, SESSION, request).token))
    stage = rehearsal.play.stage

    def finish(process: Process) -> bool:
        token = operations.parse(tokens[0])
        told = stage.attempt(
            SESSION, new, lambda: run_turn.finish(process.services, SESSION.tenant, token, run_turn.Answer(new.outputs))
        )
        return told.is_acknowledged

    rehearsal.insist(finish)


def maintain(rehearsal: Rehearsal) -> None:
    """Maintain a session in which everything is due."""
    rehearsal.play.stage.scheduler.pause(timedelta(days=3).total_seconds())
    rehearsal.insist(lambda process: process.services.maintenance.run(SESSION))


def index(rehearsal: Rehearsal) -> None:
    """Index a log twice, of which the second run merges and discards, with more in it in between."""
    owner, stage = log_owner(ADA, SESSION.session_id), rehearsal.play.stage
    for number in (1, 2, 3, 4):
        stage.scheduler.pause(timedelta(hours=2).total_seconds())
        if number < 4:
            stage.healthy().services.indexer.run(SESSION.tenant, PROJECT, owner)
        for name in (f"new{number}", f"newer{number}"):
            stage.send(stage.healthy(), SESSION, turn(name, f"I like tea. I moved to {PLACES[number - 1]}."))
    stage.scheduler.pause(timedelta(hours=2).total_seconds())
    rehearsal.insist(lambda process: process.services.indexer.run(SESSION.tenant, PROJECT, owner))


FLOWS: tuple[Flow, ...] = (commit, compact, two_calls, maintain, index)


def turn(name: str, *said: str) -> Completion:
    tag = tag_of(SESSION, ADA)
    return Completion(
        turn_id=TurnId(name),
        user_id=ADA,
        inputs=tuple(message("user", f"{tag} {name}. {text}") for text in said),
        outputs=(message("assistant", f"Noted {tag} {name}. {'more of it, ' * 20}", "output_text"),),
    )


PAST = (
    turn("t1", "My name is Ada. I like tea."),
    turn("t2", "I work at Initech."),
    turn("t3", "Today I need to buy stamps."),
    turn("t4", "I live in Berlin."),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is wrong after a flow with faults, and the calls that it made."""

    verdict: Verdict
    calls: tuple[str, ...]


def rehearsed(flow: Flow, plan: Plan = ()) -> Outcome:
    """Play a flow with these faults, by the number of the call."""
    random = Random(1)  # noqa: S311 - not for secrets
    play = Play(Stage(random), random, [SESSION], (ADA,))
    faults = Faults(dict(plan))
    with small():
        process = play.stage.healthy()
        for completion in PAST:
            play.stage.send(process, SESSION, completion)
        flow(Rehearsal(play, faults))
        return Outcome(judged(play), tuple(faults.calls))


def singles(flow: Flow) -> list[Plan]:
    """Return every single fault at every call that the flow makes."""
    return [((at, fault),) for at, what in enumerate(rehearsed(flow).calls) for fault in _possible(what)]


def pairs(first: Plan, calls: Sequence[str]) -> list[Plan]:
    """Return this fault with every other at every later call of a flow that makes these calls once it has happened."""
    (earlier, _), *_ = first
    return [(*first, (at, fault)) for at, what in enumerate(calls) if at > earlier for fault in _possible(what)]


def _possible(what: str) -> tuple[Fault, ...]:
    """Return the faults that differ for this call: a read that is refused and one whose answer is lost are the same."""
    return OF_A_READ if what.startswith(("get", "query")) else OF_A_WRITE
