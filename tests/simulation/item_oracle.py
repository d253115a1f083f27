"""What must hold of item logs after any schedule: each item once and in its order, none that was taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cairn.ground.ids import Tenant
from cairn.items.model import Append, ItemId, Log
from cairn.items.read import Window
from simulation.actions import PROJECT, Play
from simulation.item_actions import SCRATCH, THREAD, WHOLE
from simulation.operations import Operation
from simulation.recount import Problems
from simulation.stage import Process
from support.items import confirm


class ItemFindings:
    """One look at the end of a schedule."""

    def __init__(self, play: Play, process: Process) -> None:
        self._operations = play.operations
        self._adapters = process.services.adapters
        self._logs = process.services.item_logs
        self._tenants: list[Tenant] = sorted({session.tenant for session in play.sessions})

    def problems(self) -> Problems:
        if not any(each.kind in {"items", "taken", "cleared"} for each in self._operations.all):
            return
        for tenant in self._tenants:
            for name in (THREAD, SCRATCH):
                log = Log(tenant, PROJECT, None, name)
                yield from self._counted(log)
                yield from self._once(log)
                yield from self._alone(log)
            yield from self._kept(thread := Log(tenant, PROJECT, None, THREAD))
            yield from self._told(thread)
            yield from self._cleared(Log(tenant, PROJECT, None, SCRATCH))
            yield from self._again(thread)

    def _of(self, kind: str, log: Log) -> list[Operation]:
        return [each for each in self._operations.all if each.kind == kind and each.about[0] == log]

    def _there(self, log: Log) -> list[ItemId]:
        return [item.id for item in self._logs.read(log, WHOLE).items]

    def _counted(self, log: Log) -> Problems:
        try:
            confirm(self._adapters, log)
        except AssertionError as error:
            yield f"{log} is not as its head counts: {error}"
        whole = self._there(log)
        pages = list[ItemId]()
        after: int | None = -1
        while after is not None:
            page = self._logs.read(log, Window(2, after=after))
            pages += [item.id for item in page.items]
            after = page.items[-1].position if page.more else None
        if pages != whole:
            yield f"{log} is {whole}, and by pages {pages}"

    def _once(self, log: Log) -> Problems:
        """Hold the log to what was appended: nothing twice, all of an append or nothing, in the order of the calls."""
        there = self._there(log)
        if len(set(there)) < len(there):
            yield f"{log} has {there}"
        appends = {each.about[1].operation_id: each.about[1] for each in self._of("items", log)}
        said = [item.id for wanted in appends.values() for item in wanted.items]
        if not set(there) <= set(said):
            yield f"{log} has {there}, and {said} were appended"
        if not (self._of("taken", log) or self._of("cut", log)):
            for wanted in appends.values():
                ids = [item.id for item in wanted.items]
                if [name for name in there if name in ids] not in ([], ids):
                    yield f"{log} has {there}, and {ids} were appended at once"

    def _alone(self, log: Log) -> Problems:
        """Tell of two appends that both held under one revision."""
        first = [each for each in self._of("items", log) if each.ok and not each.answer.replayed]
        under = Counter(each.about[1].expected_revision for each in first if each.about[1].expected_revision)
        if twice := [revision for revision, times in under.items() if times > 1]:
            yield f"{log} was appended to twice under {twice}"

    def _taken(self, log: Log) -> Counter[ItemId]:
        """Return the items that were taken back for sure, and by how many operations."""
        told = {each.about[1]: each.answer.items for each in self._of("taken", log) if each.ok and each.answer.items}
        return Counter(item.id for items in told.values() for item in items)

    def _may_be_gone(self, log: Log) -> bool:
        """Tell whether a call whose answer is unknown may have removed items."""
        return any(not each.ok and not each.refused for each in self._of("taken", log))

    def _kept(self, log: Log) -> Problems:
        there, taken = self._there(log), self._taken(log)
        cut = {name for each in self._of("cut", log) for name in each.about[1]}
        if twice := [name for name, times in taken.items() if times > 1]:
            yield f"{twice} of {log} were taken back twice"
        if back := set(there) & taken.keys():
            yield f"{back} of {log} were taken back and are there"
        sure = self._sure(log)
        if not self._may_be_gone(log) and (lost := set(sure) - set(there) - taken.keys() - cut):
            yield f"{lost} of {log} were appended and are gone"
        ended = {each.about[1].operation_id: each for each in self._of("items", log) if each.ok}
        for one in ended.values():
            for other in ended.values():
                if (one.ended or 0) < self._begun(log, other.about[1]):
                    yield from _in_order(log, there, one.about[1], other.about[1])

    def _sure(self, log: Log) -> list[ItemId]:
        return [item.id for each in self._of("items", log) if each.ok for item in each.about[1].items]

    def _begun(self, log: Log, wanted: Append) -> int:
        """Return when an append was made first."""
        return min(each.begun for each in self._of("items", log) if each.about[1] == wanted)

    def _told(self, log: Log) -> Problems:
        """Hold each read to what had been appended and taken back before it was made."""
        for each in self._of("looked", log):
            if not each.ok:
                continue
            told = {item.id for item in each.answer.items}
            if len(told) > each.answer.count:  # which may be of a moment before, when there were more
                yield f"{log} was told with {len(told)} items, and a count of {each.answer.count}"
            for taken in self._of("taken", log):
                if taken.ok and (taken.ended or 0) < each.begun and told & {item.id for item in taken.answer.items}:
                    yield f"{log} was told with items that had been taken back"
            if self._of("taken", log) or self._of("cut", log):
                continue
            for one in self._of("items", log):
                ids = {item.id for item in one.about[1].items}
                if one.ok and (one.ended or 0) < each.begun and not ids <= told:
                    yield f"{log} was told without {ids}"

    def _cleared(self, log: Log) -> Problems:
        """Hold the log that was deleted to what came afterwards."""
        ended = [each.ended or 0 for each in self._of("cleared", log) if each.ok]
        others = [each for each in self._of("items", log) if not each.refused]
        if ended and all(each.ended is not None and each.ended < max(ended) for each in others):
            last = max(self._of("cleared", log), key=lambda each: each.ended or 0)
            if all((each.ended or 0) < last.begun for each in others) and self._there(log):
                yield f"{log} was deleted, and has {self._there(log)}"

    def _again(self, log: Log) -> Problems:
        """Make every call again whose answer was told: nothing more may come of it."""
        before = self._there(log)
        for each in self._of("items", log):
            if each.ok:
                done = self._logs.append(log, each.about[1])
                if done.replayed != len(each.about[1].items):
                    yield f"{each.about[1].operation_id} of {log} was appended again"
        for each in self._of("taken", log):
            if each.ok and each.answer.items and not self._logs.take_back(*each.about).repeated:
                yield f"{each.about[1]} of {log} took back more"
        if self._there(log) != before:
            yield f"{log} was {before}, and is {self._there(log)} after the same calls"


def _in_order(log: Log, there: Sequence[ItemId], one: Append, other: Append) -> Problems:
    first = [place for place, name in enumerate(there) if name in {item.id for item in one.items}]
    then = [place for place, name in enumerate(there) if name in {item.id for item in other.items}]
    if first and then and max(first) > min(then):
        yield f"{log} has {other.operation_id} before {one.operation_id}"
