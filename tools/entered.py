"""Learn which lines of a directory a piece of work enters."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Lines: TypeAlias = set[tuple[str, int]]


@contextmanager
def lines_entered(directory: Path) -> Generator[Lines]:
    """Yield the lines that are entered until this ends, of any thread, each with its file's path."""
    found, within = Lines(), str(directory) + os.sep

    def enter(frame: FrameType, _event: str, _argument: object) -> TraceFunction | None:
        if not frame.f_code.co_filename.startswith(within):
            return None
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return enter

    threading.settrace(enter)
    sys.settrace(enter)
    try:
        yield found
    finally:
        sys.settrace(None)
        threading.settrace(None)  # pyright: ignore[reportArgumentType] - it takes None, as its documentation says
