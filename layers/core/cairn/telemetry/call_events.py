"""Events at the start and the end of every tool call, including refused calls and unknown tools."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol, cast

from cairn.ground import ids
from cairn.ground.errors import CairnError, InvalidArgument

_logger = logging.getLogger("cairn")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """A call starts; `args` are its arguments as they came, `declared` the names that the tool takes, if it exists."""

    request_id: str
    id: str
    name: str
    session: str | None
    args: object = field(repr=False)
    declared: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """A call ended after so many milliseconds, with an answer or with the error that its caller sees."""

    call: CallStarted
    is_error: bool
    content: Mapping[str, Any] = field(repr=False)
    duration_ms: float


class CallObserver(Protocol):
    """Receives the events of calls; it must not fail."""

    def tool_call(self, event: CallStarted) -> None:
        """Take note that a call starts."""
        ...

    def tool_result(self, event: CallEnded) -> None:
        """Take note that it ended."""
        ...


class LoggedCalls:
    """Logs both events: only the names of arguments, and of results only whether they are errors."""

    def tool_call(self, event: CallStarted) -> None:
        """Write a line."""
        given = cast("dict[str, object]", event.args) if isinstance(event.args, dict) else {}
        _log("tool_call", event, args=dict.fromkeys((name for name in event.declared if name in given), "…"))

    def tool_result(self, event: CallEnded) -> None:
        """Write a line."""
        _log("tool_result", event.call, is_error=event.is_error, duration_ms=event.duration_ms)


class Observed:
    """A call under observation; set `answer` to what it returns."""

    def __init__(self) -> None:
        """Begin without an answer."""
        self.answer: dict[str, Any] = {}


@contextmanager
def observed(observer: CallObserver, event: CallStarted, shown: Callable[[CairnError], Any]) -> Generator[Observed]:
    """Tell the observer that a call starts, and when it ends its answer or the error, as `shown` has it."""
    started = monotonic()
    call = Observed()

    def tell(content: Mapping[str, Any], *, is_error: bool) -> None:
        milliseconds = round((monotonic() - started) * 1000, 3)
        observer.tool_result(CallEnded(call=event, is_error=is_error, content=content, duration_ms=milliseconds))

    observer.tool_call(event)
    try:
        yield call
    except CairnError as error:
        tell(shown(error), is_error=True)
        raise
    tell(call.answer, is_error=False)


def _log(message: str, event: CallStarted, **more: object) -> None:
    """Write a line that names a session only under a valid name, and a tool only if there is such a one."""
    try:
        session = ids.session_id(event.session) if event.session is not None else None
    except InvalidArgument:
        session = None
    fields = {"id": event.id, "name": event.name if event.declared else None, "session": session, **more}
    _logger.info(message, extra={"event": fields, "request_id": event.request_id})
