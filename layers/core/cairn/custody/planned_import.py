"""Plans to import a bundle: bound to that bundle and to what of it the store lacks, which is what undoing removes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NoReturn, TypeAlias

from cairn.custody.bundles import Bundles
from cairn.custody.import_undo import ImportUndo
from cairn.custody.import_units import line_of_import
from cairn.custody.increments import Increments
from cairn.custody.records import Record
from cairn.custody.scope import DataScope
from cairn.custody.spilled_map import SpilledMap
from cairn.custody.states import Increment, State
from cairn.custody.tasks import TaskServices
from cairn.ground.errors import Conflict, ResourceBusy
from cairn.plans.model import Found, Plan


@dataclass(frozen=True, slots=True)
class Incoming:
    """A bundle that is open: whose it is, its digest, how many records it has, and to which state it leads.

    `records` yields them from the first on and tells how far that is; InvalidArgument where one is damaged.
    """

    scope: DataScope
    sha256: str
    count: int
    state: State | None
    step: Increment | None
    records: Callable[[str], Iterator[Record]]


_FOLLOWS = "follows"
"""Where a plan's `before` has the state that a bundle of what came since follows from."""
Opener: TypeAlias = Callable[[str], AbstractContextManager[Incoming]]
"""Opens the bundle in a file; InvalidArgument where it is none."""


def plan_to_import(file: str, scope: DataScope, digest: str, why: str = "") -> Plan:
    """Return the draft of a plan to import into a scope the bundle in a file, which has this digest."""
    what = {"file": file, "sha256": digest}
    return Plan(tenant=scope.tenant, kind="import", project=scope.project, user=scope.user, what=what, why=why)


@dataclass(slots=True)
class _Compared:
    """What was found of a bundle: its records by whether the store has them, and lines of those that are new."""

    counts: Counter[str]
    lines: SpilledMap
    lacking: Mapping[str, int]
    gone: SpilledMap | None = None
    first: str = ""


class PlannedImport:
    """Imports a bundle as the command does. Of one with a base nothing is taken back: it replaces and removes."""

    def __init__(self, services: TaskServices, opener: Opener) -> None:
        """Work with these parts."""
        self._services = services
        self._opener = opener
        self._parts = services.adapters, services.inventory, services.vault
        self._lines = services.plans.records.lines
        self._compared: _Compared | None = None

    def found(self, plan: Plan) -> Found:
        """Return how much of it is new, there already, lacking or refused; InvalidArgument where it is no bundle.

        Conflict where the file has another bundle by now, or the store has another session or item log of that name.
        """
        with self._opened(plan) as incoming:
            compared = self._compared = self._compare(_scope(plan), incoming)
        lines = sha256(b"".join(key + digest for key, digest in compared.lines)).hexdigest()
        gone = sorted(key.decode() for key, _ in compared.gone or ())
        whose = [plan.tenant, plan.project, plan.user]
        counts = {name: compared.counts[name] for name in ("new", "there", "lacking", "refused", "removed")}
        return Found(
            before={} if incoming.step is None else {_FOLLOWS: incoming.step.base},
            says=f"import {plan.what['file']}",
            counts={name: count for name, count in counts.items() if count or name == "new"},
            exactly=[plan.what["sha256"], whose, lines, gone, counts],
        )

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """Store it; Conflict where the store has something else in the place of a record, and then nothing is."""
        scope = _scope(plan)
        with self._opened(plan) as incoming:
            compared = self._compared or self._compare(scope, incoming)
            if compared.first:
                raise Conflict(f"The store holds something else at {compared.first}; import into an empty service")
            records = incoming.records("Importing")
            if compared.gone is None:
                if self._lines.of(plan) is None:
                    self._lines.keep(plan, compared.lines)
                stored = Bundles(*self._parts).store(scope, records, compared.lacking)
            else:
                stored = Increments(*self._parts).store(scope, records, compared.gone)
            try:
                new = sum(stored)
            except Conflict as another:  # which came meanwhile; what is stored by now is to be taken back
                told = f"{another.message}. cairn plan undo {plan.id} takes back what came so far"
                raise ResourceBusy(told) from None
        return {"new": new, "items": incoming.count}

    def undo(self, plan: Plan) -> Mapping[str, int]:
        """Remove what it brought and nobody changed or built on since, and return how much that was, and is left."""
        if follows_a_base(plan):
            raise Conflict("What came since a base replaced and removed other things: restore a backup instead")
        lines = self._lines.of(plan)
        if lines is None:  # stopped before the first record, or behind the last
            return {}
        told = ImportUndo(self._services, plan.tenant, lines).run()
        self._lines.remove(plan)
        return told

    @contextmanager
    def _opened(self, plan: Plan) -> Generator[Incoming]:
        with self._opener(plan.what["file"]) as incoming:
            if incoming.sha256 != plan.what["sha256"]:
                raise Conflict(f"{plan.what['file']} holds another bundle by now: plan again, and look at that")
            yield incoming

    def _compare(self, scope: DataScope, incoming: Incoming) -> _Compared:
        checked = incoming.records("Checking")
        if incoming.step is not None:
            gone = Increments(*self._parts).check(scope, checked, incoming.step)
            counts = Counter({"new": incoming.count, "removed": len(gone)})
            return _Compared(counts, SpilledMap(), {}, gone)
        bundles = Bundles(*self._parts)
        lacking = bundles.check(scope, checked, incoming.state)
        compared = _Compared(Counter(lacking=sum(lacking.values())), SpilledMap(), lacking)
        for record, held in bundles.compare(scope, incoming.records("Comparing"), lacking):
            compared.counts["refused" if held == "another" else held] += 1
            if held == "new":
                compared.lines.add(*line_of_import(record))
            elif held == "another" and not compared.first:
                compared.first = f"{record['partition']} {record['sort']}"
        return compared


def follows_a_base(plan: Plan) -> bool:
    """Tell whether what a plan imports came since a base: it says so from the first, also where it was stopped."""
    return _FOLLOWS in plan.before


def no_bundles(file: str) -> NoReturn:
    """Refuse to open a bundle where there are no files of an operator."""
    raise Conflict(f"Apply this plan with `cairn plan apply`, where {file} is")


def _scope(plan: Plan) -> DataScope:
    return DataScope(plan.tenant, plan.project, plan.user)
