"""A call of every tool that is on in AWS as its callers make it, about one session and one user, and what is before it.

Tools that are on on one machine alone walk the whole store there, and ask nothing of AWS.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from processes import Cost, Deployment, Process
from recall_sets import FITTED_ON, read

SEED = 7
PROJECT = "bench"
TEXT_BYTES = 1000
"""How much the user says in a turn, and how much the model answers."""
SECONDS_PER_TURN = 40
VALUE_BYTES = 200
DOCUMENT_COLLECTIONS = 10
LOG, ITEMS_AT_ONCE = "thread", 2
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
    return _of(_lines, size)


def talk(size: int) -> str:
    """Return that many bytes of half a megabyte of conversations: a process that was told the last ones knows none."""
    return _of(_much, size)


def _of(lines: Iterator[str], size: int) -> str:
    said = ""
    while len(said.encode()) < size:
        said += next(lines) + " "
    return said.encode()[:size].decode(errors="ignore")


def prose(size: int) -> str:
    """Return that many bytes of words of the conversation in any order: what repeats would pack too well."""
    said = ""
    while len(said.encode()) < size:
        said += _random.choice(_words) + " "
    return said.encode()[:size].decode(errors="ignore")


def turn(place: Place, size: int = TEXT_BYTES, speech: Callable[[int], str] = speech) -> dict[str, Any]:
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
        indexing = sum(deployment.work_off(), indexing)
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
    return {**place.names, **_known_memory(process, place), "reason": "It changed."}


def _known_memory(process: Process, place: Place) -> dict[str, Any]:
    name = process.call("remember", note(place))["memory_id"]
    return {"project": PROJECT, "user_id": place.user, "memory_id": name}


def _wrong(process: Process, place: Place) -> Mapping[str, Any]:
    return {**_known_memory(process, place), "content": f"{next(_numbers)}: {prose(CONTENT_BYTES)}"}


def _let_go(process: Process, place: Place) -> Mapping[str, Any]:
    known = _known_memory(process, place)
    process.call("forget", known)
    return known


def _believed(process: Process, place: Place) -> Mapping[str, Any]:
    where, mill = {"project": PROJECT, "user_id": place.user}, next(_numbers)
    said = {"turn_id": f"turn-{mill}", "input_items": f"I like mill number {mill}.", "output_items": "Noted."}
    process.call("memory_after_turn", {**place.names, "user_id": place.user, **said})
    return {**where, "memory_id": process.call("memory_list_known", where)["facts"][0]["id"]}


def _made_key(process: Process, _: Place) -> Mapping[str, Any]:
    made = process.call("memory_create_key", process.example("memory_create_key"))["made"]
    return {"key_id": made["id"]}


def _stored(process: Process, place: Place) -> Mapping[str, Any]:
    return {"pointer": process.call("store_session_to_cascade", archived(place))["pointer"]}


def _just_said(process: Process, place: Place) -> Mapping[str, Any]:
    said = turn(place)
    process.call("memory_after_turn", said)
    return {**place.names, "turn_id": said["turn_id"]}


def _asked(place: Place) -> dict[str, Any]:
    return {**place.names, "user_id": place.user, "query": "Where does Marta want to move?", "limit": 5}


def document(place: Place, key: str = "", size: int = VALUE_BYTES, **more: Any) -> dict[str, Any]:
    """Return the arguments that put a document, under a new key unless told."""
    number = next(_numbers)
    told = {"collection": ["notes", f"{number % DOCUMENT_COLLECTIONS}"], "key": key or f"note-{number}"}
    return {
        **_of_owner(place),
        "documents": [{**told, "value": {"text": f"{number}: {prose(size)}"[:size], "n": number}, **more}],
    }


def _of_owner(place: Place) -> dict[str, Any]:
    return {"project": PROJECT, "user_id": place.user}


def _put_document(process: Process, place: Place) -> Mapping[str, Any]:
    given = document(place)
    process.call("memory_put_documents", given)
    return given


def _known_document(process: Process, place: Place) -> Mapping[str, Any]:
    (told,) = _put_document(process, place)["documents"]
    named = {"collection": told["collection"], "key": told["key"]}
    return {**_of_owner(place), "documents": [named]}


def _searched_documents(place: Place, **more: Any) -> dict[str, Any]:
    return {**_of_owner(place), "collection": ["notes"], "limit": 10, **more}


def _pipe(_: Process, place: Place) -> Mapping[str, Any]:
    steps = (("memory_before_turn", preparation(place)), ("recall", _asked(place)))
    return {"steps": [{"id": tool, "tool": tool, "arguments": given} for tool, given in steps]}


def _replayed(process: Process, place: Place) -> Mapping[str, Any]:
    return {"receipt": process.call("recall", _asked(place))["receipt"]}


def _new_branch(_: Process, place: Place) -> Mapping[str, Any]:
    return {**place.names, "action": "create", "name": f"try-{next(_numbers)}"}


def _made_branch(process: Process, place: Place, action: str) -> Mapping[str, Any]:
    made = _new_branch(process, place)
    (branch,) = process.call("memory_branch", made)["branches"]
    process.call("memory_after_turn", {**turn(place), "project": branch["project"]})
    return {"project": PROJECT, "action": action, "name": made["name"]}


BEFORE = Scene("memory_before_turn", "", lambda _, place: preparation(place))
AFTER = Scene("memory_after_turn", "", lambda _, place: turn(place))
REMEMBER = Scene("remember", "", lambda _, place: note(place))
RECALL = Scene("recall", "", lambda _, place: _asked(place))
FORGET = Scene("forget", "", _remembered)


def items(place: Place, log: str = "", size: int = TEXT_BYTES) -> dict[str, Any]:
    """Return the arguments that append two items of so many bytes, to a log of their own unless told."""
    numbers = [next(_numbers) for _ in range(ITEMS_AT_ONCE)]
    told = [{"id": f"item-{number}", "data": {"role": "user", "content": _ITEM[:size]}} for number in numbers]
    return {**_of_owner(place), "log": log or f"log-{numbers[0]}", "items": told}


def file_command(place: Place, command: str, path: str = "", **more: Any) -> dict[str, Any]:
    """Return the arguments of a command on a memory file, a new one unless told."""
    return {**_of_owner(place), "command": command, "path": path or f"/memories/{next(_numbers)}.md", **more}


def _made_file(process: Process, place: Place, **more: Any) -> str:
    given = file_command(place, "create", file_text=f"First line.\n{prose(TEXT_BYTES)}", **more)
    process.call("memory", given)
    return str(given["path"])


def _viewed_file(process: Process, place: Place) -> Mapping[str, Any]:
    return file_command(place, "view", _made_file(process, place))


def _edited_file(process: Process, place: Place) -> Mapping[str, Any]:
    path, operation = _made_file(process, place), f"edit-{next(_numbers)}"
    more = {"old_str": "First line.", "new_str": "A line.", "operation_id": operation}
    return file_command(place, "str_replace", path, **more)


def _written_file(process: Process, place: Place) -> Mapping[str, Any]:
    return {**_of_owner(place), "path": _made_file(process, place)}


def _file_to_replace(process: Process, place: Place) -> Mapping[str, Any]:
    return {**_written_file(process, place), "content": prose(TEXT_BYTES), "operation_id": f"write-{next(_numbers)}"}


def _known_operation(process: Process, place: Place) -> Mapping[str, Any]:
    given = {**_file_to_replace(process, place), "fingerprint": "f"}
    process.call("memory_write_file", given)
    return {**_of_owner(place), "operation_id": given["operation_id"], "fingerprint": "f"}


def _of_log(place: Place) -> dict[str, Any]:
    return {**_of_owner(place), "log": LOG}


def _taken_back(process: Process, place: Place) -> Mapping[str, Any]:
    process.call("memory_append_items", items(place, LOG))
    return {**_of_log(place), "operation_id": f"undo-{next(_numbers)}", "count": ITEMS_AT_ONCE}


def _known_item(process: Process, place: Place) -> Mapping[str, Any]:
    given = items(place, LOG)
    process.call("memory_append_items", given)
    return {**_of_log(place), "ids": [given["items"][0]["id"]]}


def _read_items(process: Process, place: Place) -> Mapping[str, Any]:
    process.call("memory_append_items", items(place, LOG))
    return {**_of_log(place), "limit": ITEMS_AT_ONCE}


ITEM_SCENES = (
    Scene("memory_append_items", "a new log", lambda _, place: items(place)),
    Scene("memory_append_items", "2 items of 1 KB", lambda _, place: items(place, LOG)),
    Scene("memory_read_items", "the newest 2", _read_items),
    Scene("memory_take_back_items", "2 items", _taken_back),
    Scene("memory_delete_items", "one", _known_item),
    Scene("memory_list_item_logs", "", lambda _, place: _of_owner(place)),
)
BRANCH_SCENES = (
    Scene("memory_branch", "create, of a session", _new_branch),
    Scene("memory_branch", "list", lambda _, __: {"project": PROJECT, "action": "list"}),
    Scene("memory_branch", "merge a turn", partial(_made_branch, action="merge")),
    Scene("memory_branch", "drop", partial(_made_branch, action="drop")),
)
FILE_SCENES = (
    Scene("memory", "create a file", lambda _, place: file_command(place, "create", file_text=prose(TEXT_BYTES))),
    Scene("memory", "view a file", _viewed_file),
    Scene("memory", "view all", lambda _, place: {**_of_owner(place), "command": "view", "path": "/memories"}),
    Scene("memory", "edit a file", _edited_file),
    Scene("memory_read_file", "", _written_file),
    Scene("memory_write_file", "known file", _file_to_replace),
    Scene("memory_list_files", "", lambda _, place: _of_owner(place)),
    Scene("memory_find_operation", "", _known_operation),
)
DOCUMENT_SCENES = (
    Scene("memory_put_documents", "new", lambda _, place: document(place)),
    Scene("memory_put_documents", "known", _put_document),
    Scene("memory_get_documents", "", _known_document),
    Scene(
        "memory_search_documents", "by words", lambda _, place: _searched_documents(place, query="a bean in the sun")
    ),
    Scene("memory_search_documents", "in order", lambda _, place: _searched_documents(place)),
    Scene("memory_list_collections", "", lambda _, place: _of_owner(place)),
)
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
    Scene("memory_list_changes", "", lambda _, place: {"project": PROJECT, "user_id": place.user}),
    Scene("memory_count_changes", "of a user", lambda _, place: {"project": PROJECT, "user_id": place.user}),
    Scene("memory_count_changes", "of all", lambda _, __: {"project": PROJECT}),
    Scene("memory_correct", "", _wrong),
    Scene("memory_restore", "", _let_go),
    Scene("memory_pin", "", _believed),
    Scene("memory_take_back_turn", "", _just_said),
    _of_example("memory_tell_health"),
    _of_example("memory_release"),
    _of_example("memory_create_key"),
    Scene("memory_rotate_key", "", _made_key),
    Scene("memory_revoke_key", "", _made_key),
    *DOCUMENT_SCENES,
    *ITEM_SCENES,
    *FILE_SCENES,
    *map(_of_example, ("memory_list_keys", "memory_list_policies", "memory_list_settings")),
    *map(_of_example, ("memory_list_calls", "memory_check_calls", "memory_tell_costs")),
    Scene("memory_list_receipts", "", lambda _, place: place.names),
    Scene("memory_replay", "a recall", _replayed),
    *BRANCH_SCENES,
)


def _conversation(*, goes_on: bool = False) -> Iterator[str]:
    """Yield the shipped conversation again and again; where it `goes_on`, half a megabyte of others comes between."""
    sessions = json.loads(CONVERSATION.read_text(encoding="utf-8"))["sessions"]
    shipped = (turn[who] for session in sessions for turn in session["turns"] for who in ("user", "assistant"))
    others = read(FITTED_ON) if goes_on else ()
    return cycle(chain(shipped, (text.said for each in others if each.language == "en" for text in each.texts)))


_lines, _much = _conversation(), _conversation(goes_on=True)
_words = [word for text in islice(_conversation(), 40) for word in text.split() if word.isalpha() and word.islower()]
_ITEM = " ".join(islice(_conversation(), 40))
_random = Random(SEED)  # noqa: S311 - texts, no secrets
