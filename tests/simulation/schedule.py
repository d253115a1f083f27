"""A schedule: a few processes that do what a seed draws, in the order and with the faults that it draws."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from simulation.actions import ACTIONS, USERS, Action, Play, sessions_of
from simulation.backup_actions import BACKUP_ACTIONS
from simulation.branch_actions import BRANCH_ACTIONS
from simulation.document_actions import DOCUMENT_ACTIONS
from simulation.faulty_link import Fault
from simulation.item_actions import ITEM_ACTIONS
from simulation.plan_actions import PLAN_ACTIONS
from simulation.stage import Stage, small
from simulation.statement_actions import STATEMENT_ACTIONS, surely_read
from simulation.storage_actions import STORAGE_ACTIONS
from simulation.verdict import Verdict, judged
from support.faults import Stopped

RATES = (0.0, 0.02, 0.06, 0.15)
LEFT_OUT = 0.25
FEWEST_ACTIONS, MOST_ACTIONS = 6, 30


@dataclass(frozen=True, slots=True)
class Game:
    """What a schedule draws its actions from, of which the first is always played.

    It has sessions of turns, or else a place of its own; its store is in memory, or that of one machine. It is played
    and judged within a context.
    """

    actions: Mapping[Action, int]
    has_sessions: bool = True
    on_disk: bool = False
    within: Callable[[], AbstractContextManager[None]] = small


EVERYTHING = Game({**ACTIONS, **STORAGE_ACTIONS})
DOCUMENTS = Game(DOCUMENT_ACTIONS)
ITEMS = Game(ITEM_ACTIONS)
PLANS = Game(PLAN_ACTIONS, has_sessions=False)
BRANCHES = Game(BRANCH_ACTIONS, has_sessions=False)
BACKUPS = Game(BACKUP_ACTIONS, has_sessions=False, on_disk=True)
STATEMENTS = Game(STATEMENT_ACTIONS, has_sessions=False, within=surely_read)
GAMES = {
    "everything": EVERYTHING,
    "documents": DOCUMENTS,
    "items": ITEMS,
    "plans": PLANS,
    "branches": BRANCHES,
    "statements": STATEMENTS,
    "backups": BACKUPS,
}


def simulated(seed: int, trace: Callable[[str], None] = lambda _: None, game: Game = EVERYTHING) -> Verdict:
    """Play the schedule of a seed, let the clients end what they began, and return what is wrong with what is there."""
    random = Random(seed)  # noqa: S311 - not for secrets
    with ExitStack() as ending, game.within():
        disk = Path(ending.enter_context(TemporaryDirectory())) if game.on_disk else None
        stage = Stage(random, trace, disk)
        sessions = sessions_of(random) if game.has_sessions else []
        play = Play(stage, random, sessions, random.choice((USERS[:1], USERS)))
        _Schedule(play, game.actions).run()
        return judged(play)


class _Schedule:
    """The processes of one play; a draw leaves out some actions and some faults, so that each has its day."""

    def __init__(self, play: Play, actions: Mapping[Action, int]) -> None:
        self._play = play
        self._random = play.random
        self._left = self._random.randint(FEWEST_ACTIONS, MOST_ACTIONS)
        self._rate = self._random.choice(RATES)
        self._faults = self._random.sample(list(Fault), self._random.randint(1, len(Fault)))
        first = next(iter(actions))
        self._actions = [action for action in actions if action is first or self._random.random() > LEFT_OUT]
        self._weights = [actions[action] for action in self._actions]

    def run(self) -> None:
        for _ in range(self._random.choice((1, 2, 2, 3, 4))):
            self._play.stage.scheduler.add(self._work)
        self._play.stage.scheduler.run()

    def _work(self) -> None:
        process = self._play.stage.process(self._draw)
        while self._left > 0:
            self._left -= 1
            action = self._random.choices(self._actions, self._weights)[0]
            self._play.stage.counts[action.__name__] += 1
            self._play.stage.trace(f"{process.link and process.link.process} {action.__name__}")
            try:
                action(self._play, process)
            except Stopped:
                process = self._play.stage.process(self._draw)
            except Exception:  # noqa: BLE001 - a door: whatever a service raises is what the simulator is to find
                self._play.stage.client_history.crashes.append(traceback.format_exc())
            self._play.rest()

    def _draw(self, _: str) -> Fault | None:
        return self._random.choice(self._faults) if self._random.random() < self._rate else None
