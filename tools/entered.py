"""A pytest plugin: note how long each test took and which functions of a directory it entered.

ENTERED names the directory, and NOTES the file of JSON lines to which every process adds, a test a line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

_CODES: dict[int, CodeType] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note one test with its fixtures."""
    _CODES.clear()
    begun = time.perf_counter()
    threading.settrace(_entered)
    sys.settrace(_entered)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # pyright: ignore[reportArgumentType] - it takes None, as its documentation says
        _note(item.nodeid, time.perf_counter() - begun)


def _entered(frame: FrameType, _event: str, _argument: object) -> None:
    _CODES[id(frame.f_code)] = frame.f_code


def _note(test: str, seconds: float) -> None:
    directory = os.environ["ENTERED"] + os.sep
    found = [code for code in list(_CODES.values()) if code.co_filename.startswith(directory)]
    functions = {(Path(code.co_filename).name, code.co_qualname.partition(".<")[0]) for code in found}
    line = json.dumps({"test": test, "seconds": seconds, "functions": sorted(functions)})
    with Path(os.environ["NOTES"]).open("a", encoding="utf-8") as notes:
        notes.write(f"{line}\n")
