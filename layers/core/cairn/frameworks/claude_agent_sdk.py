"""Claude's Agent SDK: a store of transcripts, so that a session goes on in another process or on another machine."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any, Final, NamedTuple, cast

from claude_agent_sdk import (
    SessionKey,
    SessionListSubkeysKey,
    SessionStore,
    SessionStoreEntry,
    SessionStoreListEntry,
    SessionSummaryEntry,
    fold_session_summary,
)

from cairn.client.again import Again
from cairn.client.items import ItemLog, LogSummary, steps_of
from cairn.client.log_data import given, held, log_name
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import Conflict, ResourceBusy

_SESSIONS: Final = "claude"
_SUBAGENTS: Final = "claude-subagents"
_MOST_KNOWN: Final = 1000
_ATTEMPTS: Final = 16
_PIECE: Final = 500_000
"""How much of a large entry's JSON an item holds; escaped once more, it is at most twice that."""
_PART: Final = "cairn/part"


class CairnSessionStore(SessionStore):
    """The transcripts of one user's sessions, or of everyone's in the project, each an item log.

    An entry is stored once by its `uuid`, the first that has it. The summary of a session is stored in the transaction
    that stores its entries.
    """

    def __init__(self, memory: Memory, *, user: str | None = None) -> None:
        """Take the memory, and whose sessions they are, if that is not the memory's user."""
        self._memory = memory
        self._user = user
        self._known = BoundedCache[str, _Transcript](entries=_MOST_KNOWN)

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Store entries in the order of the calls, also where their task is cancelled.

        Up to 64, and 1.5 MB, are stored all or none; a batch that failed and comes again is stored once.
        """
        if entries:
            transcript = self._transcript(key)
            before, ended = transcript.queue()
            try:
                await settled(lambda: transcript.append(entries, before))
            finally:
                ended.set_result(None)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return the entries of a transcript, None where there is none."""
        log = self._log(key)
        read = await to_thread(log.read)
        return list(_entries(item.data for item in read.items)) if read.revision else None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return a project's sessions and when each was written last."""
        found = await self.list_session_summaries(project_key)
        return [{"session_id": each["session_id"], "mtime": each["mtime"]} for each in found]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Return the summaries of a project's sessions."""
        logs = await self._logs(log_name(_SESSIONS, project_key))
        kept = [(json.loads(each.state), _milliseconds(each)) for each in logs if each.state]
        return [cast("SessionSummaryEntry", {**summary, "mtime": written}) for summary, written in kept]

    async def delete(self, key: SessionKey) -> None:
        """Delete a transcript; of a session all, those of its subagents first."""
        logs = [self._log(key)]
        if "subpath" not in key:
            subagents = await self._logs(log_name(_SUBAGENTS, key["project_key"], key["session_id"]))
            logs = [*(self._memory.items(each.log, user=self._user) for each in subagents), *logs]
        for log in logs:
            await settled(log.delete)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the subpaths of a session's other transcripts."""
        logs = await self._logs(log_name(_SUBAGENTS, key["project_key"], key["session_id"]))
        return [json.loads(each.state) for each in logs if each.state]

    def _transcript(self, key: SessionKey) -> _Transcript:
        log = self._log(key)
        return self._known.get_or_put(log.name, lambda: _Transcript(key, log))

    def _log(self, key: SessionKey) -> ItemLog:
        if key.get("subpath") == "":
            raise ValueError("subpath must not be empty: leave it out for a session's own transcript")
        parts = [key["project_key"], key["session_id"], *([key["subpath"]] if "subpath" in key else [])]
        return self._memory.items(log_name(_SUBAGENTS if "subpath" in key else _SESSIONS, *parts), user=self._user)

    async def _logs(self, prefix: str) -> list[LogSummary]:
        found = self._memory.item_logs(f"{prefix}/", with_state=True, user=self._user)
        return await to_thread(list, found)


class _State(NamedTuple):
    """What is known of a log: its revision, and the summary of its session."""

    revision: int = 0
    summary: SessionSummaryEntry | None = None


class _Line(NamedTuple):
    """An item to append, the name of the entry that it is of, and the entry if it ends with it."""

    id: str
    of: str
    data: Any
    entry: SessionStoreEntry | None


class _Transcript:
    """Appends to one transcript, one call after another; a new one is taken not to be there until the store says so."""

    def __init__(self, key: SessionKey, log: ItemLog) -> None:
        self._key = key
        self._log = log
        self._state: _State | None = _State()
        self._again = Again()
        self._last: Future[None] | None = None
        self._lock = Lock()

    def queue(self) -> tuple[Future[None] | None, Future[None]]:
        """Return the end of the call before, which has to be waited for, and the end of this one."""
        with self._lock:
            before, self._last = self._last, Future()
            return before, self._last

    def append(self, entries: Sequence[SessionStoreEntry], before: Future[None] | None) -> None:
        """Store entries once the call before has ended, however it did."""
        if before is not None:
            before.result()
        self._again.write(entries, lambda operation: self._append(entries, operation))

    def _append(self, entries: Sequence[SessionStoreEntry], operation: str) -> None:
        lines = {line.id: line for line in _lines(entries, operation)}
        refused: set[str] = set()
        for step in steps_of([{"id": line.id, "data": line.data} for line in lines.values()]):
            self._step([lines[item["id"]] for item in step], refused)

    def _step(self, lines: Sequence[_Line], refused: set[str]) -> None:
        """Store lines in one transaction, but those of refused entries: their uuid stands for another one."""
        for _ in range(_ATTEMPTS):
            new = [line for line in lines if line.of not in refused]
            if not new:
                return
            try:
                self._state = self._try(new, self._state or self._read())
            except Conflict as error:
                taken = cast("Sequence[str]", error.details.get("ids", ()))
                refused.update(line.of for line in new if line.id in taken)
                self._state = None
            else:
                return
        raise ResourceBusy("Too many calls are changing this session; try again", {"resource": "session"})

    def _try(self, lines: Sequence[_Line], known: _State) -> _State | None:
        """Return the state after an append; None where all of it was there, and with what summary is not known."""
        entries = [line.entry for line in lines if line.entry is not None]
        is_session = "subpath" not in self._key
        summary = fold_session_summary(known.summary, self._key, entries) if is_session else None
        done = self._log.append(
            [line.data for line in lines],
            ids=[line.id for line in lines],
            state=json.dumps(summary if is_session else self._key.get("subpath")),
            expected_revision=known.revision if is_session else None,
        )
        return None if done.replayed == len(lines) else _State(done.revision, summary)

    def _read(self) -> _State:
        found = self._log.read(1)
        return _State(found.revision, json.loads(found.state) if found.state else None)


def _lines(entries: Sequence[SessionStoreEntry], operation: str) -> Iterator[_Line]:
    """Yield what is stored of entries: each is an item, but a large one is several; the first of a uuid counts."""
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        name = entry.get("uuid") or f"{operation}:{number}"
        if name in seen:
            continue
        seen.add(name)
        text = json.dumps(entry)
        if len(text) <= _PIECE:
            yield _Line(_item_id(name), name, held(entry), entry)
            continue
        pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
        for place, piece in enumerate(pieces, 1):
            item_id = _item_id(name if place == 1 else f"{name}/{place}")
            part = {_PART: [_item_id(name), place, len(pieces)], "text": piece}
            yield _Line(item_id, name, part, entry if place == len(pieces) else None)


def _entries(kept: Iterable[Any]) -> Iterator[SessionStoreEntry]:
    """Yield the entries that were stored; one of which a part is missing was never stored whole."""
    parts: dict[str, dict[int, str]] = {}
    for data in kept:
        if data.keys() != {_PART, "text"}:
            yield given(data)
            continue
        name, place, count = data[_PART]
        there = parts.setdefault(name, {})
        there[place] = data["text"]
        if len(there) == count:
            yield json.loads("".join(there[place] for place in sorted(parts.pop(name))))


def _item_id(name: str) -> str:
    """Return an item's id; a uuid may be any text."""
    return log_name(name, most=180)


def _milliseconds(log: LogSummary) -> int:
    return int(log.updated_at.timestamp() * 1000)
