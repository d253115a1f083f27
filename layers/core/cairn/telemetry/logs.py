"""Write log lines to standard error as JSON, one document a line, through Powertools for AWS Lambda."""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.logging.types import LogRecord

from cairn.telemetry import record as telemetry

_NAME: Final = "cairn"
_MAY_HOLD_CONTENT: Final = frozenset({"exception", "exception_notes", "stack_trace"})


class LogLines(LambdaPowertoolsFormatter):
    """Formats a log record with the request's id; of an exception only its class, since its text may hold content."""

    def __init__(self) -> None:
        """Write times as RFC 3339 in UTC."""
        super().__init__(utc=True, use_rfc3339=True)  # pyright: ignore[reportUnknownMemberType]

    def serialize(self, log: LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {name: value for name, value in log.items() if name not in _MAY_HOLD_CONTENT}
        call: telemetry.CallRecord | None = line.pop("call", None)
        if call is not None:
            line |= call.line()
        elif (running := telemetry.current()) is not None:
            line["request_id"] = running.request_id
        return super().serialize(line)


def configure(metrics: str | None = None) -> None:
    """Send this package's log lines to standard error, once, and its metrics too where their namespace is given.

    Standard output may be a protocol's. Lambda takes lines from both. A line that cannot be written fails no call:
    `logging` sees to that.
    """
    logger = logging.getLogger(_NAME)
    if logger.handlers:
        return
    Logger(service=_NAME, level="INFO", stream=sys.stderr, logger_formatter=LogLines())
    logger.propagate = False
    if metrics:
        from cairn.telemetry.metric_lines import metric_handler  # noqa: PLC0415 - there are none on one machine

        logger.addHandler(metric_handler(metrics, sys.stderr))
