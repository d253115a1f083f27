"""One wide JSON log line per call, and the request id on every other line logged meanwhile. Never content."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb

from cairn.domain.errors import SettingsError
from cairn.domain.ids import Tenant

_logger = logging.getLogger("cairn")


@dataclass(slots=True)
class CallRecord:
    """What is known about the call so far; `status` is "OK" or an error code, `failed_at` is "file:line".

    `heuristic` is "ok" or "failed" where a language model was asked, and then `heuristic_failure` says why. `counts` is
    what a job met, and `tool` then its kind.
    """

    request_id: str
    tool: str | None = None
    tenant: str | None = None
    project: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    status: str = "OK"
    failure: str | None = None
    failed_at: str | None = None
    heuristic: str | None = None
    heuristic_failure: str | None = None
    counts: Mapping[str, int] | None = None
    latency_ms: float = 0.0

    def name_tenant(self, tenant: Tenant) -> None:
        """Note the tenant as the first 12 digits of its SHA-256."""
        self.tenant = sha256(tenant.encode()).hexdigest()[:12]

    def fail(self, error: Exception) -> None:
        """Note an unexpected error's class and place; its message may hold content, unless it names a setting."""
        said = f": {error}" if isinstance(error, SettingsError) else ""
        self.failure = type(error).__name__ + said
        frames = extract_tb(error.__traceback__)
        self.failed_at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else None


_current: ContextVar[CallRecord | None] = ContextVar("cairn_call", default=None)


@contextmanager
def recorded(request_id: str) -> Generator[CallRecord]:
    """Yield the record of this call and log it at the end.

    What a door has begun to record goes on being recorded; a further tool in the same request gets a record of its own.
    """
    outer = _current.get()
    if outer is not None and outer.tool is None:
        yield outer
        return
    record = CallRecord(request_id)
    token = _current.set(record)
    started = time.perf_counter()
    try:
        yield record
    finally:
        record.latency_ms = round((time.perf_counter() - started) * 1000, 3)
        _logger.log(logging.ERROR if record.failure else logging.INFO, "call", extra={"call": asdict(record)})
        _current.reset(token)


def note_heuristic(outcome: str, failure: str | None = None) -> None:
    """Note on the record of the current call, if there is one, what came of asking a language model."""
    if (record := _current.get()) is not None:
        record.heuristic, record.heuristic_failure = outcome, failure


class JsonLines(logging.Formatter):
    """A log record as one line of JSON; of an exception only its class, since its text may hold content."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        current = _current.get()
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname,
            "message": record.getMessage(),
            "request_id": current.request_id if current else None,
        }
        if record.exc_info and record.exc_info[0]:
            line["failure"] = record.exc_info[0].__name__
        line |= getattr(record, "call", {})
        return json.dumps({name: value for name, value in line.items() if value is not None})


def configure() -> None:
    """Send this package's log lines to standard error as JSON, once; standard output may be a protocol's."""
    if not _logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        _logger.addHandler(handler)
        _logger.setLevel(logging.INFO)
        _logger.propagate = False
