"""Where the load of many callers meets: partitions, items that transactions share, and limits of the account."""

from __future__ import annotations

import heapq
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from agents import AUTHORIZER, MCP, Agent, invocation, memory_mb
from cairn.log.layout import ENTRIES, NEWEST
from cairn.sessions.layout import EVENTS, GUARDS, HEAD, MEMORY_COUNT
from costs import Measured, measured
from metering import Written
from processes import Cost, deployed, usual_models
from scenes import AFTER, BEFORE, HERE, REMEMBER, SCENES, Place, fill, preparation, turn

PARTITION_WRITES, PARTITION_READS = 1_000, 3_000
LIMITS = Path(__file__).parent / "data/limits.json"
CALLS_A_TURN = 2
TURNS = 1_000
"""How long the session and the user's log are: a hundred days of ten turns."""
NEW_KEY = next(scene for scene in SCENES if scene.name == "putMemory, new key")
_AGENT_TURNS = 10
_DAY = 86_400
_SEED = 7
_OTHER = "an item of its own each"
_PARTITIONS = {
    "*#s#*#*": "a session",
    "*#m#*#*": "a user's log",
    "*#m#*": "a project's list of logs",
    "*#audit#*": "a tenant's calls of a day",
    "*#audit": "a tenant's days",
    "*#k#*": "a namespace",
    "*#k": "a tenant's counters of keys",
    "*#rates": "a tenant's rates",
}


@dataclass(frozen=True, slots=True)
class Limit:
    """What a service takes of something each second unless raised, who says so, and when that was stored."""

    name: str
    what: str
    most: float
    raised: str
    source: str
    dated: str


@dataclass(frozen=True, slots=True)
class Load:
    """What turns take, as measured: calls in each state of a process, the first of a user and day, of each function."""

    calls: dict[str, Measured]
    first: Cost
    seconds: dict[str, float]
    key_reads: float
    index_rounds: float


@dataclass(frozen=True, slots=True)
class Hot:
    """What one piece of work writes to one partition, and to the item of it that takes most."""

    partition: str
    units: int
    item: str
    item_units: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """How transactions that meet at one item fared: shares of them that were refused at first, and that gave up."""

    per_second: float
    refused: float
    gave_up: float


def limits() -> list[Limit]:
    """Return the limits of services, as published."""
    return [Limit(**each) for each in json.loads(LIMITS.read_text("utf-8"))["limits"]]


def load(turns: int = TURNS) -> Load:
    """Measure calls in a session so long, of a user with as many turns."""
    with deployed(usual_models) as deployment:
        indexing = fill(deployment, HERE, turns)
        jobs = deployment.jobs
        calls = {scene.name: measured(deployment, scene) for scene in (BEFORE, AFTER, REMEMBER, NEW_KEY)}
        deployment.clock.sleep(_DAY)
        first = deployment.process().cost(AFTER.tool, turn(Place("first", "zoe")))
        agent = Agent(deployment, deployment.process())
        seconds: dict[str, float] = {AUTHORIZER: 0.0, MCP: 0.0}
        reads = 0.0
        for _ in range(_AGENT_TURNS):
            for tool, arguments in ((BEFORE.tool, preparation(HERE)), (AFTER.tool, turn(HERE))):
                called = agent.call(tool, arguments)
                reads += called.authorizer.read_units / _AGENT_TURNS
                for function, cost in ((AUTHORIZER, called.authorizer), (MCP, called.function)):
                    seconds[function] += lasting(function, cost) / _AGENT_TURNS
        return Load(calls, first, seconds, reads, indexing.rounds / max(1, jobs))


def lasting(function: str, cost: Cost) -> float:
    """Return the seconds that a function takes for this."""
    return invocation(function, cost)["lambda_gb_second"] * 1024 / memory_mb(function)


def hot(written: Iterable[Written]) -> Iterator[Hot]:
    """Yield what a piece of work writes to each partition."""
    partitions, items = Counter[str](), dict[str, Counter[str]]()
    for each in written:
        partitions[each.key.pk] += each.units
        items.setdefault(each.key.pk, Counter())[each.key.sk] += each.units
    for pk, units in partitions.items():
        sk, most = max(items[pk].items(), key=lambda each: (each[1], item_of(each[0]) != _OTHER))
        yield Hot(partition_of(pk), units, item_of(sk), most)


def partition_of(pk: str) -> str:
    """Return what shares a partition, in words."""
    return next((words for pattern, words in _PARTITIONS.items() if fnmatchcase(pk, pattern)), pk)


def item_of(sk: str) -> str:
    """Return what an item is, in words."""
    kinds = {
        HEAD: "head",
        MEMORY_COUNT: "counter of memories",
        NEWEST: "the log's newest",
        EVENTS: "events",
        ENTRIES: "log entry",
        GUARDS: "guard",
        "e!usage": "counter",
    }
    return next((kind for beginning, kind in kinds.items() if sk.startswith(beginning)), _OTHER)


def meeting(per_second: float, seconds: float, lasts: float, pauses: Sequence[float]) -> Meeting:
    """Play transactions that arrive at random, last so long, meet at one item and are tried again after these pauses.

    A transaction is refused where another one is under way; it learns so when it would have ended.
    """
    chance = random.Random(_SEED)  # noqa: S311 - arrivals
    waiting, clock = list[tuple[float, int]](), 0.0
    while (clock := clock + chance.expovariate(per_second)) < seconds:
        waiting.append((clock, 0))
    arrived, refused, gave_up, free_at = len(waiting), 0, 0, 0.0
    heapq.heapify(waiting)
    while waiting:
        at, attempt = heapq.heappop(waiting)
        if at >= free_at:
            free_at = at + lasts
            continue
        refused += attempt == 0
        if attempt == len(pauses):
            gave_up += 1
        else:
            heapq.heappush(waiting, (at + lasts + pauses[attempt], attempt + 1))
    return Meeting(per_second, refused / arrived, gave_up / arrived)
