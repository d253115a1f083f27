"""What users state in one or two sessions, where each sentence of a matter ends what was said of it before.

Which sentences are of one matter is told by their words, so that nothing depends on how well sentences are read.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, TurnId, UserId
from cairn.ground.session import Session
from cairn.statements.linking import Link, Saying
from cairn.statements.reading import Statement, statements
from cairn.turns import stating
from cairn.turns.after_turn import commit
from simulation.actions import TENANTS, Action, Play, wait
from simulation.operations import Operation
from simulation.stage import Process, small

TENANT, HOUSE = TENANTS[0], Project("house")
STATERS = (UserId("eve"), UserId("dan"))
SESSIONS = (SessionId("inside"), SessionId("outside"))
MATTERS = ("gate", "alarm", "locker")
SURE = 9.0
"""Log-odds that leave no doubt."""


def matter_of(said: str) -> str:
    """Return the matter that a sentence speaks of."""
    return said.split()[1]


def state(play: Play, process: Process) -> None:
    """State one or two things, each of which may contradict what was stated before."""
    number, user = play.operations.number(), play.random.choice(STATERS)
    matters = play.random.sample(MATTERS, play.random.choice((1, 1, 2)))
    turn = Completion(
        turn_id=TurnId(f"t{number}"),
        user_id=user,
        inputs=tuple(message("user", f"The {matter} code is {number}.") for matter in matters),
        outputs=(message("assistant", "Noted.", "output_text"),),
    )
    _send(play, process, Session(TENANT, HOUSE, play.random.choice(SESSIONS)), turn)


def state_again(play: Play, process: Process) -> None:
    """Send a turn again, whatever came of it."""
    if told := play.operations.of("stated"):
        _send(play, process, *play.random.choice(told[-4:]).about)


def tidy(play: Play, process: Process) -> None:
    """Index a log, which folds its entries into segments."""
    user = play.random.choice(STATERS)
    owner = play.random.choice(("", "~")) + f"u:{user}"
    play.operations.make(
        Operation("looked", None, play.operations.number()), lambda: process.services.indexer.run(TENANT, HOUSE, owner)
    )


STATEMENT_ACTIONS: dict[Action, int] = {state: 10, state_again: 5, tidy: 3, wait: 3}


@contextmanager
def surely_read() -> Generator[None]:
    """Have every sentence last, and change what was said of its matter and nothing else; and all be small."""
    with (
        small(),
        patch.object(stating, "statements", _statements),
        patch.object(stating, "links", _links),
    ):
        yield


def _statements(said: Sequence[tuple[str, str]], _reader: Any = None) -> list[Statement]:
    return [each._replace(lasts=SURE, changes=SURE) for each in statements(said)]


def _links(said: str, _lasts: float, _changes: float, believed: Sequence[Saying], _judge: Any = None) -> list[Link]:
    return [Link(at, 1.0) for at, each in enumerate(believed) if matter_of(each.said) == matter_of(said)]


def _send(play: Play, process: Process, session: Session, turn: Completion) -> None:
    play.operations.make(
        Operation("stated", (session, turn), play.operations.number()), lambda: commit(process.services, session, turn)
    )
