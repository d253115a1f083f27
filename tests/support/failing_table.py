"""A table that fails, so that what writes to it is cut there."""

from __future__ import annotations

from functools import partial
from typing import Any

from cairn.ground.errors import Unavailable


class Failing:
    """A table that fails from some write on."""

    def __init__(self, table: Any, after: int) -> None:
        self._table, self._left = table, after

    def _write(self, name: str, what: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise Unavailable("cut")
        return getattr(self._table, name)(what)

    def __getattr__(self, name: str) -> Any:
        if name in {"put", "update", "delete", "transact"}:
            return partial(self._write, name)
        return getattr(self._table, name)
