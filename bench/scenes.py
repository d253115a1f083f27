"""A call of every tool as an agent makes it, about one session and one user, and whatever has to be there before it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from processes import Cost, Deployment, Process

SEED = 7
PROJECT = "bench"
TEXT_BYTES = 1000
"""How much the user says in a turn, and how much the model answers."""
SECONDS_PER_TURN = 40
VALUE_BYTES = 200
CONTENT_BYTES = 120
CONVERSATION = Path(__file__).parents[1] / "layers/core/cairn/local/demo/conversations/marta.json"
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Place:
    """Whose session it is."""

    session: str
    user: str

    @property
    def names(self) -> dict[str, Any]:
        """Return the arguments that name it."""
        return {"project": PROJECT, "session_id": self.session}

    @property
    def namespace(self) -> str:
        """Return its namespace of key-value memory."""
        return f"session.{self.session}"


HERE, ELSEWHERE = Place("long", "ada"), Place("other", "bo")


@dataclass(frozen=True, slots=True)
class Scene:
    """A call of a tool; `arguments` may first do, as another call of this process, what the call builds upon."""

    tool: str
    kind: str
    arguments: Callable[[Process, Place], Mapping[str, Any]]

    @property
    def name(self) -> str:
        """Return what tells the scene from the tool's others."""
        return f"{self.tool}, {self.kind}" if self.kind else self.tool


def speech(size: int) -> str:
    """Return that many bytes of the shipped conversation, from where the last speech ended."""
    said = ""
    while len(said.encode()) < size:
        said += next(_lines) + " "
    return said.encode()[:size].decode(errors="ignore")


def prose(size: int) -> str:
    """Return that many bytes of words of the conversation in any order: what repeats would pack too well."""
    said = ""
    while len(said.encode()) < size:
        said += _random.choice(_words) + " "
    return said.encode()[:size].decode(errors="ignore")


def turn(place: Place, size: int = TEXT_BYTES) -> dict[str, Any]:
    """Return the arguments that store one more turn, of twice that size."""
    text = speech if size <= TEXT_BYTES else prose
    return {
        **place.names,
        "user_id": place.user,
        "turn_id": f"turn-{next(_numbers)}",
        "input_items": [{"role": "user", "content": text(size)}],
        "output_items": [{"role": "assistant", "content": text(size)}],
    }


def preparation(place: Place, size: int = TEXT_BYTES) -> dict[str, Any]:
    """Return the arguments that prepare a turn, in which the user says so many bytes."""
    return {**place.names, "user_id": place.user, "current_input": speech(size)}


def note(place: Place, size: int = CONTENT_BYTES) -> dict[str, Any]:
    """Return the arguments that remember one thing more for the user."""
    content = f"{next(_numbers)}: {prose(size)}"[:size]
    return {**place.names, "user_id": place.user, "content": content, "scope": "user"}


def value(place: Place, size: int = VALUE_BYTES, key: str = "", **more: Any) -> dict[str, Any]:
    """Return the arguments that put a value, under a new key unless told."""
    key = key or f"plan/{next(_numbers)}"
    return {"namespace": place.namespace, "key": key, "value": prose(size - 2), **more}


def archived(place: Place, size: int = TEXT_BYTES) -> dict[str, Any]:
    """Return the arguments that archive one more session."""
    session = {
        "timestamp": "2026-03-01T12:00:00Z",
        "tool_name": "bench",
        "success": True,
        "summary": f"Run {next(_numbers)}. " + prose(size),
    }
    return {"session_id": place.session, "tags": ["garden", "beans"], "session": session}


def fill(deployment: Deployment, place: Place, turns: int) -> Cost:
    """Store turns as an agent does; return what it took to index their log as it asked for it."""
    indexing = Cost()
    for _ in range(turns):
        deployment.clock.sleep(SECONDS_PER_TURN)
        deployment.tool("memory_after_turn", turn(place))
        indexing = indexing + deployment.work_off()
    return indexing


def _of_example(tool: str) -> Scene:
    return Scene(tool, "", lambda process, _: process.example(tool))


def _begin(_: Process, place: Place) -> Mapping[str, Any]:
    return {"phase": "begin", **preparation(place), "turn_id": f"turn-{next(_numbers)}"}


def _commit(process: Process, place: Place) -> Mapping[str, Any]:
    token = process.call("memory_run_turn", _begin(process, place))["operation_token"]
    return {"phase": "commit", "operation_token": token, "output_items": turn(place)["output_items"]}


def _prompted(process: Process, place: Place) -> Mapping[str, Any]:
    of_agent = {**place.names, "user_id": place.user, "agent": "claude-code"}
    process.call("memory_hook", {**of_agent, "event": {"hook_event_name": "SessionEnd"}})
    turn_id = f"turn-{next(_numbers)}"
    event = {"hook_event_name": "UserPromptSubmit", "prompt_id": turn_id, "prompt": prose(TEXT_BYTES)}
    return {**of_agent, "event": event}


def _answered(process: Process, place: Place) -> Mapping[str, Any]:
    told = _prompted(process, place)
    process.call("memory_hook", told)
    turn_id = told["event"]["prompt_id"]
    event = {"hook_event_name": "Stop", "prompt_id": turn_id, "last_assistant_message": prose(TEXT_BYTES)}
    return {**told, "event": event}


def _known(process: Process, place: Place) -> Mapping[str, Any]:
    process.call("putMemory", value(place, key="plan/known"))
    return value(place, key="plan/known")


def _existing(process: Process, place: Place) -> Mapping[str, Any]:
    given = value(place)
    process.call("putMemory", given)
    return {"namespace": given["namespace"], "key": given["key"]}


def _remembered(process: Process, place: Place) -> Mapping[str, Any]:
    name = process.call("remember", note(place))["memory_id"]
    return {**place.names, "user_id": place.user, "memory_id": name, "reason": "It changed."}


def _stored(process: Process, place: Place) -> Mapping[str, Any]:
    return {"pointer": process.call("store_session_to_cascade", archived(place))["pointer"]}


def _just_said(process: Process, place: Place) -> Mapping[str, Any]:
    said = turn(place)
    process.call("memory_after_turn", said)
    return {**place.names, "turn_id": said["turn_id"]}


def _asked(place: Place) -> dict[str, Any]:
    return {**place.names, "user_id": place.user, "query": "Where does Marta want to move?", "limit": 5}


def _pipe(_: Process, place: Place) -> Mapping[str, Any]:
    steps = (("memory_before_turn", preparation(place)), ("recall", _asked(place)))
    return {"steps": [{"id": tool, "tool": tool, "arguments": given} for tool, given in steps]}


BEFORE = Scene("memory_before_turn", "", lambda _, place: preparation(place))
AFTER = Scene("memory_after_turn", "", lambda _, place: turn(place))
REMEMBER = Scene("remember", "", lambda _, place: note(place))
RECALL = Scene("recall", "", lambda _, place: _asked(place))
FORGET = Scene("forget", "", _remembered)
CONTEXT = Scene("getContext", "", lambda _, place: {**place.names, "include_history": True})
SCENES = (
    BEFORE,
    AFTER,
    Scene("memory_run_turn", "begin", _begin),
    Scene("memory_run_turn", "commit", _commit),
    Scene("memory_hook", "prompt", _prompted),
    Scene("memory_hook", "answer", _answered),
    Scene("memory_run_maintenance", "", lambda _, place: place.names),
    Scene("memory_list_dir_with_abstract", "", lambda _, place: {**place.names, "depth": 2}),
    Scene("store_session_to_cascade", "", lambda _, place: archived(place)),
    Scene("query_cascade_memories", "by tag", lambda _, __: {"tags": ["garden"], "limit": 5}),
    Scene("query_cascade_memories", "by words", lambda _, __: {"query": "bean", "limit": 5}),
    Scene("retrieve_session_from_cascade", "", _stored),
    _of_example("estimate_storage_cost"),
    Scene("listMemory", "", lambda _, place: {"namespace": place.namespace, "prefix": "plan/"}),
    Scene("getMemory", "", _existing),
    Scene("putMemory", "new key", lambda _, place: value(place)),
    Scene("putMemory", "new key that expires", lambda _, place: value(place, ttl_seconds=600)),
    Scene("putMemory", "known key", _known),
    Scene("deleteMemory", "", _existing),
    Scene("mcp_pipe", "two steps", _pipe),
    CONTEXT,
    REMEMBER,
    RECALL,
    FORGET,
    _of_example("oc_diagnostic_pod_health"),
    _of_example("memory_list_tools"),
    Scene("memory_list_projects", "", lambda _, __: {"limit": 20}),
    Scene("memory_list_users", "", lambda _, __: {"project": PROJECT}),
    Scene("memory_list_sessions", "of a user", lambda _, place: {"project": PROJECT, "user_id": place.user}),
    Scene("memory_list_sessions", "of all", lambda _, __: {"project": PROJECT}),
    Scene("memory_list_items", "", lambda _, place: {**place.names, "order": "newest", "limit": 20}),
    Scene("memory_list_known", "", lambda _, place: {"project": PROJECT, "user_id": place.user}),
    Scene("memory_take_back_turn", "", _just_said),
)


def _conversation() -> Iterator[str]:
    sessions = json.loads(CONVERSATION.read_text(encoding="utf-8"))["sessions"]
    turns = [turn for session in sessions for turn in session["turns"]]
    return cycle(text for turn in turns for text in (turn["user"], turn["assistant"]))


_lines = _conversation()
_words = [word for text in islice(_conversation(), 40) for word in text.split() if word.isalpha() and word.islower()]
_random = Random(SEED)  # noqa: S311 - texts, no secrets
