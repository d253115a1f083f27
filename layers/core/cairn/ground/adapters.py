"""The adapters of a process, handed over as one record, and calls that it makes in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from cairn.ground.jobs import Job
    from cairn.ground.ports import (
        Blobs,
        Clock,
        Entropy,
        Jobs,
        KeyRing,
        Parallel,
        Table,
        Tally,
    )
    from cairn.ground.tiers import Tier


class NoTally:
    """Counts nothing."""

    def compaction(self) -> None:
        """Do nothing."""

    def facts_written(self, tiers: Mapping[Tier, int]) -> None:
        """Do nothing."""

    def turn_conflict(self) -> None:
        """Do nothing."""

    def unrecorded(self) -> None:
        """Do nothing."""

    def unembedded(self) -> None:
        """Do nothing."""

    def access_anomaly(self) -> None:
        """Do nothing."""


class NoJobs:
    """Drops jobs: what they are about stays in the store, where the next run of maintenance finds it."""

    def send(self, jobs: Sequence[Job]) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapters of one process, as the package of its store makes them."""

    table: Table
    blobs: Blobs
    keys: KeyRing
    clock: Clock
    entropy: Entropy
    parallel: Parallel
    jobs: Jobs = field(default_factory=NoJobs)
    tally: Tally = field(default_factory=NoTally)


T = TypeVar("T")


class Pending(Generic[T]):
    """A call to make in parallel with others, and its result afterwards."""

    def __init__(self, call: Callable[[], T]) -> None:
        """Keep the call."""
        self._call = call
        self._results: list[T] = []

    def __call__(self) -> None:
        """Make the call and keep what it returns."""
        self._results.append(self._call())

    @property
    def result(self) -> T:
        """Return what the call returned; IndexError before it was made."""
        return self._results[-1]
