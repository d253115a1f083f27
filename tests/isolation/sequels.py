"""Calls about what a call before them made: drawn by themselves they would hardly name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from cairn.custody.task import TaskKind
from isolation.answers import fields_of
from isolation.names import PROJECTS, Names, text
from isolation.stage import Door, Party, Seen, Step

_DOORS: Final[Sequence[Door]] = ("http", "mcp")
_WHERE: Final = frozenset({"project", "session_id", "user_id"})
_OWNER: Final = frozenset({"project", "session_id", "user_id", "whose"})
_KNOWN: Final = frozenset({"project", "user_id"})
_KINDS: Final[Sequence[TaskKind]] = ("export", "erase", "reindex")
_A_TURN: Final = frozenset({"project", "session_id", "turn_id"})


def sequels(draw: Random, step: Step, seen: Seen) -> Iterator[Step]:
    """Yield what may follow: a turn is taken back, an archived session is read, a memory is forgotten, a key is ended.

    What was surveyed is exported, erased or indexed anew, which is done before it is looked at.
    """
    match step.tool:
        case "memory_after_turn" if draw.random() < 0.3:
            yield _after(step, "memory_take_back_turn", _named(step, _A_TURN))
        case "store_session_to_cascade" if pointer := fields_of(step, seen).get("pointer"):
            yield _after(step, "retrieve_session_from_cascade", {"pointer": pointer})
        case "remember" if draw.random() < 0.5:
            yield from letting_go(step, seen)
        case "memory_create_key" if made := fields_of(step, seen).get("made"):
            yield _after(step, "memory_rotate_key", {"key_id": made["id"], "hours": draw.choice([0, 1])})
            yield _after(step, "memory_revoke_key", {"key_id": made["id"]})
            yield _after(step, "memory_list_keys", {})
            yield _after(step, "memory_list_policies", {})
        case "memory_write_file" if fields_of(step, seen).get("version"):
            yield from of_a_file(step)
        case "memory_survey" if digest := fields_of(step, seen).get("digest"):
            wanted = {"kind": draw.choice(_KINDS), "digest": digest}
            yield _after(step, "memory_start_task", {**_named(step, _KNOWN), **wanted})
        case "memory_start_task" if task := fields_of(step, seen).get("task_id"):
            yield Step(party=step.party, door="jobs", at=step.at)
            yield _after(step, "memory_list_tasks", {})
            yield _after(step, "memory_get_export", {"task_id": task})
        case _:
            pass


def of_a_file(step: Step) -> Iterator[Step]:
    """Yield calls about a file that was just written: it is read whole and by a model, edited, moved and deleted."""
    whose, path = _named(step, _OWNER), step.arguments["path"]
    moved = f"{path}.old"
    yield _after(step, "memory_read_file", {**whose, "path": path})
    yield _after(step, "memory_list_files", {**whose, "path": path})
    yield _after(step, "memory", {**whose, "command": "view", "path": path})
    yield _after(
        step, "memory", {**whose, "command": "insert", "path": path, "insert_line": 0, "insert_text": "It is."}
    )
    yield _after(step, "memory", {**whose, "command": "rename", "old_path": path, "new_path": moved})
    yield _after(step, "memory", {**whose, "command": "view", "path": "/memories"})
    yield _after(step, "memory", {**whose, "command": "delete", "path": moved})


def letting_go(step: Step, seen: Seen) -> Iterator[Step]:
    """Yield calls that correct, forget and restore what was just kept, where it was, and ask for what was forgotten."""
    if memory := fields_of(step, seen).get("memory_id"):
        where, known = _named(step, _WHERE), {**_named(step, _KNOWN), "memory_id": memory}
        yield _after(step, "memory_pin", {**known, "pinned": False})
        yield _after(step, "memory_correct", {**known, "content": "It is otherwise."})
        yield _after(step, "forget", {**where, "memory_id": memory, "reason": "It was not so."})
        yield _after(step, "recall", {**where, "include_superseded": True, "limit": 50})
        yield _after(step, "forget", {**where, "memory_id": memory, "undo": True})
        yield _after(step, "memory_restore", known)


def keeping(draw: Random, names: Names, parties: Sequence[Party], credential: dict[str, str]) -> list[Step]:
    """Return calls by which all parties keep the same, under the same names where these are not their own."""
    said, scope = text(draw), draw.choice(["session", "user", "project", "user_everywhere"])
    session, user = draw.choice(names.of["session_id"]), draw.choice(names.of["user_id"])
    project = draw.choice(names.of.get("project", PROJECTS))
    return [
        Step(
            party=party,
            door=draw.choice(_DOORS),
            at=0.0,
            tool="remember",
            arguments={
                "project": (party.projects or (project,))[0],
                "session_id": session,
                "user_id": party.user or user,
                "content": said,
                "scope": scope,
            },
            credential={**credential, **party.bounds},
        )
        for party in parties
    ]


def _after(step: Step, tool: str, arguments: dict[str, Any]) -> Step:
    return replace(step, tool=tool, arguments=arguments, stolen=frozenset())


def _named(step: Step, fields: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in step.arguments.items() if name in fields}
