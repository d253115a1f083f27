"""What a million turns, memories and recalls cost at list prices, beside the managed rival's for the same work.

Units, requests and bytes are counted as in `make bench-budgets`, of calls over MCP with an API key: gateway,
authorizer, function, store, log, and the jobs that give texts their vectors and make segments, with the models that a
deployment has if nothing else is said. Lambda's time is the processor time measured here on the function's share of a
core, and 10 ms for each round trip; what models take of it depends on the processor more than all else. What is said
does not come again within a session of 100 turns. Free tiers, data transfer and traces are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import report
from agents import AUTHORIZER, INIT_SECONDS, MCP, ROUND_TRIP_MS, WORKER, Agent, Called, invocation, resources
from cairn.ground.table import item_bytes
from prices import PRICES, Use, dollars, times, together
from processes import TENANT, Cost, Deployment, Models, deployed, usual_models
from report import Cell, Table
from scenes import (
    AFTER,
    BEFORE,
    HERE,
    RECALL,
    REMEMBER,
    SECONDS_PER_TURN,
    SEED,
    TEXT_BYTES,
    Place,
    Scene,
    fill,
    preparation,
    talk,
    turn,
)

MILLION = 1_000_000
COLD_SHARE = 0.01
"""Assumed: how many calls meet a process that has just started."""
GOAL = 1 / 20
ITEM_OVERHEAD = 100
"""What DynamoDB counts for an item, or an entry of an index, beyond its bytes."""
LEAST_EVENT_BYTES = 12 * 1024
"""What the rival counts at least of an event taken in or read."""
RECEIVED_AND_DELETED = 2
"""Requests of the queue for a job beyond the one that sends it."""
TURNS = 100
CALLS = 100
SIZES = (100, 1_000, 5_000, 25_000)
LENGTHS = (1, 10, 100, 1_000)
COLD_SHARES = (0.0, 0.01, 0.1, 1.0)
LINES = {
    "gateway": ("http_api",),
    "Lambda": ("lambda_request", "lambda_gb_second"),
    "writes": ("dynamodb_write",),
    "reads": ("dynamodb_read",),
    "S3": ("s3_put", "s3_get"),
    "KMS, SQS": ("kms_request", "sqs_request"),
    "log": ("log_gb",),
}


class Invoked(NamedTuple):
    """Invocations of a function in warm processes, by what asked for them, that `per` units of work took."""

    by: str
    function: str
    costs: Sequence[Cost]
    per: int


@dataclass(frozen=True, slots=True)
class Work:
    """Units of work of one kind: what one uses in a warm process and in one just started, and what stays of it."""

    warm: Use
    cold: Use
    stays: Use
    metrics: frozenset[str]
    facts: float = 0.0
    invoked: Sequence[Invoked] = ()

    def use(self, cold_share: float = COLD_SHARE) -> Use:
        """Return what one uses on average."""
        return together(times(1 - cold_share, self.warm), times(cold_share, self.cold))


def main() -> None:
    """Print the tables."""
    given = report.options(__doc__).parse_args()
    works = {"turn": turns(TURNS), "remember": calls(REMEMBER), "recall": calls(RECALL)}
    tables = [
        comparison(works),
        lines_table(works),
        time_table(works["turn"]),
        storage_table(works),
        sensitivity(works["turn"]),
        fixed_table(works),
        prices_table(),
    ]
    report.publish(
        "cost", tables, given, seeds=(SEED,), libraries=("pydantic", "cryptography", "aws-lambda-powertools")
    )


def turns(length: int, size: int = TEXT_BYTES, sessions: int = 1, models: Callable[[], Models] = usual_models) -> Work:
    """Return what a turn takes on average over sessions of this length, each of a user of its own."""
    with deployed(models) as deployment:
        agent = Agent(deployment, deployment.process())
        agent.call(BEFORE.tool, preparation(HERE))
        before, count = _stored(deployment), sessions * length
        called, jobs = list[Called](), list[Cost]()
        for number in range(count):
            place = Place(f"session-{number // length}", f"user-{number // length}")
            deployment.clock.sleep(SECONDS_PER_TURN)
            told = turn(place, size, talk)
            asked = {**preparation(place), "current_input": told["input_items"][0]["content"]}
            called.append(agent.call(BEFORE.tool, asked))
            called.append(agent.call(AFTER.tool, told))
            jobs += deployment.work_off()
        invoked = [
            Invoked("authorizer", AUTHORIZER, [each.authorizer for each in called], count),
            Invoked(BEFORE.tool, MCP, [each.function for each in called[::2]], count),
            Invoked(AFTER.tool, MCP, [each.function for each in called[1::2]], count),
            Invoked("jobs", WORKER, jobs, count),
        ]
        return replace(_work(deployment, count, called, jobs, before, (BEFORE, AFTER)), invoked=invoked)


def calls(scene: Scene) -> Work:
    """Return what a call takes on average, in a session of a hundred turns whose user has a hundred memories."""
    with deployed(usual_models) as deployment:
        fill(deployment, HERE, TURNS)
        process = deployment.process()
        for _ in range(CALLS):
            process.call(REMEMBER.tool, REMEMBER.arguments(process, HERE))
        deployment.work_off()
        agent = Agent(deployment, process)
        agent.call(scene.tool, scene.arguments(process, HERE))
        before = _stored(deployment)
        called, jobs = list[Called](), list[Cost]()
        for _ in range(CALLS):
            deployment.clock.sleep(SECONDS_PER_TURN)
            called.append(agent.call(scene.tool, scene.arguments(process, HERE)))
            jobs += deployment.work_off()
        return _work(deployment, CALLS, called, jobs, before, (scene,))


def rivals(work: str, done: Work, size: int = TEXT_BYTES) -> Mapping[str, Use]:
    """Return what the rival uses for the same work, its first month included, by what that takes for granted.

    A turn is a retrieval, a reading of the newest events and one event taken in, to which the rival's own extraction
    adds records: as many as Cairn found facts. A memory is a record, a recall a retrieval, under all prices alike.
    """
    if work == "recall":
        return {"2026-06 and 2026-10": {"rival_retrieval": 1.0}}
    if work == "remember":
        return {"2026-06 and 2026-10": {"rival_own_record_month": 1.0}}
    gigabytes = max(LEAST_EVENT_BYTES, 2 * size) / 1e9
    of_june = {"rival_retrieval": 1.0, "rival_event": 1.0}
    of_october = {
        "rival_retrieval": 1.0,
        **dict.fromkeys(("rival_gb_in", "rival_gb_read", "rival_gb_month"), gigabytes),
    }
    records = {"rival_record_month": done.facts}
    return {
        "2026-06": of_june,
        "2026-06, with records": together(of_june, records),
        "2026-10": of_october,
        "2026-10, with records": together(of_october, records),
    }


def comparison(works: Mapping[str, Work]) -> Table:
    """Return the dollars of a million of each beside the rival's."""
    rows: list[Sequence[Cell]] = []
    for name, work in works.items():
        ours = MILLION * dollars(together(work.use(), work.stays))
        for dated, use in rivals(name, work).items():
            theirs = MILLION * dollars(use)
            met = "met" if ours <= GOAL * theirs else "NOT MET"
            rows.append((name, round(ours, 2), dated, round(theirs, 2), f"1/{theirs / ours:.1f}", met))
    columns = (
        "a million of",
        "Cairn, dollars",
        "rival's prices of",
        "rival, dollars",
        "Cairn to rival",
        "at most 1/20",
    )
    says = (
        f"The first month's storage is in both. A turn has {2 * TEXT_BYTES:,} bytes, a session {TURNS} turns; "
        f"{COLD_SHARE:.0%} of calls meet a cold process. With records, the rival keeps one for each fact that Cairn "
        f"found: {works['turn'].facts:.2f} a turn. Its prices of 2026-10 are from one page and not confirmed."
    )
    return Table("Beside the managed rival", columns, rows, says)


def lines_table(works: Mapping[str, Work]) -> Table:
    """Return where the dollars go."""
    rows = [
        (name, *(round(MILLION * dollars(_only(work.use(), names)), 2) for names in LINES.values()), _total(work))
        for name, work in works.items()
    ]
    return Table("Where the dollars of a million go", ("a million of", *LINES, "in all"), rows, "Without storage.")


def time_table(usual: Work) -> Table:
    """Return where the time of Lambda goes that a turn takes."""
    rows: list[Sequence[Cell]] = []
    for by, function, costs, per in usual.invoked:
        seconds, of_models = (sum(getattr(each, name) for each in costs) for name in ("seconds", "model_seconds"))
        paid = dollars(_only(together(*(invocation(function, each) for each in costs)), LINES["Lambda"]))
        spent = (round(1000 * each / per, 1) for each in (seconds, of_models))
        rows.append((by, round(len(costs) / per, 2), *spent, round(MILLION * paid / per, 2)))
    columns = ("asked for by", "invocations", "ms of processor", "of that models", "dollars a million")
    return Table("Where Lambda's time goes", columns, rows, "Of one turn in warm processes, on a whole core.")


def storage_table(works: Mapping[str, Work]) -> Table:
    """Return what stays, and what it costs each month that it stays."""
    rows = [
        (
            name,
            *(round(MILLION * work.stays.get(kind, 0), 2) for kind in ("dynamodb_gb_month", "s3_gb_month")),
            round(MILLION * dollars(work.stays), 2),
            round(12 * MILLION * dollars(work.stays), 2),
        )
        for name, work in works.items()
    ]
    columns = ("a million of", "GB in DynamoDB", "GB in S3", "dollars a month", "dollars a year")
    says = (
        "Point-in-time recovery, the index and 100 bytes an item are in it; turns' guards expire after 30 days and "
        "records of calls after a year, which is not taken off."
    )
    return Table("What stays of a million", columns, rows, says)


def sensitivity(usual: Work) -> Table:
    """Return what a million turns cost where something is otherwise."""
    rows = [_varied("bytes of a turn", 2 * size, turns(20, size), size) for size in SIZES]
    rows.append(_varied("models", "none", turns(20, models=Models)))
    rows += [
        _varied("turns of a session, no models", each, turns(each, sessions=max(1, 20 // each), models=Models))
        for each in LENGTHS
    ]
    rows += [_varied("share of cold calls", share, usual, cold_share=share) for share in COLD_SHARES]
    columns = ("what", "is", "Cairn, dollars", "storage, dollars a month", "rival of 2026-06", "rival of 2026-10")
    says = (
        "Of a million turns; the rival without records. Sessions have 20 turns where the size of turns changes, and "
        "where there are no models (`Embedder=none`): texts are found by their words, statements read by theirs."
    )
    return Table("What changes the cost of a turn", columns, rows, says)


def fixed_table(works: Mapping[str, Work]) -> Table:
    """Return what a deployment costs each month however few calls there are."""
    used = {
        "kms_key_month": resources("AWS::KMS::Key"),
        "alarm_month": resources("AWS::CloudWatch::Alarm"),
        "dashboard_month": resources("AWS::CloudWatch::Dashboard"),
        "metric_month": len(frozenset[str]().union(*(work.metrics for work in works.values()))),
    }
    rows: list[Sequence[Cell]] = [(PRICES[name].unit, n, round(dollars({name: n}), 2)) for name, n in used.items()]
    rows.append(("in all", None, round(dollars(used), 2)))
    says = "Free tiers not taken off. The metrics are those that turns, remembers and recalls move; each tool has more."
    return Table("What a deployment costs a month", ("what", "how many", "dollars"), rows, says)


def prices_table() -> Table:
    """Return the prices."""
    rows = [(each.unit, f"${each.dollars} per {each.units:,}", each.dated, each.source) for each in PRICES.values()]
    says = f"us-east-1, US dollars. Assumed: {ROUND_TRIP_MS:.0f} ms for a round trip, {INIT_SECONDS:.0f} s to start."
    return Table("List prices", ("of", "price", "dated", "source"), rows, says)


def _varied(
    what: str, value: Cell, work: Work, size: int = TEXT_BYTES, cold_share: float = COLD_SHARE
) -> Sequence[Cell]:
    ours, month = (MILLION * dollars(use) for use in (work.use(cold_share), work.stays))
    theirs = rivals("turn", work, size)
    shown = (f"{MILLION * dollars(theirs[dated]) / (ours + month):.1f} times" for dated in ("2026-06", "2026-10"))
    return (what, value, round(ours, 2), round(month, 2), *shown)


def _work(  # noqa: PLR0913, PLR0917 - what was done, in full
    deployment: Deployment,
    count: int,
    called: Sequence[Called],
    jobs: Sequence[Cost],
    before: Use,
    scenes: Sequence[Scene],
) -> Work:
    each = 1 / count
    return Work(
        warm=times(each, together(*(call.use() for call in called), *map(_job, jobs))),
        cold=together(*(_cold(deployment, scene) for scene in scenes)),
        stays=times(each, together(_stored(deployment), times(-1, before))),
        metrics=frozenset[str]().union(*(call.metrics for call in called)),
        facts=each * sum(call.answer.get("facts_written", 0) for call in called),
    )


def _cold(deployment: Deployment, scene: Scene) -> Use:
    """Return what a call uses of a process that has just started."""
    process = deployment.process()
    called = Agent(deployment, process).call(scene.tool, scene.arguments(process, HERE))
    started = invocation(MCP, called.function, starts=True)
    return together(called.use(), started, times(-1, invocation(MCP, called.function)))


def _job(cost: Cost) -> Use:
    """Return what a job uses: the queue hands the worker one at a time."""
    return together(invocation(WORKER, cost), {"sqs_request": RECEIVED_AND_DELETED})


def _stored(deployment: Deployment) -> Use:
    """Return the gigabytes that are stored."""
    items = list(deployment.inventory.items(TENANT))
    entries = [{name: item[name] for name in ("pk", "sk", "ipk", "isk")} for item in items if "isk" in item]
    table = sum(item_bytes(each) + ITEM_OVERHEAD for each in chain(items, entries)) / 1e9
    blobs = sum(len(deployment.adapters.blobs.get(TENANT, each)) for each in deployment.inventory.blobs(TENANT)) / 1e9
    return {"dynamodb_gb_month": table, "dynamodb_pitr_gb_month": table, "s3_gb_month": blobs}


def _only(use: Use, names: Sequence[str]) -> Use:
    return {name: use.get(name, 0) for name in names}


def _total(work: Work) -> float:
    return round(MILLION * dollars(work.use()), 2)


if __name__ == "__main__":
    main()
