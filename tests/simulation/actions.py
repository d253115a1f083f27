"""What processes do: one function per action, which draws what it is about; `ACTIONS` says how often each is drawn."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from typing import TypeAlias

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.errors import PermissionDenied, ResourceBusy, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.jobs import IndexLog
from cairn.ground.session import Session
from cairn.ground.settings import RecallScope
from cairn.log.layout import log_owner, with_across
from cairn.sessions.layout import due_shard
from cairn.turns import operation_token as operations
from cairn.turns import run_turn
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.turns.operation_token import OperationToken
from cairn.upkeep.every_due import EveryDue
from simulation.client_history import SeenContext
from simulation.faulty_link import Fault
from simulation.operations import Operations
from simulation.stage import START, Process, Stage

PROJECT = Project("garden")
TENANTS = (Tenant("acme"), Tenant("globex"))
SESSION_IDS = (SessionId("monday"), SessionId("tuesday"))
USERS = ("ada", "bob")
NAMES = ("Ada", "Grace", "Hedy", "Edith", "Joan")
PLACES = ("Berlin", "Oslo", "Lisbon", "Quito")
FIRMS = ("Initech", "Hooli", "Vandelay")
THINGS = ("tea", "chess", "sailing", "jazz")
TASKS = ("buy stamps", "water the ferns", "call the plumber")
SCOPES: tuple[RecallScope, ...] = ("session", "user", "project")
WAITS = (1.0, 10.0, 31.0, 65.0, 65.0, 600.0, 4_000.0, 100_000.0, 8 * 86_400.0)
LONG_WAIT = 80_000.0
MOST_LONG_WAITS = 2
"""Guards are kept for a month, after which another payload under an old turn_id is no conflict any more."""
MOST_AHEAD = 10
"""How many calls a process that is held up makes first, at the most."""
FORGERY = "Something else under the same name."


@dataclass(slots=True)
class Play:
    """One schedule: who is in it, and what its clients remember of what they did."""

    stage: Stage
    random: Random
    sessions: list[Session]
    users: tuple[str, ...]
    said: list[tuple[Session, Completion]] = field(default_factory=list[tuple[Session, Completion]])
    begun: list[tuple[Session, Completion, OperationToken]] = field(
        default_factory=list[tuple[Session, Completion, OperationToken]]
    )
    operations: Operations = field(default_factory=Operations)
    idle_until: datetime = START
    long_waits: int = 0

    def a_session(self) -> Session:
        return self.random.choice(self.sessions)

    def rest(self) -> None:
        """Begin nothing before the time to which somebody waits."""
        while (left := self.idle_until - self.stage.scheduler.now) > timedelta():
            self.stage.scheduler.pause(left.total_seconds())

    def owners(self, session: Session) -> list[str]:
        return with_across([log_owner(UserId(user), session.session_id) for user in self.users])


@contextmanager
def held_up(play: Play, process: Process) -> Generator[None]:
    """Have one of a process's next calls take long, so that others overtake it."""
    link = process.link
    assert link
    draw, left = link.draw, play.random.randint(1, MOST_AHEAD)

    def drawn(what: str) -> Fault | None:
        nonlocal left
        left -= 1
        return draw(what) if left else Fault.DELAYED

    link.draw = drawn
    try:
        yield
    finally:
        link.draw = draw


Action: TypeAlias = Callable[[Play, Process], None]


def sessions_of(random: Random) -> list[Session]:
    """Return one to three sessions, some of which share names across tenants."""
    every = [Session(tenant, PROJECT, session_id) for tenant in TENANTS for session_id in SESSION_IDS]
    return random.sample(every, random.choice((1, 1, 1, 2, 2, 3)))


def say(play: Play, process: Process) -> None:
    """Send a turn that is new."""
    session, turn = _new_turn(play)
    play.stage.send(process, session, turn)


def repeat(play: Play, process: Process) -> None:
    """Send a turn again, whether or not it was acknowledged, or is being sent just now."""
    if play.said:
        play.stage.send(process, *play.random.choice(play.said[-4:]))


def forge(play: Play, process: Process) -> None:
    """Send something else under a turn_id that was used."""
    if play.said:
        session, turn = play.random.choice(play.said)
        play.stage.send(process, session, replace(turn, outputs=(message("assistant", FORGERY, "output_text"),)))


def ask(play: Play, process: Process) -> None:
    """Prepare a turn, with room for everything or for so little that it has to compact."""
    look(play, process, play.a_session(), play.random.choice((100_000, 500, 250)))


def look(play: Play, process: Process, session: Session, max_input_tok: int = 100_000) -> None:
    """Prepare a turn for somebody in the session, and note what is shown."""
    user, scope = play.random.choice((*play.users, None)), play.random.choice(SCOPES)
    request = Preparation(
        current=(message("user", "What do you know of my name, home, work, tea and tasks?"),),
        user_id=None if user is None else UserId(user),
        max_input_tok=max_input_tok,
        recall_scope=scope,
    )
    asked, at = play.stage.client_history.moment(), process.services.adapters.clock.now()
    try:
        prepared = prepare(process.services, session, request)
    except Unavailable:
        return
    play.stage.client_history.seen.append(SeenContext(session, user, scope, asked, at, prepared))


def begin(play: Play, process: Process) -> None:
    """Begin a turn in two calls."""
    session, turn = _new_turn(play, sent=False)
    request = Preparation(current=turn.inputs, user_id=turn.user_id, turn_id=turn.turn_id)
    try:
        begun = run_turn.begin(process.services, session, request)
    except Unavailable:
        return
    play.begun.append((session, turn, operations.parse(begun.token)))


def finish(play: Play, process: Process) -> None:
    """Commit a turn in two calls, maybe again, maybe too late."""
    if not play.begun:
        return
    session, turn, token = play.random.choice(play.begun)
    with suppress(PermissionDenied):
        play.stage.attempt(
            session,
            turn,
            lambda: run_turn.finish(process.services, session.tenant, token, run_turn.Answer(turn.outputs)),
        )


def maintain(play: Play, process: Process) -> None:
    """Maintain a session."""
    with suppress(Unavailable, ResourceBusy):
        process.services.maintenance.run(play.a_session())


def maintain_due(play: Play, process: Process) -> None:
    """Maintain what is due, as the schedule does."""
    shard = due_shard(play.a_session())
    with suppress(Unavailable):
        EveryDue(process.services.adapters).run_shard(
            shard, timedelta(seconds=20), process.services.maintenance.run_due
        )


def index(play: Play, process: Process) -> None:
    """Do a job of the queue, which may come again, or index a log that nobody asked for."""
    session = play.a_session()
    job = IndexLog(session.tenant, session.project, play.random.choice(play.owners(session)))
    queued = [each for each in play.stage.jobs.sent if isinstance(each, IndexLog)]
    if queued and play.random.random() < 0.5:
        job = play.random.choice(queued)
    with suppress(Unavailable):
        process.services.indexer.do(job, timedelta(seconds=20))


def wait(play: Play, process: Process) -> None:
    """Let time go by in which nothing new is begun: seconds, a lease, hours, days."""
    del process
    seconds = play.random.choice(WAITS)
    if seconds > LONG_WAIT:
        play.long_waits += 1
        seconds = 1.0 if play.long_waits > MOST_LONG_WAITS else seconds
    play.idle_until = max(play.idle_until, play.stage.scheduler.now + timedelta(seconds=seconds))


ACTIONS: dict[Action, int] = {
    say: 10,
    repeat: 7,
    forge: 1,
    ask: 4,
    begin: 2,
    finish: 3,
    maintain: 3,
    maintain_due: 1,
    index: 5,
    wait: 5,
}


def _new_turn(play: Play, *, sent: bool = True) -> tuple[Session, Completion]:
    session, user = play.a_session(), play.random.choice(play.users)
    numbers = [turn for at, turn in play.said if at == session] + [turn for at, turn, _ in play.begun if at == session]
    name = f"t{len(numbers)}{'' if sent else 'x'}"
    tag = tag_of(session, user)
    said = [f"{tag} {name}. {_statement(play.random)}" for _ in range(play.random.choice((1, 1, 2)))]
    long = play.random.randbytes(900).hex() if play.random.random() < 0.15 else ""
    turn = Completion(
        turn_id=TurnId(name),
        user_id=UserId(user),
        inputs=tuple(message("user", text) for text in said),
        outputs=(message("assistant", f"Noted {tag} {name}. {long}", "output_text"),),
    )
    if sent:
        play.said.append((session, turn))
    return session, turn


def tag_of(session: Session, user: str) -> str:
    """Return a word that stands in every text of this user in this session and nowhere else."""
    return f"{session.tenant}-{session.session_id}-{user}"


def _statement(random: Random) -> str:
    thing, firm = random.choice(THINGS), random.choice(FIRMS)
    return random.choice(
        (
            f"My name is {random.choice(NAMES)}.",
            f"I live in {random.choice(PLACES)}.",
            f"I work at {firm}.",
            f"I no longer work at {firm}.",
            f"I like {thing}.",
            f"I no longer like {thing}.",
            f"Today I need to {random.choice(TASKS)}.",
            "Well, well.",
        )
    )
