"""Tools that are loaded when they are asked for by name: a process that answers one question loads one tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, overload

from typing_extensions import override

if TYPE_CHECKING:
    from cairn.tool.tool import Tool


class Catalog(Sequence["Tool"]):
    """Tools in an order; whoever looks through them loads all."""

    def __init__(self, names: Sequence[str], load: Callable[[str], Tool]) -> None:
        """Load no tool yet; `load` returns one by its name, the same each time."""
        self._names = tuple(names)
        self._load = load

    def only(self, name: str) -> Sequence[Tool]:
        """Return the tool of this name, and nothing where there is none."""
        return [self._load(name)] if name in self._names else []

    @override
    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, index: int) -> Tool: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Tool]: ...

    @override
    def __getitem__(self, index: int | slice) -> Tool | Sequence[Tool]:
        names = self._names[index]
        return self._load(names) if isinstance(names, str) else [self._load(name) for name in names]


def only(tools: Sequence[Tool], name: str) -> Sequence[Tool]:
    """Return the tool of this name, and nothing where there is none; of a catalog no other is loaded."""
    return tools.only(name) if isinstance(tools, Catalog) else [each for each in tools if each.name == name]
