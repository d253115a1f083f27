"""Trace nine tools through their handlers, in the checkout whose Python runs this; print one JSON object.

`structure.py` runs it with that Python. It may be another checkout's, so this file imports the standard library only.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Frame: TypeAlias = tuple[str, str]
"""The file of a function that was entered, relative to the checkout, and the function's name."""
TOOLS = {
    "before_turn": "memory_before_turn",
    "after_turn": "memory_after_turn",
    "remember": "remember",
    "recall": "recall",
    "put": "putMemory",
    "get": "getMemory",
    "store": "store_session_to_cascade",
    "retrieve": "retrieve_session_from_cascade",
    "maintain": "memory_run_maintenance",
}
_OK = 200
# What the second call of a tool says in place of its sample, so that there is something to write.
_NEXT: Mapping[str, Mapping[str, Any]] = {
    "after_turn": {"turn_id": "turn-2", "input_items": [{"role": "user", "content": "I moved to Oslo in May."}]},
    "remember": {"content": "The south bed gets nine hours of sun; tomatoes go there."},
    "put": {"value": {"rows": 5}},
    "store": {"session_id": "tuesday"},
}


def main() -> None:
    """Call every tool twice and trace the second calls: in the first ones modules are loaded and the store is made."""
    checkout = Path(sys.argv[1]).resolve()
    pointer = None
    for name in ("after_turn", *(name for name in TOOLS if name != "after_turn")):
        pointer = _called(checkout, name, {}, pointer).get("pointer", pointer)
    counts: dict[str, Mapping[str, int]] = {}
    for name, tool in TOOLS.items():
        answer, frames = traced(partial(_called, checkout, name, _NEXT.get(name, {}), pointer), checkout)
        pointer = answer.get("pointer", pointer)
        counts[name] = counted(frames, (f"functions/cairn_tools/{tool}.py", tool))
    print(json.dumps(counts))


def traced(call: Callable[[], T], checkout: Path) -> tuple[T, list[Frame]]:
    """Return what the call returns, and each entry into a function of the checkout's packages meanwhile, in order.

    A generator is entered each time it is resumed. A thread counts if it starts during the call, since a tool runs in a
    thread that its caller waits for.
    """
    roots = tuple(f"{checkout / root}/" for root in ("layers/core/cairn", "functions"))
    frames: list[Frame] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(roots):
            frames.append((str(Path(path).relative_to(checkout)), frame.f_code.co_name))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        return call(), frames
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def counted(frames: Sequence[Frame], own: Frame) -> dict[str, int]:
    """Return how many folders and files the frames enter and how often they move on, in all and before `own`.

    A move is an entry into another file, or folder, than the entry before; returns are not counted.
    """
    files = [path for path, _ in frames]
    folders = [path.rpartition("/")[0] for path in files]
    before = files[: frames.index(own)]
    return {
        "folders": len(set(folders)),
        "files": len(set(files)),
        "moves between folders": _moves(folders),
        "moves between files": _moves(files),
        "files before": len(set(before)),
        "moves before": _moves(before),
    }


def _moves(places: Sequence[str]) -> int:
    return sum(one != other for one, other in pairwise(places))


def _called(checkout: Path, name: str, changes: Mapping[str, Any], pointer: str | None) -> dict[str, Any]:
    """Return the tool's answer to its sample event with these changes; `pointer` is what retrieve asks for."""
    tool = TOOLS[name]
    event = json.loads((checkout / "events" / "http" / f"{tool}.json").read_text(encoding="utf-8"))
    body = json.loads(event["body"]) | changes | ({"pointer": pointer} if name == "retrieve" else {})
    answer = import_module(f"cairn_tools.{tool}").handler(event | {"body": json.dumps(body)}, None)
    if answer["statusCode"] != _OK:
        raise RuntimeError(f"{tool} answers {answer['statusCode']}: {answer['body']}")
    return json.loads(answer["body"])


if __name__ == "__main__":
    main()
