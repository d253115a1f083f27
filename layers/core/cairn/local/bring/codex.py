"""Codex's rollouts, as 0.169.0 writes them: `sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.

What the user said is told by events, apart from the messages of the user's role that the program itself makes, and from
the developer's, which hold what hooks added. A rollout of an agent that another one asked is passed over: its answer
is a result of the tool that asked. Longer ago events had other names, and turns none; then a prompt's time is its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from cairn.hooks.events import Answered, Prompted, ToolsUsed, ToolUse
from cairn.hooks.reading import Event, events, text
from cairn.local.bring.found import FoundTurn, Place, Unreadable
from cairn.local.bring.json_files import files, lines, moment, part
from cairn.local.bring.transcript import Step, turns_of

_Line: TypeAlias = tuple[Place, Event]
_CALL: Final = "_call"
_RESULT: Final = "_call_output"


def read(path: Path) -> Iterator[FoundTurn | Unreadable]:
    """Yield the turns of every session below a path; a turn that a fork has copied stands in its first session."""
    seen = set[str]()
    for file in files(path, "**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"):
        for found in _session(file):
            if isinstance(found, Unreadable) or found.turn not in seen:
                yield found
            if isinstance(found, FoundTurn):
                seen.add(found.turn)


def _session(file: Path) -> Iterator[FoundTurn | Unreadable]:
    told: list[_Line] = []
    for line in lines(file):
        if isinstance(line, Unreadable):
            yield line
        else:
            told.append(line)
    nothing: Event = {}
    meta = next((part(line, "payload") for _, line in told if text(line, "type") == "session_meta"), nothing)
    if not part(meta, "source") and text(meta, "thread_source") in {"", "user"}:
        yield from turns_of(text(meta, "id") or file.stem, text(meta, "cwd"), _steps(told))


def _steps(told: Sequence[_Line]) -> Iterator[Step]:
    has_items = any(_item(part(line, "payload"), "UserMessage") for _, line in told)
    turn, calls = "", dict[str, Event]()
    for place, line in told:
        kind, payload, at = text(line, "type"), part(line, "payload"), moment(line.get("timestamp"))
        turn = text(payload, "turn_id") or turn
        if kind == "event_msg" and (prompt := _prompt(payload, has_items=has_items)):
            yield Step(place, at, Prompted(turn or text(line, "timestamp"), prompt))
        elif kind == "response_item":
            for happened in _happened(payload, calls):
                yield Step(place, at, happened)


def _prompt(payload: Event, *, has_items: bool) -> str:
    if has_items:
        said = _item(payload, "UserMessage")
        return "\n".join(each for each in (text(one, "text") for one in events(said, "content")) if each)
    return text(payload, "message") if text(payload, "type") == "user_message" else ""


def _item(payload: Event, kind: str) -> Event:
    """Return the item of this kind that an event tells of, empty where it tells of none."""
    item = part(payload, "item")
    is_told = text(payload, "type") == "item_completed" and text(item, "type") == kind
    return item if is_told else {}


def _happened(item: Event, calls: dict[str, Event]) -> Iterator[ToolsUsed | Answered]:
    kind, call = text(item, "type"), text(item, "call_id")
    if kind == "message" and text(item, "role") == "assistant":
        answer = "\n".join(each for each in (text(one, "text") for one in events(item, "content")) if each)
        if answer:
            yield Answered(None, answer)
    elif kind.endswith(_CALL):
        calls[call] = item
    elif kind.endswith(_RESULT) and call in calls:
        asked = calls[call]
        given = next((asked[name] for name in ("arguments", "input", "action") if name in asked), None)
        name = text(asked, "name") or text(asked, "type").removesuffix(_CALL)
        yield ToolsUsed(None, (ToolUse(id=call, name=name, given=given, gave=item.get("output")),))
