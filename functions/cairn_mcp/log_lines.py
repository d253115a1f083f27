"""Log lines that a client is told: those of its level and above, or those of a request that asks for them.

They are the lines of the log as it is, which holds no content. Which request a line belongs to is the context in which
it is written.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, cast

from typing_extensions import override

from cairn.telemetry.logs import LogLines
from cairn_mcp.library import LEVELS
from cairn_mcp.stateless import VERSION_KEY

LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"
"""Where a request of 2026-07-28 says what it wants to be told of what is logged."""
_OF_CONNECTION: Final = ""
_level: ContextVar[str | None] = ContextVar("cairn_mcp_level", default=_OF_CONNECTION)
"""What is told of the log in this context: from which level on, nothing, or as the connection has it."""


class ToldLines(logging.Handler):
    """Sends log lines to a client; `asked` is from which level on where a request does not say, None for nothing."""

    def __init__(self, tell: Callable[..., None]) -> None:
        """Tell the client by `tell`, which takes a notification's method and its parameters."""
        super().__init__()
        self._tell = tell
        self.asked: str | None = None
        self.setFormatter(LogLines())

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Send one line, unless it is below the level that was asked for."""
        least, level = _level.get(), record.levelname.lower()
        least = self.asked if least == _OF_CONNECTION else least
        if least is None or level not in LEVELS or LEVELS.index(level) < LEVELS.index(least):
            return
        self._tell("notifications/message", level=level, logger=record.name, data=json.loads(self.format(record)))


@contextmanager
def asked_by(body: object) -> Generator[None]:
    """Tell of what is logged meanwhile as a message asks: one of 2026-07-28 for itself, any other as the connection."""
    meta = _object(_object(_object(body).get("params")).get("_meta"))
    level = meta.get(LEVEL_KEY)
    of_request = level if isinstance(level, str) and level in LEVELS else None
    token = _level.set(of_request if VERSION_KEY in meta else _OF_CONNECTION)
    try:
        yield
    finally:
        _level.reset(token)


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
