"""A bounded cache for what a process keeps in memory.

It replaces, weighs and evicts single entries, none of which functools.lru_cache can do.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps entries up to a number and a total weight, and evicts the least recently used.

    Threads may share it: every method is atomic, and whoever holds `lock` makes several of them one step.
    """

    def __init__(
        self, *, entries: int | None = None, weight: int | None = None, weigh: Callable[[V], int] = lambda _: 0
    ) -> None:
        """Start empty; an entry weighs what `weigh` says when it is put, in the unit of `weight`."""
        self.lock = RLock()
        self._most_entries = entries
        self._most_weight = weight
        self._weigh = weigh
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._entries)

    @property
    def weight(self) -> int:
        """Return what all entries weigh together."""
        return self._weight

    def peek(self, key: K) -> V | None:
        """Return the value, None where there is none; the entry is evicted no later for it."""
        with self.lock:
            entry = self._entries.get(key)
            return None if entry is None else entry[0]

    def get(self, key: K) -> V | None:
        """Return the value, None where there is none, and count the entry as used just now."""
        with self.lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self.peek(key)

    def get_or_put(self, key: K, make: Callable[[], V]) -> V:
        """Return the value, made and put first where there is none."""
        with self.lock:
            value = self.get(key)
            if value is None:
                self.put(key, value := make())
            return value

    def put(self, key: K, value: V) -> None:
        """Put an entry in place of an earlier one and evict what is too much, itself where it alone is too heavy."""
        weight = self._weigh(value)
        with self.lock:
            self.evict(key)
            self._entries[key] = (value, weight)
            self._weight += weight
            while self._is_too_much():
                self.evict(next(iter(self._entries)))

    def evict(self, key: K) -> None:
        """Remove an entry, if it is there."""
        with self.lock:
            _, weight = self._entries.pop(key, (None, 0))
            self._weight -= weight

    def _is_too_much(self) -> bool:
        too_many = self._most_entries is not None and len(self._entries) > self._most_entries
        return too_many or (self._most_weight is not None and self._weight > self._most_weight)
