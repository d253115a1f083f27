"""The guard around a call: one log line, nothing but a CairnError gets out, and an end in time.

What takes too long gets an answer before Lambda or the gateway cuts it off without one.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias, TypeVar

from cairn.ground.errors import CairnError, InternalError, Unavailable
from cairn.telemetry.record import CallRecord, recorded

T = TypeVar("T")
_Inbox: TypeAlias = "SimpleQueue[Callable[[_Inbox], None]]"
_idle: deque[_Inbox] = deque()
"""The inboxes of threads that wait for a call: to start a thread for each costs more than much of what calls do."""
if hasattr(os, "register_at_fork"):  # which Windows has not; a child has none of the threads
    os.register_at_fork(after_in_child=_idle.clear)

GATEWAY_SECONDS = 29
"""How long a request may take; API Gateway gives up on it after 30."""
MARGIN_SECONDS = 2
"""What is left of a function's timeout to answer in."""


def in_lambda() -> bool:
    """Tell whether this process is a Lambda's; one of another machine lives for long, or belongs to a program."""
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ


def starting() -> None:
    """Have a Lambda collect no garbage until its first call is over: what it loads stays, and a look costs a tenth."""
    if in_lambda():
        gc.disable()


def _started() -> None:
    """Collect from now on, and pass over what is there by now."""
    if not gc.isenabled() and in_lambda():
        gc.freeze()
        gc.enable()


@contextmanager
def guarded(request_id: str) -> Generator[CallRecord]:
    """Record the call; an error that is no CairnError leaves as InternalError, its class and place in the log only."""
    with recorded(request_id) as record:
        try:
            yield record
        except CairnError as error:
            record.refuse(error)
            raise
        except Exception as error:  # noqa: BLE001 - the door: whatever failed, the caller gets an envelope
            record.status = InternalError.code
            record.fail(error)
            seen = {"request_id": record.request_id}
            raise InternalError("Something failed inside; the log has it under the request id", seen) from None
        finally:
            _started()


def left(context: object) -> float:
    """Return the seconds a call may take: what Lambda's context says is left, elsewhere what the gateway gives."""
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    return (remaining() / 1000 if remaining else GATEWAY_SECONDS) - MARGIN_SECONDS


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what the call returns, or raise Unavailable after so many seconds.

    A call that is given up may go on; what it still writes holds under the same conditions as ever.
    """
    outcome: Future[T] = Future()
    context = copy_context()

    def run(inbox: _Inbox) -> None:
        # Before the outcome is told: who waits for it finds the thread idle.
        try:
            result = context.run(call)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the waiting thread raises it
            _idle.append(inbox)
            outcome.set_exception(error)
        else:
            _idle.append(inbox)
            outcome.set_result(result)

    _idle_thread().put(run)
    if not wait((outcome,), max(seconds, 0)).done:
        raise Unavailable("The call took too long; it may have been done all the same")
    return outcome.result()


def _idle_thread() -> _Inbox:
    """Return the inbox of a thread that waits for work: a kept one, where all are busy a new one."""
    try:
        return _idle.pop()  # without a lock, since a deque's pop is atomic
    except IndexError:
        inbox: _Inbox = SimpleQueue()
        Thread(target=_work, args=(inbox,), daemon=True, name="call").start()
        return inbox


def _work(inbox: _Inbox) -> None:
    while True:
        inbox.get()(inbox)  # by no name: the thread holds nothing of a call while it waits
