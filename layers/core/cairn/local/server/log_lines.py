"""The log of `cairn serve`: one line a call, for people on a terminal and JSON elsewhere; or less, or all of it."""

from __future__ import annotations

import logging
import sys
from datetime import datetime
from typing import Literal, TypeAlias

from cairn.telemetry import logs
from cairn.telemetry.metrics import OK
from cairn.telemetry.record import CallRecord

Verbosity: TypeAlias = Literal["quiet", "calls", "all"]
"""Warnings and errors alone; beside them a line a call; or all that Lambda logs too."""


def configure(verbosity: Verbosity) -> None:
    """Send the log to standard error."""
    logs.configure()
    for handler in logging.getLogger("cairn").handlers:
        if verbosity != "all":
            handler.addFilter(_Calls(calls=verbosity == "calls"))
        if sys.stderr.isatty():
            handler.setFormatter(HumanLines())


class HumanLines(logging.Formatter):
    """Formats a record for a person: time, what was called, how it ended, how long it took, and where."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, which holds names and numbers and never content."""
        at = f"{datetime.fromtimestamp(record.created):%H:%M:%S}"  # noqa: DTZ006 - a terminal's own time
        call: CallRecord | None = getattr(record, "call", None)
        if call is None:
            return f"{at} {record.levelname.lower()}: {record.getMessage()}"
        where = "/".join(name for name in (call.project, call.session_id) if name)
        line = f"{at} {call.tool or 'no tool':<30} {call.status:<20} {call.latency_ms:7.1f} ms  {where}".rstrip()
        return f"{line}  {call.failure} at {call.failed_at}" if call.failure else line


class _Calls(logging.Filter):
    """Lets through warnings, errors and, where `calls` are wanted, the line of each call and of a job that failed."""

    def __init__(self, *, calls: bool) -> None:
        super().__init__()
        self._calls = calls

    def filter(self, record: logging.LogRecord) -> bool:
        call: CallRecord | None = getattr(record, "call", None)
        if record.levelno >= logging.WARNING or call is None:
            return record.levelno >= logging.WARNING
        # A job is no call of anybody's: it has no family.
        return self._calls and (call.namespace is not None or call.status != OK)
