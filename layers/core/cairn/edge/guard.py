"""The guard around a call: one log line, nothing but a CairnError gets out, and an end in time.

What takes too long gets an answer before Lambda or the gateway cuts it off without one.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from cairn.ground.errors import CairnError, InternalError, Unavailable
from cairn.telemetry.record import CallRecord, recorded

T = TypeVar("T")

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

    def run() -> None:
        try:
            outcome.set_result(context.run(call))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the waiting thread raises it
            outcome.set_exception(error)

    Thread(target=run, daemon=True, name="call").start()
    if not wait((outcome,), max(seconds, 0)).done:
        raise Unavailable("The call took too long; it may have been done all the same")
    return outcome.result()
