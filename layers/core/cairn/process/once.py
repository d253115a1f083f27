"""Properties that are made when they are first asked for, once, however many threads ask at the same time."""

from __future__ import annotations

from threading import RLock
from typing import Any

# One lock for all, which a thread may take again: what is made asks for what it is made of, and with a lock each, two
# threads could wait for one another. functools.cached_property has no lock: two threads would make two caches.
_making = RLock()


class Once(property):
    """A property whose first value is kept; what it raises is not.

    One that was set is not made. For type checkers it is a read-only property, so that a protocol can ask for it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn under which name the object keeps the value."""
        self._name = name

    def __get__(self, instance: object, owner: type | None = None, /) -> Any:
        """Return the value, made unless the object has it."""
        if instance is None:
            return self
        kept: dict[str, Any] = vars(instance)
        if self._name not in kept:
            with _making:
                if self._name not in kept:  # another thread may have made it meanwhile
                    kept[self._name] = super().__get__(instance, owner)
        return kept[self._name]

    def __set__(self, instance: object, value: Any, /) -> None:
        """Put a value in the place of the one that would be made."""
        vars(instance)[self._name] = value
