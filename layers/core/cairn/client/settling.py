"""Writes of programs on an event loop: each on a thread, and waited for until it is known how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

Answer = TypeVar("Answer")


async def settled(write: Callable[[], Answer]) -> Answer:
    """Run a write on a thread and return its answer, or raise its error.

    A thread cannot be stopped: where the task is cancelled meanwhile, the write is waited for all the same, its error
    raised, and the task cancelled only then.
    """
    doing = asyncio.ensure_future(asyncio.to_thread(write))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        while not doing.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait((doing,))
        doing.result()
        raise
