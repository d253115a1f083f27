"""A value within what was sent, and its place, so that what cannot be read is refused by that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from cairn.ground.errors import InvalidArgument

NOTHING: Mapping[str, Any] = {}


class Field:
    """One value of an item; `most` is how many bytes a text may have."""

    __slots__ = ("most", "path", "value")

    def __init__(self, value: object, path: str, most: int) -> None:
        """Remember the value and its place."""
        self.value = value
        self.path = path
        self.most = most

    def at(self, *names: str) -> Field:
        """Return the part of this object with the first of these names that it has; one with None is not there."""
        held = self.map()
        name = next((each for each in names if held.get(each) is not None), names[0])
        return Field(held.get(name), f"{self.path}.{name}", self.most)

    def has(self, *names: str) -> bool:
        """Tell whether this is an object with one of these names."""
        return any(self.map().get(name) is not None for name in names)

    def map(self) -> Mapping[str, Any]:
        """Return the object, an empty one where this is none."""
        return cast("Mapping[str, Any]", self.value) if isinstance(self.value, Mapping) else NOTHING

    def object(self) -> Field:
        """Return the object; InvalidArgument where this is none."""
        if not isinstance(self.value, Mapping):
            raise self.refused("must be an object")
        return self

    @property
    def is_list(self) -> bool:
        """Tell whether this is a list."""
        return isinstance(self.value, list | tuple)

    def list(self, what: str = "a list") -> list[Field]:
        """Return the parts of the list with their places; InvalidArgument where this is none."""
        if not self.is_list:
            raise self.refused(f"must be {what}" if self.value is not None else f"is required: {what}")
        parts = cast("Sequence[object]", self.value)
        return [Field(part, f"{self.path}[{index}]", self.most) for index, part in enumerate(parts)]

    def maybe(self) -> list[Field]:
        """Return the parts of the list, none where there is nothing."""
        return [] if self.value is None else self.list()

    def text(self) -> str:
        """Return the text; InvalidArgument where this is none or too long."""
        if not isinstance(self.value, str):
            raise self.refused("must be a string" if self.value is not None else "is required")
        if len(self.value) > self.most or len(self.value.encode()) > self.most:
            raise self.refused(f"must be at most {self.most} bytes of text")
        return self.value

    def get(self, *names: str) -> str:
        """Return the first text with one of these names, "" where there is none."""
        held = self.map()
        return next((value for name in names if isinstance(value := held.get(name), str) and value), "")

    def refused(self, problem: str) -> InvalidArgument:
        """Return the error that names this place and its problem."""
        return InvalidArgument(self.path, problem)
