"""A write on a thread ends before the task that waits for it does, however often that is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from cairn.client.settling import settled


class Refused(Exception):
    """What the write raises."""


def cancelled_thrice(write: Callable[[], str]) -> tuple[bool, BaseException | None]:
    """Cancel a task that waits for a write, and return whether it had waited and how it ended."""
    began, goes_on = threading.Event(), threading.Event()

    def held() -> str:
        began.set()
        assert goes_on.wait(10)
        return write()

    async def run() -> tuple[bool, BaseException | None]:
        task = asyncio.ensure_future(settled(held))
        await asyncio.to_thread(began.wait)
        for _ in range(3):
            task.cancel()
            for _ in range(3):  # so that the task has taken notice
                await asyncio.sleep(0)
        has_waited = not task.done()
        goes_on.set()
        (ended,) = await asyncio.gather(task, return_exceptions=True)
        return has_waited, ended if isinstance(ended, BaseException) else None

    return asyncio.run(run())


def test_the_answer_is_the_write_s() -> None:
    assert asyncio.run(settled(lambda: "stored")) == "stored"


def test_a_task_that_is_cancelled_often_waits_for_the_write_and_is_cancelled_then() -> None:
    has_waited, ended = cancelled_thrice(lambda: "stored")

    assert has_waited
    assert isinstance(ended, asyncio.CancelledError)


def test_a_write_that_fails_says_so_in_a_task_that_was_cancelled() -> None:
    def write() -> str:
        raise Refused

    has_waited, ended = cancelled_thrice(write)

    assert has_waited
    assert isinstance(ended, Refused)
