"""What must hold after any schedule of documents: each as it was last stored, counted, and found by every process."""

from __future__ import annotations

from cairn.documents.changes import GRACE
from cairn.documents.model import Owner, Sought
from simulation.actions import Play
from simulation.document_actions import COUNTER, PLACES, WORD, owners
from simulation.operations import last_ones
from simulation.recount import Problems
from simulation.stage import Process
from support.documents import counted


class DocumentFindings:
    """One look at the end of a schedule."""

    def __init__(self, play: Play, process: Process) -> None:
        self._play = play
        self._operations = play.operations
        self._process = process
        self._store = process.services.documents

    def problems(self) -> Problems:
        if not self._operations.of("document") and not self._operations.of("count"):
            return
        tenants = sorted({session.tenant for session in self._play.sessions})
        every = [owner for tenant in tenants for owner in owners(self._play, tenant)]
        for owner in every:
            yield from self._last(owner)
            yield from self._counter(owner)
            yield from self._found(owner)
        self._play.stage.scheduler.pause(2 * GRACE.total_seconds())
        for tenant in tenants:
            self._store.collector.collect_all(tenant)
        for owner in every:
            self._store.get(owner, PLACES)  # which opens every blob
            kept, recounted = counted(self._process.services.adapters, owner)
            if kept != recounted:
                yield f"{owner} counts {kept}, and has {recounted}"

    def _last(self, owner: Owner) -> Problems:
        """Hold each document to the calls that may have been the last."""
        for place, found in zip(PLACES, self._store.get(owner, PLACES), strict=True):
            operations = [each for each in self._operations.of("document") if each.about == (owner, place)]
            last = last_ones(operations)
            if found is None:
                if any(each.ok for each in operations) and all(each.content and not each.expires for each in last):
                    yield f"{place} of {owner} is gone, and was last {last}"
                continue
            made = [each for each in last if each.content == found.value["text"]]
            if not made:
                yield f"{place} of {owner} is {found.value['text'][:20]!r}, and was last {last}"
            elif made[0].ok and made[0].answer != found.version:
                yield f"{place} of {owner} has version {found.version}, and was told {made[0].answer}"

    def _counter(self, owner: Owner) -> Problems:
        """Hold a number that is counted up to how often that was done, and may have been."""
        counts = [each for each in self._operations.of("count") if each.about == owner]
        done, unknown = sum(each.ok for each in counts), sum(not each.ok and not each.refused for each in counts)
        (found,) = self._store.get(owner, [COUNTER])
        number = 0 if found is None else found.value["n"]
        if not done <= number <= done + unknown:
            yield f"{owner} counted to {number}, was told {done} times that it did, and {unknown} times nothing"

    def _found(self, owner: Owner) -> Problems:
        """Hold what every process finds to what is there."""
        there = {
            place: found.value
            for place, found in zip(PLACES, self._store.get(owner, PLACES), strict=True)
            if found is not None
        }
        for process in (self._process, *self._play.stage.surviving()):
            for query in (WORD, ""):
                sought = Sought(collection=("notes",), query=query, limit=100)
                hits = process.services.documents.search(owner, sought).hits
                if {hit.document.place: hit.document.value for hit in hits} != there or len(hits) != len(there):
                    yield f"a process finds {len(hits)} documents of {owner}, of which {len(there)} are there"
