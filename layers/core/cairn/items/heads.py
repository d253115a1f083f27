"""What a process knows of the heads of logs: guesses, which the store confirms or corrects."""

from __future__ import annotations

from cairn.ground import retries
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.table import Key
from cairn.items.head import Head
from cairn.items.model import Log

MOST_KNOWN = 4096


class Heads:
    """Reads heads, and remembers them."""

    def __init__(self, adapters: Adapters) -> None:
        """Know of no log yet."""
        self._adapters = adapters
        self._known: BoundedCache[Key, Head] = BoundedCache(entries=MOST_KNOWN)

    def guess(self, log: Log) -> Head:
        """Return the head as this process last saw it, that of no log where it never did."""
        return self._known.get(log.head) or Head()

    def read(self, log: Log) -> Head:
        """Return the head as it is stored."""
        return self.remember(log, Head.of(self._adapters.table.get(log.head)))

    def remember(self, log: Log, head: Head) -> Head:
        """Return a head, and remember it unless this process knows of a later one."""
        with self._known.lock:
            known = self._known.peek(log.head)
            if known is None or known.revision <= head.revision or head.revision == 0:
                self._known.put(log.head, head)
        return head

    def wait(self, attempt: int) -> None:
        """Wait before the next attempt, longer each time; who was outrun once tries again at once."""
        if attempt:
            retries.wait(self._adapters, attempt)
