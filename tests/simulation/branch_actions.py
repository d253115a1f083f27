"""What agents do on branches of a project and in the project itself: one function per action."""

from __future__ import annotations

from collections.abc import Callable

from cairn.branches.branching import create, drop
from cairn.branches.merge import merge
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, TurnId, UserId
from cairn.ground.session import Session
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.turns.after_turn import commit
from simulation.actions import TENANTS, Action, Play, held_up, wait
from simulation.operations import NOT_THERE, Kind, Operation
from simulation.stage import Process

TENANT, SHED = TENANTS[0], Project("shed")
BRANCHES = (Project("shed@try-1"), Project("shed@try-2"))
SESSION, EVE = SessionId("work"), UserId("eve")


def create_branch(play: Play, process: Process) -> None:
    """Branch the project, or its one session, under one of a few names, which are used again."""
    branch, session = play.random.choice(BRANCHES), play.random.choice((None, None, SESSION))
    _made(play, "branched", branch, lambda: create(process.services, TENANT, branch, session))


def say_in_project(play: Play, process: Process) -> None:
    """Say something new in the project."""
    _say(play, process, SHED)


def say_on_branch(play: Play, process: Process) -> None:
    """Say something new on a branch, be it there or not."""
    _say(play, process, play.random.choice(BRANCHES))


def say_slowly(play: Play, process: Process) -> None:
    """Say something new on a branch, and be held up at it."""
    with held_up(play, process):
        say_on_branch(play, process)


def say_again(play: Play, process: Process) -> None:
    """Send a turn again where it was sent, whatever came of it."""
    if said := [each for each in play.operations.of("said") if isinstance(each.about[1], Completion)]:
        _send(play, process, *play.random.choice(said[-4:]).about)


def keep_in_project(play: Play, process: Process) -> None:
    """Keep something new in the project."""
    _keep(play, process, SHED)


def keep_on_branch(play: Play, process: Process) -> None:
    """Keep something new on a branch, be it there or not."""
    _keep(play, process, play.random.choice(BRANCHES))


def merge_branch(play: Play, process: Process) -> None:
    """Merge a branch, be it there or not."""
    branch = play.random.choice(BRANCHES)
    _made(play, "merged", branch, lambda: merge(process.services, TENANT, branch))


def drop_branch(play: Play, process: Process) -> None:
    """Drop a branch, be it there or not."""
    branch = play.random.choice(BRANCHES)
    _made(play, "dropped", branch, lambda: drop(process.services, TENANT, branch))


BRANCH_ACTIONS: dict[Action, int] = {
    say_in_project: 4,
    say_on_branch: 6,
    say_slowly: 2,
    say_again: 3,
    keep_in_project: 1,
    keep_on_branch: 3,
    create_branch: 5,
    merge_branch: 4,
    drop_branch: 1,
    wait: 2,
}


def place(project: Project) -> Session:
    """Return the one session, in the project or on a branch."""
    return Session(TENANT, project, SESSION)


def turn_of(play: Play, project: Project) -> Completion:
    """Return a turn that nobody sent."""
    name = f"t{play.operations.number()}"
    size = play.random.choice((1, 1, 600))
    return Completion(
        turn_id=TurnId(name),
        user_id=EVE,
        inputs=(message("user", f"Turn {name} is of {project}."),),
        outputs=(message("assistant", f"Noted {name} {play.random.randbytes(size).hex()}.", "output_text"),),
    )


def _say(play: Play, process: Process, project: Project) -> None:
    _send(play, process, project, turn_of(play, project))


def _send(play: Play, process: Process, project: Project, turn: Completion) -> None:
    _made(play, "said", (project, turn), lambda: commit(process.services, place(project), turn))


def _keep(play: Play, process: Process, project: Project) -> None:
    scope = play.random.choice(("session", "user", "project"))
    note = Note(content=f"Memory {play.operations.number()} is of {project}", scope=scope, user_id=EVE)
    _made(play, "said", (project, note), lambda: remember(process.services, place(project), note))


def _made(play: Play, kind: Kind, about: object, call: Callable[[], object]) -> None:
    play.operations.make(Operation(kind, about, play.operations.number()), call, NOT_THERE)
