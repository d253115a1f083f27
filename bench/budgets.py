"""What calls ask of AWS, in figures that no machine changes, beside the budgets of the design.

Every tool that is on in AWS is called as its callers call it, record and rate limits included, over the embedded
store. Round trips are the calls of table, blobs, key service and queue that wait for one another; those made at once
count once. `warm` is a process that made the same call 40 seconds ago; `new` made it for another session and user of
the tenant; `cold` has just started.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import report
from cairn.ground.table import Key
from cairn.log.layout import ENTRIES, NEWEST
from cairn.sessions.layout import EVENTS, GUARDS, HEAD
from costs import (
    RECENT_TURNS,
    USUAL_TURNS,
    Growth,
    Indexing,
    Measured,
    Sized,
    by_documents,
    by_items,
    by_memories,
    by_size,
    by_turns,
    every_tool,
)
from processes import SERVICES, Cost
from report import Cell, Table
from scenes import AFTER, BEFORE, CONTENT_BYTES, SEED, TEXT_BYTES

TURNS = (10, 100, 1_000, 10_000)
MEMORIES = (100, 1_000, 10_000, 100_000)
DOCUMENTS = (10, 1_000, 10_000)
ITEMS = (10, 1_000, 10_000)
ROUNDS = {
    "memory_before_turn": 1,
    "memory_after_turn": 2,
    "store_session_to_cascade": 2,
    "query_cascade_memories": 1,
    "retrieve_session_from_cascade": 1,
    "listMemory": 1,
    "getMemory": 1,
    "putMemory": 1,
    "remember": 1,
    "recall": 1,
    "forget": 1,
    "memory_list_users": 2,
    "memory_list_known": 1,
    "memory_list_changes": 1,
    "memory_count_changes": 3,
    "memory_correct": 2,
    "memory_restore": 3,
    "memory_pin": 3,
    "memory_list_items": 1,
    "memory_tell_health": 3,
    "memory_put_documents": 1,
    "memory_get_documents": 1,
    "memory_search_documents": 1,
    "memory_append_items": 1,
    "memory_read_items": 1,
    "memory_take_back_items": 2,
    "memory_delete_items": 3,
    "memory_list_item_logs": 1,
    "memory_list_keys": 1,
    "memory_create_key": 1,
    "memory_hook, prompt": 3,
    "memory_hook, answer": 5,
    "memory_list_receipts": 1,
    "memory_replay": 12,
    "memory_branch, create, of a session": 3,
    "memory_branch, list": 1,
    "memory_branch, merge a turn": 32,
    "memory_branch, drop": 15,
}
"""The most sequential round trips of a warm call, of a tool or of one of its scenes."""
RECEIPT = "receipt"
COLD_SEGMENT_ROUNDS = 2
GROWTH = 1.1
TURN_WRITES, TURN_READS = 12, 4
RECEIPT_WRITES = 1
COLD_SERVICES = ("DynamoDB", "S3", "KMS")


@dataclass(frozen=True, slots=True)
class Budget:
    """A figure and what it may be at most."""

    what: str
    most: float
    figure: float

    @property
    def met(self) -> bool:
        """Tell whether it is kept."""
        return self.figure <= self.most


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    parser.add_argument("--turns", type=int, default=max(TURNS), help="how many turns to go up to")
    parser.add_argument("--memories", type=int, default=max(MEMORIES), help="how many memories to go up to")
    parser.add_argument("--documents", type=int, default=max(DOCUMENTS), help="how many documents to go up to")
    parser.add_argument("--items", type=int, default=max(ITEMS), help="how many items of a log to go up to")
    given = parser.parse_args()
    tools = every_tool()
    turns, indexing = by_turns([each for each in TURNS if each <= given.turns])
    memories = by_memories([each for each in MEMORIES if each <= given.memories])
    documents = by_documents([each for each in DOCUMENTS if each <= given.documents])
    items = by_items([each for each in ITEMS if each <= given.items])
    tables = [
        budget_table(budgets(tools, turns, memories, documents, items)),
        tool_table(tools),
        units_table(tools),
        growth_table("As a session grows", "turn", turns),
        growth_table("As a user's memories grow", "memories", memories),
        growth_table("As a user's documents grow", "documents", documents),
        growth_table("As an item log grows", "items", items),
        indexing_table(indexing),
        size_table(by_size()),
    ]
    report.publish("budgets", tables, given, seeds=(SEED,), libraries=("pydantic", "cryptography"))


def budgets(
    tools: Mapping[str, Measured], turns: Growth, memories: Growth, documents: Growth, items: Growth
) -> Iterator[Budget]:
    """Yield every budget with its figure."""
    for name, each in tools.items():
        most = ROUNDS.get(name, ROUNDS.get(each.scene.tool))
        if most is not None:
            yield Budget(f"round trips, warm: {name}", most, each.warm.rounds)
    opened = max(each[BEFORE.name].new.rounds for each in (tools, *turns.values(), *memories.values()))
    yield Budget("round trips with a cold segment: memory_before_turn", COLD_SEGMENT_ROUNDS, opened)
    turn_cost = tools[BEFORE.name].warm + tools[AFTER.name].warm
    yield Budget(f"write units of a turn of {2 * TEXT_BYTES:,} bytes", TURN_WRITES, turn_cost.write_units)
    yield Budget(f"read units of a turn of {2 * TEXT_BYTES:,} bytes", TURN_READS, turn_cost.read_units)
    yield Budget("S3 requests of a turn, warm", 0, turn_cost.calls("S3"))
    for name, each in tools.items():
        receipts = [write.units for write in each.warm.written if _kind(write.key) == RECEIPT]
        if receipts:
            yield Budget(f"write units of a receipt: {name}", RECEIPT_WRITES * len(receipts), sum(receipts))
    for what, growth in (("turn", turns), ("memories", memories), ("documents", documents), ("items", items)):
        yield from _flat(what, growth)


def _flat(what: str, growth: Growth) -> Iterator[Budget]:
    first, last = min(growth), max(growth)
    for name, each in growth[last].items():
        if each.scene.tool in ROUNDS:
            begun = growth[first][name].warm
            label = f"at {what} {last:,} against {first:,}: {name}"
            yield Budget(f"round trips {label}", begun.rounds, each.warm.rounds)
            yield Budget(f"units, times, {label}", GROWTH, round(_units(each.warm) / _units(begun), 2))


def budget_table(budgets: Iterator[Budget]) -> Table:
    """Return the budgets, met or not."""
    rows = [(each.what, each.most, each.figure, "met" if each.met else "NOT MET") for each in budgets]
    says = (
        "Units are read and write units together, the call's record among them. Of a session and a log that it knows a "
        "process reads what came since."
    )
    return Table("Budgets", ("what", "at most", "is", ""), rows, says)


def tool_table(tools: Mapping[str, Measured]) -> Table:
    """Return what every tool asks of AWS."""
    columns = ("call", "warm", "new", "cold", *SERVICES, "read units", "write units", "bytes read", "bytes written")
    columns += tuple(f"cold: {service}" for service in COLD_SERVICES)
    rows = [
        (
            name,
            *(cost.rounds for cost in (each.warm, each.new, each.cold)),
            *(each.warm.calls(service) for service in SERVICES),
            each.warm.read_units,
            each.warm.write_units,
            each.warm.sizes["read"] + each.warm.sizes["blobs_read"],
            each.warm.sizes["written"] + each.warm.sizes["blobs_written"],
            *(each.cold.calls(service) for service in COLD_SERVICES),
        )
        for name, each in tools.items()
    ]
    says = (
        "Round trips of a process that is warm, new to the session, or cold; requests, units and bytes of the warm "
        f"call; requests of the cold one. In a session of {USUAL_TURNS} turns of {2 * TEXT_BYTES:,} bytes; memories "
        f"have {CONTENT_BYTES}. Each call's record is in it: a write, and in a session one more of the index."
    )
    return Table("Every tool", columns, rows, says)


def units_table(tools: Mapping[str, Measured]) -> Table:
    """Return where the write units of a turn go."""
    rows: list[Sequence[Cell]] = [
        (scene.tool, each.call, _kind(each.key), each.bytes, each.units, each.index_units)
        for scene in (BEFORE, AFTER)
        for each in tools[scene.name].warm.written
    ]
    total = tools[BEFORE.name].warm + tools[AFTER.name].warm
    rows.append(
        ("both", "", "", sum(w.bytes for w in total.written), total.counts["write_units"], total.counts["index_units"])
    )
    says = "A write takes a unit for each kilobyte that is begun, in a transaction two. Bytes are the stored item's."
    return Table("Where a turn's write units go", ("tool", "call", "item", "bytes", "units", "index units"), rows, says)


def growth_table(title: str, what: str, growth: Growth) -> Table:
    """Return what calls take as something grows."""
    columns = (
        what,
        "call",
        "warm",
        "new",
        "cold",
        "read units",
        "write units",
        "S3",
        "cold: read units",
        "cold: S3",
        "ms",
        "cold ms",
    )
    rows = [
        (
            size,
            name,
            *(cost.rounds for cost in (each.warm, each.new, each.cold)),
            each.warm.read_units,
            each.warm.write_units,
            each.warm.calls("S3"),
            each.cold.read_units,
            each.cold.calls("S3"),
            *(round(cost.seconds * 1000, 1) for cost in (each.warm, each.cold)),
        )
        for size, calls in growth.items()
        for name, each in calls.items()
    ]
    says = "Milliseconds are of this machine's processor, the embedded store's work among them."
    return Table(title, columns, rows, says)


def indexing_table(indexing: Mapping[int, Indexing]) -> Table:
    """Return what indexing takes for each turn, on average."""
    columns = ("turns", "jobs in all", "S3 puts", "S3 gets", "S3 deletes", "read units", "write units", "blob bytes")
    rows = [
        (turns, each.jobs, *(round(figure / turns, 3) for figure in _indexed(each.cost)))
        for turns, each in indexing.items()
    ]
    says = "Of each turn. A job puts what 32 entries or more changed into a segment, and merges some that are as large."
    return Table("What indexing a session's log takes", columns, rows, says)


def size_table(sized: Iterable[Sized]) -> Table:
    """Return what calls take by the bytes they carry."""
    columns = ("call", "bytes", "round trips", "read units", "write units", "S3 requests")
    rows = [
        (tool, size, cost.rounds, cost.read_units, cost.write_units, cost.calls("S3")) for tool, size, cost in sized
    ]
    says = (
        f"Of warm calls. The bytes are of a turn both texts, with {RECENT_TURNS} turns as large before it; of a "
        "memory, a value or an archived session its text."
    )
    return Table("By size", columns, rows, says)


def _indexed(cost: Cost) -> tuple[float, ...]:
    s3 = (cost.counts[name] for name in ("blob_put", "blob_get", "blob_delete"))
    return (*s3, cost.read_units, cost.write_units, cost.sizes["blobs_written"])


def _units(cost: Cost) -> float:
    return cost.read_units + cost.write_units


def _kind(key: Key) -> str:
    if "#asked#" in key.pk:
        return RECEIPT
    kinds = {
        HEAD: "head",
        NEWEST: "the log's newest",
        EVENTS: "events",
        ENTRIES: "log entry",
        GUARDS: "guard",
    }
    return next((kind for beginning, kind in kinds.items() if key.sk.startswith(beginning)), "record of the call")


if __name__ == "__main__":
    main()
