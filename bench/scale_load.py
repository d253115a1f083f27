"""What holds the load of a whole deployment back, and what deployments cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

import cost
from agents import AUTHORIZER, FULL_CORE_MB, MCP, ROUND_TRIP_MS, WORKER, invocation, memory_mb
from cairn.ground.settings import RateSettings
from cairn.log.manifest import ENTRIES
from cairn.vault.vault import KEY_LIFETIME
from heat import CALLS_A_TURN, PARTITION_READS, PARTITION_WRITES, TURNS, Load, limits
from prices import Use, dollars, times, together
from report import Cell, Table
from scale_logs import Pace
from scenes import AFTER, BEFORE, TEXT_BYTES

TEXTS_A_TURN = 2
TURNS_A_DAY = 10
PEAK = 3
"""Assumed: how much busier the busiest hour is than the average."""
WORLDS = ((1_000, 1), (1_000_000, 100), (100_000_000, 10_000))
"""Users, and the tenants they are shared out among."""
RIVALS = ("2026-06", "2026-10")
_DAY, _MONTH_DAYS, _YEAR_MONTHS = 86_400, 30, 12
_TEMPLATE = Path(__file__).parents[1] / "template.yaml"


class Bound(NamedTuple):
    """What holds load back: how much of it there is a second, and how much a turn takes."""

    what: str
    where: str
    most: float
    a_turn: float
    lifted: str
    source: str = ""

    @property
    def turns(self) -> float:
        """Return the turns a second at which it is reached."""
        return self.most / self.a_turn


def bounds(measured: Load, warm: Use, pace: Pace | None = None) -> list[Bound]:
    """Return what holds the load of a whole deployment back, the lowest first."""
    published = {each.name: each for each in limits()}
    calls = [measured.calls[name] for name in (BEFORE.name, AFTER.name)]
    index = sum(each.warm.counts["index_units"] for each in calls)
    strange = _strange(measured)
    reads = warm["dynamodb_read"] + strange["dynamodb_read"]
    a_turn = {
        "gateway": warm["http_api"],
        "concurrency": measured.seconds[AUTHORIZER] + _strange_seconds(measured),
        "table_writes": warm["dynamodb_write"] - index,
        "table_reads": reads,
        "new_table_writes": warm["dynamodb_write"] - index,
        "kms": CALLS_A_TURN,
        "s3_get": warm["s3_get"] + strange["s3_get"],
    }
    found = [
        Bound(each.what, "account", each.most, a_turn[name], each.raised, f"{each.source} ({each.dated})")
        for name, each in published.items()
    ]
    rates = RateSettings()
    here = (
        ("RequestsPerSecond", "requests a second of one route", a_turn["gateway"]),
        ("MaxWriteUnits", "write units a second", a_turn["table_writes"]),
        ("MaxReadUnits", "read units a second", a_turn["table_reads"]),
    )
    found += [Bound(f"{name}: {what}", "template", _parameter(name), each, "parameter") for name, what, each in here]
    found.append(
        Bound("rates: calls of one tenant", "one tenant", rates.tenant_per_second, CALLS_A_TURN, "setting, to 1,000")
    )
    found.append(
        Bound(
            "rates: calls in one project", "one project", rates.namespace_per_second, CALLS_A_TURN, "setting, to 1,000"
        )
    )
    found.append(
        Bound(
            "records of one tenant's calls of a day", "one tenant", PARTITION_WRITES, CALLS_A_TURN, "a change of code"
        )
    )
    key = Bound("reads of one API key", "one key", PARTITION_READS, measured.key_reads, "more keys")
    found.append(key)
    if pace is not None:
        workers = int(re.findall(r"MaximumConcurrency: (\d+)", _TEMPLATE.read_text("utf-8"))[0])
        found.append(
            Bound("workers that index logs at once", "template", workers, _worker_seconds(measured, pace), "template")
        )
    return sorted(found, key=lambda each: each.turns)


def bounds_table(measured: Load, warm: Use, pace: Pace) -> Table:
    """Return what breaks first, and at what load."""
    rows = [
        (
            each.what,
            each.where,
            round(each.most),
            round(each.a_turn, 3),
            round(each.turns),
            1_000 * round(each.turns / PEAK * _DAY / TURNS_A_DAY / 1_000),
            each.lifted,
            each.source,
        )
        for each in bounds(measured, warm, pace)
    ]
    columns = ("what", "of", "at most", "a turn takes", "turns a second", "users", "lifted by", "source")
    says = (
        f"A turn is before_turn and after_turn, with {2 * TEXT_BYTES:,} bytes. Users have {TURNS_A_DAY} turns a day, "
        f"and the busiest hour is {PEAK} times the average. Calls meet processes that have not their user's log, of "
        f"{TURNS:,} turns, as they do where there are many; for KMS not even their tenant's key, the worst that can be."
    )
    return Table("What breaks first", columns, rows, says)


def worlds_table(measured: Load, work: cost.Work) -> Table:
    """Return what deployments of these sizes cost a month."""
    fixed = float(cost.fixed_table({"turn": work}).rows[-1][-1] or 0)
    rival = cost.rivals("turn", work)
    rows: list[Sequence[Cell]] = []
    for users, tenants in WORLDS:
        pace = _turns_a_second(users)
        count = processes(pace, measured)
        turns = users * TURNS_A_DAY * _MONTH_DAYS
        each = turn_use(measured, work, pace, tenants)
        stays = turns * dollars(work.stays)
        month = turns * dollars(each) + fixed
        rows.append(
            (
                users,
                tenants,
                round(pace, 2),
                round(PEAK * pace, 1),
                count,
                round(1e6 * dollars(each), 2),
                round(month),
                round(month + stays),
                round(month + _YEAR_MONTHS * stays),
                round(turns * work.stays["dynamodb_gb_month"] / 1e3, 2),
                *(round(dollars(rival[dated]) / dollars(together(each, work.stays)), 1) for dated in RIVALS),
            )
        )
    columns = (
        "users",
        "tenants",
        "turns a second",
        "at the peak",
        "processes",
        "dollars a million turns",
        "calls, dollars a month",
        "with storage, month 1",
        "month 12",
        "TB added a month",
        *(f"rival of {dated}, times" for dated in RIVALS),
    )
    says = (
        f"{TURNS_A_DAY} turns a user and day. A call meets any of the processes alike (assumed): where there "
        f"are many, nearly always one that does not know the user. A tenant's key stays {KEY_LIFETIME.seconds // 60} "
        f"minutes in a process; {cost.COLD_SHARE:.0%} of calls meet a process just started. List prices "
        "of the first tier, nothing taken off for volume or for what expires."
    )
    return Table("What it costs", columns, rows, says)


def needs_table(measured: Load, warm: Use) -> Table:
    """Return how much of each limit of the account those deployments need at the peak."""
    named = [each for each in bounds(measured, warm) if each.where == "account"]
    rows = [
        (each.what, *(round(PEAK * _turns_a_second(users) / each.turns, 4) for users, _ in WORLDS)) for each in named
    ]
    columns = ("limit, times its default", *(f"{users:,} users" for users, _ in WORLDS))
    says = "Above 1 it has to be raised before, or the users shared out among accounts or regions."
    return Table("What those deployments need at the peak", columns, rows, says)


def processes(turns_a_second: float, measured: Load) -> int:
    """Return how many processes answer tools' calls at the peak."""
    return max(1, ceil(PEAK * turns_a_second * _strange_seconds(measured)))


def turn_use(measured: Load, work: cost.Work, turns_a_second: float, tenants: int) -> Use:
    """Return what a turn uses, where a call finds a process that knows its user and its tenant only now and then."""
    count = processes(turns_a_second, measured)
    met = CALLS_A_TURN * turns_a_second / tenants / count * KEY_LIFETIME.total_seconds()
    keys = CALLS_A_TURN / (1 + met)
    return together(work.use(), times(1 - 1 / count, _strange(measured)), {"kms_request": keys, "dynamodb_read": keys})


def _strange(measured: Load) -> Use:
    """Return what a turn uses more in processes that do not know its user."""
    calls = [measured.calls[name] for name in (BEFORE.name, AFTER.name)]
    return together(
        *(invocation(MCP, each.new) for each in calls), *(times(-1, invocation(MCP, each.warm)) for each in calls)
    )


def _strange_seconds(measured: Load) -> float:
    """Return the seconds that tools' functions spend on such a turn."""
    return measured.seconds[MCP] + _strange(measured)["lambda_gb_second"] * 1024 / memory_mb(MCP)


def _worker_seconds(measured: Load, pace: Pace) -> float:
    """Return the seconds a worker spends on a turn: on its texts, and on its share of a job's round trips."""
    texts = TEXTS_A_TURN * pace.first * max(1, FULL_CORE_MB / memory_mb(WORKER))
    return texts + measured.index_rounds * ROUND_TRIP_MS / 1000 / ENTRIES


def _turns_a_second(users: int) -> float:
    return users * TURNS_A_DAY / _DAY


def _parameter(name: str) -> float:
    """Return the default of a parameter of the template."""
    found = re.search(rf"^  {name}:\n    Type: Number\n    Default: (\d+)$", _TEMPLATE.read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"the template has no parameter {name}")
    return float(found[1])
