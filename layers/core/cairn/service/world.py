"""Everything a service needs of the world, handed over once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cairn.ports import Blobs, Clock, Entropy, FactModel, Jobs, KeyRing, Parallel, Table


@dataclass(frozen=True, slots=True)
class World:
    """The adapters of one process; without a language model, facts are found by rule alone."""

    table: Table
    blobs: Blobs
    keys: KeyRing
    clock: Clock
    entropy: Entropy
    parallel: Parallel
    jobs: Jobs
    fact_model: FactModel | None = None


T = TypeVar("T")


class Pending(Generic[T]):
    """A call that is yet to be made, as one of several in parallel, and its result once it was."""

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
