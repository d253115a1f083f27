"""What operators plan, apply and take back, while a user's memories are kept: one function per action."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from cairn.access.api_keys import Grant, project_pattern
from cairn.custody.planned_erasure import plan_to_erase
from cairn.custody.planned_forgetting import plan_to_forget
from cairn.custody.planned_keys import plan_to_end
from cairn.custody.planned_policy import plan_to_set
from cairn.custody.scope import DataScope
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Project, UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.plans.model import Plan
from simulation.actions import TENANTS, Action, Play, held_up, wait
from simulation.operations import NOT_THERE, Kind, Operation
from simulation.stage import MOST_SKEW, Process

TENANT, DESK = TENANTS[0], Project("desk")
OWNERS = (UserId("eve"), UserId("dan"))
HERE = Session(TENANT, DESK, NO_SESSION)
GRACES = (timedelta(0), timedelta(hours=1), timedelta(hours=1))
OVERLAPS = (None, timedelta(hours=1))
TYPES = ("decision", "fact")


def note(play: Play, process: Process) -> None:
    """Keep a memory that nobody kept."""
    user, number = play.random.choice(OWNERS), play.operations.number()
    content = f"{user} keeps note {number} {play.random.randbytes(play.random.choice((1, 1, 500))).hex()}"
    kept = Note(content=content, type=play.random.choice(TYPES), scope="user", user_id=user)
    _made(play, "noted", kept, lambda: remember(process.services, HERE, kept).id)


def make_key(play: Play, process: Process) -> None:
    """Make an API key, told from others by what it opens."""
    grant = Grant(projects=(project_pattern(f"key{play.operations.number()}"),))
    _made(play, "keyed", grant, lambda: process.services.credentials.create(TENANT, grant).credential.id)


def plan_forgetting(play: Play, process: Process) -> None:
    """Plan to forget a memory, each once."""
    if (kept := _unplanned(play, "noted")) is not None:
        user, name = kept.about.user_id, kept.answer
        _plan(play, process, kept, plan_to_forget(TENANT, DESK, user, name, "It is wrong."))


def plan_key(play: Play, process: Process) -> None:
    """Plan to revoke or rotate a key, each once."""
    if (key := _unplanned(play, "keyed")) is not None:
        _plan(play, process, key, plan_to_end(TENANT, key.answer, play.random.choice(OVERLAPS)))


def plan_policy(play: Play, process: Process) -> None:
    """Plan to set a policy that nobody set."""
    text = f"tool_permissions: {{}} # {play.operations.number()}"
    _plan(play, process, text, plan_to_set(text))


def plan_erasure(play: Play, process: Process) -> None:
    """Plan to erase a user."""
    user = play.random.choice(OWNERS)
    _plan(play, process, user, plan_to_erase(DataScope(TENANT, DESK, user)))


def apply_plan(play: Play, process: Process) -> None:
    """Apply a plan, maybe once more, an erasure at once or after a grace time."""
    if (planned := _a_plan(play)) is not None:
        plan, grace = planned.answer, play.random.choice(GRACES)
        _made(play, "applied", planned, lambda: _applied(process, plan, grace))


def apply_slowly(play: Play, process: Process) -> None:
    """Apply a plan, and be held up at it."""
    with held_up(play, process):
        apply_plan(play, process)


def undo_plan(play: Play, process: Process) -> None:
    """Take back what a plan did, be it applied or not."""
    if (planned := _a_plan(play)) is not None:
        plan = planned.answer
        _made(play, "undone", planned, lambda: process.services.plans.undo(plan.tenant, plan.id))


def apply_due(play: Play, process: Process) -> None:
    """Carry out the erasures whose grace time is over, as the schedule does."""
    with suppress(Unavailable):
        for plan in process.services.plans.records.due():
            known = [each for each in play.operations.of("planned") if each.ok and each.answer.id == plan.id]
            _made(play, "applied", known[0] if known else None, lambda plan=plan: _applied(process, plan))


PLAN_ACTIONS: dict[Action, int] = {
    note: 6,
    plan_forgetting: 5,
    make_key: 3,
    plan_key: 4,
    plan_policy: 2,
    plan_erasure: 2,
    apply_plan: 9,
    apply_slowly: 3,
    undo_plan: 5,
    apply_due: 1,
    wait: 3,
}


def _unplanned(play: Play, kind: Kind) -> Operation | None:
    planned = [each.about for each in play.operations.of("planned")]
    free = [each for each in play.operations.of(kind) if each.ok and each not in planned]
    return play.random.choice(free) if free else None


def _a_plan(play: Play) -> Operation | None:
    """Draw one of the newest plans, often one that is being applied just now, or whose answer was lost."""
    told = [each for each in play.operations.of("planned") if each.ok][-4:]
    begun = [each.about for each in play.operations.of("applied") if each.ended is None and each.about in told]
    return play.random.choice(play.random.choice((told, told, begun or told))) if told else None


def _applied(process: Process, plan: Plan, grace: timedelta = timedelta(0)) -> Plan:
    done = process.services.plans.apply(plan.tenant, plan.id, grace)
    latest = process.services.adapters.clock.now() + timedelta(seconds=2 * MOST_SKEW)
    assert done.state != "final" or done.until is None or done.until <= latest, "a user was erased before the time"
    return done


def _plan(play: Play, process: Process, about: object, draft: Plan) -> None:
    _made(play, "planned", about, lambda: process.services.plans.plan(draft))


def _made(play: Play, kind: Kind, about: object, call: Callable[[], object]) -> None:
    play.operations.make(Operation(kind, about, play.operations.number()), call, NOT_THERE)
