"""In whatever order things are done, a branch is as a copy of the store, and its project as if there were none."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from cairn.branches.branching import create
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, UserId
from cairn.process.system import in_turn
from support.branches import Side, tried
from support.doubles import FakeClock
from support.memory_store import MemoryBlobs, MemoryTable, copied
from support.overview import GARDEN, TENANT

USERS = (UserId("ada"), UserId("ben"))
SESSIONS = ("monday", "friday")
SAYINGS = (
    "I live in {place}.",
    "I moved to {place}. The {thing} is red.",
    "I no longer live in {place}.",
    "The {thing} is red.",
    "My name is {place}.",
    "Forget that the {thing} is red.",
)
PLACES, THINGS = ("Oslo", "Bergen", "Rome", "Lima"), ("shed", "gate", "door", "hat")


@dataclass
class Pair:
    """A project or branch, and another store in which the same is done to the project alone."""

    tried: Side
    plain: Side
    turns: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    kept: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def both(self, act: Callable[[Side], object]) -> None:
        here, there = tried(lambda: act(self.tried)), tried(lambda: act(self.plain))
        assert here == there

    def act(self, draw: random.Random, number: int) -> None:
        user, session = draw.choice(USERS), draw.choice(SESSIONS)
        words = {"place": draw.choice(PLACES), "thing": draw.choice(THINGS)}
        match draw.choice(("say", "say", "say", "keep", "keep", "forget", "let go", "undo", "restart", "index")):
            case "say":
                text = draw.choice(SAYINGS).format(**words)
                self.both(lambda side: side.say(f"t{number}", text, session, user))
                self.turns.append((f"t{number}", session))
            case "keep":
                content, scope = "The {thing} is red.".format(**words), draw.choice(("session", "user", "project"))
                scope = draw.choice((scope, "user_everywhere"))
                names = [side.keep(content, scope, session, user) for side in (self.tried, self.plain)]
                self.kept.append((names[0], names[1]))
            case "forget" if self.kept:
                here, there = draw.choice(self.kept)
                self.both(lambda side: side.forget(here if side is self.tried else there, session, user))
            case "let go":
                value = draw.choice(sorted(self.plain.facts(user)) or [""])
                self.both(lambda side: side.forget(side.facts(user).get(value, "none"), session, user))
            case "undo" if self.turns:
                turn, there = self.turns[-1]
                self.both(lambda side: side.undo(turn, there))
            case "index":
                for side in (self.tried, self.plain):
                    for owner in ("u:ada", "~u:ada", "p:"):
                        side.services.indexer.rebuild(TENANT, side.project, owner)
            case _:
                self.tried.restart()

    def agree(self, users: tuple[UserId, ...] = USERS, sessions: tuple[str, ...] = SESSIONS) -> None:
        assert self.tried.seen(users, sessions) == self.plain.seen(users, sessions)


def play(adapters: Adapters, clock: FakeClock, seed: int, steps: int = 40) -> None:
    draw = random.Random(seed)  # noqa: S311 - a schedule, no secret
    empty = replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn)
    Side(empty, Project("other")).keep("The sky is blue.", "project")  # one data key for all
    trunk = Pair(Side(copied(empty)), Side(copied(empty)))
    pairs = [trunk]
    for number in range(steps):
        clock.sleep(60)
        if draw.random() < 0.1 and len(pairs) < 4:
            name = Project(f"garden@try-{number}")
            if tried(lambda name=name: create(trunk.tried.services, TENANT, name)) == "NotFound":
                continue
            copy = Side(copied(trunk.plain.adapters))
            pairs.append(Pair(Side(trunk.tried.adapters, name), copy, [], list(trunk.kept)))
            trunk.turns.clear()  # what a branch has seen stays there for now
            clock.sleep(60)
        pair = draw.choice(pairs)
        pair.act(draw, number)
        pair.agree((draw.choice(USERS),), (draw.choice(SESSIONS),))
    for pair in pairs:
        pair.agree()
        pair.tried.restart()
        pair.agree()
    assert trunk.plain.project == GARDEN


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_branch_is_as_a_copy_and_its_project_as_if_there_were_none(
    adapters: Adapters, clock: FakeClock, seed: int
) -> None:
    play(adapters, clock, seed)
