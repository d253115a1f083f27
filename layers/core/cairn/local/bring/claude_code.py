"""Claude Code's transcripts, as 2.1.330 writes them: `projects/<folder>/<session>.jsonl`, a line for each message.

Beside what was said there are attachments, among them what hooks added, and lines of the program's own: none is read,
but for what the user says while the model is at work, which is of the turn that goes on. A session that is forked
begins with a copy of what was said before, under the fork's ids; it names the session that it is of. What other agents
did, which this one had asked, is in files or lines of its own; their answers are results of the tool that asked, or
come as notifications where nobody waited for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from cairn.hooks.claude_code import DELEGATING
from cairn.hooks.events import Answered, Delegated, Prompted, ToolsUsed, ToolUse
from cairn.hooks.reading import Event, events, text
from cairn.local.bring.found import FoundTurn, Place, Unreadable
from cairn.local.bring.json_files import files, lines, moment, part
from cairn.local.bring.transcript import Step, turns_of

_Line: TypeAlias = tuple[Place, Event]
_COMMAND: Final = re.compile(
    r"<command-name>(?P<name>.*?)</command-name>(?:.*<command-args>(?P<args>.*?)</command-args>)?", re.DOTALL
)
_ADDED: Final = re.compile(
    r"<(?P<tag>system-reminder|task-notification|(?:ide|bash|command|local-command|user-prompt-submit)[-_][a-z_-]+)>"
    r".*?</(?P=tag)>",
    re.DOTALL,
)
"""What the program adds to what the user said, or says in their place."""
_NOTIFIED: Final = re.compile(
    r"<task-notification>.*?<task-id>(?P<agent>.*?)</task-id>.*?<tool-use-id>(?P<call>.*?)</tool-use-id>"
    r".*?<result>(?P<answer>.*)</result>",
    re.DOTALL,
)
_LAUNCHED: Final = "async_launched"
"""The status of an agent whose answer nobody waits for."""
_INTERRUPTED: Final = "[Request interrupted by user"
_NOT_SAID: Final = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_QUEUED: Final = "queued_command"
_BY_PROGRAMS: Final = frozenset(
    {"task-notification", "auto-continuation", "plugin", "peer", "coordinator", "observer-activity"}
)
"""Kinds of origin of prompts that no user gave."""
_SYNTHETIC: Final = "<synthetic>"
"""The model of answers that no model gave."""


def read(path: Path) -> Iterator[FoundTurn | Unreadable]:
    """Yield the turns of every session below a path."""
    for file in files(path, "**/*.jsonl"):
        if file.parent.name != "subagents":
            yield from _session(file)


def _session(file: Path) -> Iterator[FoundTurn | Unreadable]:
    said: list[_Line] = []
    for line in lines(file):
        if isinstance(line, Unreadable):
            yield line
        elif _is_of_conversation(line[1]):
            said.append(line)
    folder = next((cwd for _, line in said if (cwd := text(line, "cwd"))), "")
    session = next((name for _, line in said if (name := text(line, "sessionId"))), file.stem)
    yield from turns_of(session, folder, _steps(said, _copied(said, session), file))


def _is_of_conversation(line: Event) -> bool:
    is_queued = text(part(line, "attachment"), "type") == _QUEUED
    return (is_queued or text(line, "type") in {"user", "assistant"}) and not any(map(line.get, _NOT_SAID))


def _copied(said: Sequence[_Line], session: str) -> dict[str, str]:
    """Return the prompts, by their lines' ids, that are copies of another session's, and that session's id."""
    found: dict[str, str] = {}
    prompt = ""
    for _, line in said:
        if _prompt(line):
            prompt, forked = text(line, "uuid"), text(part(line, "forkedFrom"), "sessionId")
            found.update({prompt: forked} if forked else {})
        elif (origin := text(line, "requestSessionId")) and origin != session:
            found[prompt] = origin
    return found


def _steps(said: Sequence[_Line], copied: dict[str, str], file: Path) -> Iterator[Step]:
    """Yield what happened. A prompt's name is that which hooks are told, but for copies and for a second one of it."""
    calls, named, turn, is_elsewhere = dict[str, Event](), set[str](), "", False
    for place, line in said:
        at, prompt = moment(line.get("timestamp")), _prompt(line)
        if prompt:
            own, name = text(line, "uuid") or text(line, "timestamp"), text(line, "promptId")
            origin = copied.get(own)
            is_elsewhere = origin is not None and file.with_name(f"{origin}.jsonl").exists()
            if origin is not None or name in named:
                name = ""
            named.add(name)
            turn = name or own
            if not is_elsewhere:
                yield Step(place, at, Prompted(turn, prompt))
        elif turn and not is_elsewhere and (said_too := _queued(line)):
            yield Step(place, at, Prompted(turn, said_too))
        elif not is_elsewhere:
            for happened in _happened(line, calls):
                yield Step(place, at, happened)


def _prompt(line: Event) -> str:
    """Return what the user said in a line, "" where that is nothing; a command as it was typed."""
    if text(line, "type") != "user" or _is_by_a_program(line):
        return ""
    said = _text(part(line, "message"))
    if said.startswith(_INTERRUPTED):
        return ""
    command = _COMMAND.match(said)
    if command:
        return f"{command['name'].strip()} {(command['args'] or '').strip()}".strip()
    return _ADDED.sub("", said).strip()


def _queued(line: Event) -> str:
    """Return what the user said while the model was at work, "" where a line tells of nothing like that."""
    told = part(line, "attachment")
    is_said = text(told, "type") == _QUEUED and not told.get("isMeta") and not _is_by_a_program(told)
    is_prompt = is_said and text(told, "commandMode") in {"", "prompt"}
    return _ADDED.sub("", _text({"content": told.get("prompt")})).strip() if is_prompt else ""


def _is_by_a_program(told: Event) -> bool:
    return text(part(told, "origin"), "kind") in _BY_PROGRAMS


def _happened(line: Event, calls: dict[str, Event]) -> Iterator[ToolsUsed | Delegated | Answered]:
    said = part(line, "message")
    if text(line, "type") == "assistant":
        calls.update((text(each, "id"), each) for each in events(said, "content") if text(each, "type") == "tool_use")
        answer = _text(said)
        if answer and text(said, "model") != _SYNTHETIC:
            yield Answered(None, answer)
        return
    yield from _notified(line, calls)
    for result in events(said, "content"):
        call = calls.get(text(result, "tool_use_id"))
        if text(result, "type") == "tool_result" and call is not None:
            yield from _used(call, line, result)


def _used(call: Event, line: Event, result: Event) -> Iterator[ToolsUsed | Delegated]:
    """Yield what a tool did, as hooks are told: of an agent that was asked, its name and its answer."""
    name, told = text(call, "name"), part(line, "toolUseResult")
    if name not in DELEGATING:
        gave = line.get("toolUseResult", result.get("content"))
        yield ToolsUsed(None, (ToolUse(id=text(call, "id"), name=name, given=call.get("input"), gave=gave),))
        return
    answer = "" if text(told, "status") == _LAUNCHED else _text(told) or _text(result)
    agent = text(told, "agentId") or text(call, "id")
    if answer:
        yield Delegated(None, agent, text(told, "agentType") or _asked(call), answer)


def _notified(line: Event, calls: dict[str, Event]) -> Iterator[Delegated]:
    """Yield the answer of an agent for which nobody waited."""
    queued = _text({"content": part(line, "attachment").get("prompt")})
    found = _NOTIFIED.match(_text(part(line, "message")) or queued)
    call = calls.get(found["call"]) if found else None
    if found and call is not None and text(call, "name") in DELEGATING and found["answer"].strip():
        yield Delegated(None, found["agent"], _asked(call), found["answer"].strip())


def _asked(call: Event) -> str:
    return text(part(call, "input"), "subagent_type") or text(call, "name")


def _text(message: Event) -> str:
    """Return the text of a message's content, which is a text or a list of parts."""
    parts = (text(each, "text") for each in events(message, "content") if text(each, "type") == "text")
    return text(message, "content") or "\n".join(each for each in parts if each)
