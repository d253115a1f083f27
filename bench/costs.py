"""What calls take in each state of a process, as sessions and users grow and by the size of what they carry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cairn.documents.fields import MOST_PUT, Written
from cairn.documents.model import Owner
from cairn.ground.ids import Project, SessionId, UserId
from cairn.ground.session import Session
from cairn.items.model import Log as ItemLog
from cairn.items.model import LogName
from cairn.memories.model import MOST_PER_SESSION, Note
from cairn.memories.remember import remember
from cairn_tools.memory_append_items import AppendItems
from processes import TENANT, Cost, Deployment, deployed
from scenes import (
    AFTER,
    BEFORE,
    CONTENT_BYTES,
    CONTEXT,
    DOCUMENT_SCENES,
    ELSEWHERE,
    FORGET,
    HERE,
    ITEM_SCENES,
    ITEMS_AT_ONCE,
    LOG,
    PROJECT,
    RECALL,
    REMEMBER,
    SCENES,
    SECONDS_PER_TURN,
    Place,
    Scene,
    archived,
    document,
    fill,
    items,
    note,
    preparation,
    prose,
    turn,
    value,
)

USUAL_TURNS = 100
"""How long the session is in which every tool is called."""
RECENT_TURNS = 20
"""How many turns of a size fill what before_turn reads."""
SECONDS_PER_HOUR = 3600
SETTLED = 2
"""How often a warm process has made the call before."""
MEMORY_SCENES = (BEFORE, REMEMBER, RECALL, FORGET)
SESSION_SCENES = (*MEMORY_SCENES, CONTEXT, AFTER)
"""Calls about a session; the one that adds turns to it comes last."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A call of a process that is warm, of one that knows other sessions and users only, of one just started."""

    scene: Scene
    warm: Cost
    new: Cost
    cold: Cost


class Indexing(NamedTuple):
    """What was done for a log so far."""

    jobs: int
    cost: Cost


class Sized(NamedTuple):
    """A warm call that carries so many bytes."""

    tool: str
    size: int
    cost: Cost


Growth = Mapping[int, Mapping[str, Measured]]


def measured(deployment: Deployment, scene: Scene) -> Measured:
    """Return what the call takes in each state of the process."""
    warm, new, cold = (deployment.process() for _ in range(3))
    for process, place in ((warm, HERE), (new, ELSEWHERE)):
        for _ in range(SETTLED):
            process.call(scene.tool, scene.arguments(process, place))
    costs = [
        process.cost(scene.tool, scene.arguments(warm, HERE), after_seconds=SECONDS_PER_TURN)
        for process in (warm, new, cold)
    ]
    deployment.work_off()
    return Measured(scene, *costs)


def every_tool(turns: int = USUAL_TURNS) -> Mapping[str, Measured]:
    """Return what every scene takes in a session of so many turns, by its name."""
    with deployed() as deployment:
        fill(deployment, HERE, turns)
        return {scene.name: measured(deployment, scene) for scene in SCENES}


def by_turns(
    checkpoints: Sequence[int], scenes: Sequence[Scene] = SESSION_SCENES
) -> tuple[Growth, Mapping[int, Indexing]]:
    """Return what calls about a session take at these of its turns, and what indexing its log has taken by then."""
    found: dict[int, Mapping[str, Measured]] = {}
    indexing: dict[int, Indexing] = {}
    with deployed() as deployment:
        cost, stored = Cost(), 0
        for checkpoint in checkpoints:
            cost = cost + fill(deployment, HERE, checkpoint - stored)
            indexing[checkpoint] = Indexing(deployment.jobs, cost)
            found[checkpoint] = {scene.name: measured(deployment, scene) for scene in scenes}
            stored = checkpoint
    return found, indexing


def by_memories(checkpoints: Sequence[int]) -> Growth:
    """Return what calls about a user take at so many of their memories, of many sessions."""
    found: dict[int, Mapping[str, Measured]] = {}
    with deployed() as deployment:
        stored = 0
        for checkpoint in checkpoints:
            for number in range(stored, checkpoint):
                session = SessionId(f"filled-{number // (MOST_PER_SESSION // 2)}")
                said = Note(content=f"{number}: {prose(CONTENT_BYTES)}", scope="user", user_id=UserId(HERE.user))
                deployment.clock.sleep(1)
                remember(deployment.plain, Session(TENANT, Project(PROJECT), session), said)
                deployment.work_off()
            found[checkpoint] = {scene.name: measured(deployment, scene) for scene in MEMORY_SCENES}
            stored = checkpoint
    return found


def by_documents(checkpoints: Sequence[int]) -> Growth:
    """Return what calls about a user's documents take at so many of them."""
    found: dict[int, Mapping[str, Measured]] = {}
    with deployed() as deployment:
        stored, owner = 0, Owner(TENANT, Project(PROJECT), UserId(HERE.user))
        for checkpoint in checkpoints:
            while stored < checkpoint:
                some = min(MOST_PUT, checkpoint - stored)
                given = [Written.model_validate(document(HERE)["documents"][0]).wanted() for _ in range(some)]
                deployment.clock.sleep(1)
                deployment.plain.documents.put(owner, given)
                stored += some
            deployment.clock.sleep(SECONDS_PER_HOUR)  # so that a cold process need not read what was just changed
            found[checkpoint] = {scene.name: measured(deployment, scene) for scene in DOCUMENT_SCENES}
    return found


def by_items(checkpoints: Sequence[int]) -> Growth:
    """Return what calls about an item log take at so many items in it."""
    found: dict[int, Mapping[str, Measured]] = {}
    with deployed() as deployment:
        stored, log = 0, ItemLog(TENANT, Project(PROJECT), UserId(HERE.user), LogName(LOG))
        for checkpoint in checkpoints:
            while stored < checkpoint:
                given = AppendItems.model_validate(items(HERE, LOG))
                deployment.plain.item_logs.append(log, given.append(deployment.plain.adapters.entropy))
                stored += ITEMS_AT_ONCE
            found[checkpoint] = {scene.name: measured(deployment, scene) for scene in ITEM_SCENES}
    return found


def by_size() -> Iterator[Sized]:
    """Yield what calls take by the bytes they carry: of a turn its two texts, of all else its one."""
    with deployed() as deployment:

        def sized(size: int, tool: str, given: Callable[[], Mapping[str, Any]]) -> Sized:
            process = deployment.process()
            for _ in range(SETTLED):
                process.call(tool, given())
            return Sized(tool, size, process.cost(tool, given(), after_seconds=SECONDS_PER_TURN))

        for size in (100, 1_000, 5_000, 25_000, 100_000):
            place = Place(f"of-{size}", f"who-{size}")
            for _ in range(RECENT_TURNS):
                deployment.tool("memory_after_turn", turn(place, size))
            yield sized(2 * size, "memory_before_turn", lambda place=place: preparation(place))
            yield sized(2 * size, "memory_after_turn", lambda place=place, size=size: turn(place, size))
        for size in (100, 500, 2_000):
            yield sized(size, "remember", lambda size=size: note(HERE, size))
        for size in (200, 2_000, 20_000, 200_000, 900_000):
            yield sized(size, "putMemory", lambda size=size: value(HERE, size))
            given = value(HERE, size)
            deployment.tool("putMemory", given)
            yield sized(size, "getMemory", lambda given=given: {name: given[name] for name in ("namespace", "key")})
        for size in (1_000, 10_000, 50_000):
            yield sized(size, "store_session_to_cascade", lambda size=size: archived(HERE, size))
