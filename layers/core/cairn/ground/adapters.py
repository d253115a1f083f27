"""The adapters of a process, handed over as one record, and calls that it makes in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from cairn.ground.ids import Tenant
    from cairn.ground.jobs import Job
    from cairn.ground.ports import (
        Blobs,
        Clock,
        Entropy,
        Jobs,
        KeyRing,
        Meter,
        Parallel,
        Table,
        Tally,
    )
    from cairn.ground.table import Key
    from cairn.ground.tiers import Tier
    from cairn.ground.units import Units


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

    def recalled(self, by: str, without_vector: int) -> None:
        """Do nothing."""

    def access_anomaly(self) -> None:
        """Do nothing."""

    def seen(self, name: str, position: str) -> None:
        """Do nothing."""

    def damaged(self, where: Key | None = None) -> None:
        """Do nothing."""

    @property
    def damage_met(self) -> int:
        """Return 0."""
        return 0


class NoMeter:
    """Counts nothing."""

    def used(self, owner: Tenant, **units: float) -> None:
        """Do nothing."""

    def take(self, tenant: Tenant, room: int | None = None) -> Mapping[str, Units]:
        """Return nothing."""
        del tenant, room
        return {}

    def give_back(self, tenant: Tenant, taken: Mapping[str, Units]) -> None:
        """Do nothing."""


class NoJobs:
    """Drops jobs: what they are about stays in the store, where the next run of maintenance finds it."""

    def send(self, jobs: Sequence[Job]) -> None:
        """Do nothing."""


class Holders:
    """Knows of no holder of a lease or a claim whether it is gone: each is waited for until its time is up."""

    @property
    def mark(self) -> str:
        """Return what the names of this process's holders end with."""
        return ""

    def leave(self, holder: str) -> None:
        """Take note that a call of this process has ended and what it holds could not be given back."""

    def is_gone(self, holder: str) -> bool:
        """Tell whether the call that holds something under this name has surely ended; nobody has an empty one."""
        return not holder


def _never() -> bool:
    """Tell that the process goes on."""
    return False


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapters of one process, as the package of its store makes them.

    `own_disk` says that the store is on a disk of this machine, which may be full. `is_ending` tells whether the
    process is about to end: long work in its background stops then.
    """

    table: Table
    blobs: Blobs
    keys: KeyRing
    clock: Clock
    entropy: Entropy
    parallel: Parallel
    jobs: Jobs = field(default_factory=NoJobs)
    tally: Tally = field(default_factory=NoTally)
    meter: Meter = field(default_factory=NoMeter)
    holders: Callable[[], Holders] = Holders
    own_disk: bool = False
    is_ending: Callable[[], bool] = _never

    def holder(self) -> str:
        """Return a new name under which a call holds leases and claims."""
        return self.entropy.token(12).hex() + self.holders().mark


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
