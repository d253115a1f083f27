"""Prompts: what happened, what is known, and how to hand work over, each with what memory holds about it.

What memory holds stands in a message of its own, as the block does that goes before a turn: escaped JSON with a tag, so
that it is data to a model, and is known again and not stored a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, repeat
from typing import Any, Final

from cairn.conversation.items import text_of
from cairn.conversation.token_count import count
from cairn.recall import block
from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.library import Asked
from cairn_mcp.reader import Reader
from cairn_mcp.words import known_lines, turns

MOST_TOKENS: Final = 2000
"""What all messages of a prompt take, by the estimate of cairn.conversation.token_count."""
_MOST_TURNS: Final = 20
_CHARACTERS: Final = 8
"""More than a token has."""
_FEWEST_CHARACTERS: Final = 80
"""What is cut to less says too little."""
_OF_WORK: Final = frozenset(
    {
        *("decision", "architectural_decision", "implementation_decision", "trade_off", "alternative"),
        *("convention", "coding_standard", "architectural_convention", "process_convention", "agent_rule"),
        *("risk", "assumption", "hypothesis", "unknown", "root_cause", "lesson_learned", "bug", "error"),
    }
)
"""The kinds of facts and memories that whoever goes on with a piece of work has to know."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: what it asks of a model, what it may be told, and how what memory holds is read."""

    name: str
    title: str
    description: str
    asks: str
    arguments: Mapping[str, str]
    read: Callable[[Reader, Mapping[str, str]], tuple[Sequence[str], Sequence[str]]]


_SETTLED: Final = {"project": "project", "user_id": "user"}
"""The argument for each name that a request or a key may settle."""
_PROJECT: Final = {"project": "The project, such as owner/repo."}
_SESSION: Final = {"session_id": "The conversation; the newest of the project where it is left out."}


def listed(reader: Reader) -> Sequence[Mapping[str, Any]]:
    """Return the `Prompt` objects; what the request names need not be given, and what the key does is no argument."""
    bound = {_SETTLED[name] for name in reader.context.caller.bound if name in _SETTLED}
    return [
        {
            "name": each.name,
            "title": each.title,
            "description": each.description,
            "arguments": [
                {"name": name, "description": said, "required": name in _required(reader, each)}
                for name, said in each.arguments.items()
                if name not in bound
            ],
        }
        for each in PROMPTS
    ]


def filled(reader: Reader, asked: Asked) -> Mapping[str, Any]:
    """Return a prompt's messages; RpcError for an unknown prompt, a wrong argument, or where nothing is stored."""
    prompt = named(asked.name)
    if unknown := asked.arguments.keys() - prompt.arguments.keys():
        raise RpcError(INVALID_PARAMS, f"{prompt.name} takes no argument {min(unknown)}")
    settled = {"project": reader.project, "user": reader.users[0] if len(reader.users) == 1 else None}
    given = {name: value for name, value in {**settled, **asked.arguments}.items() if value}
    if missing := [name for name in _required(reader, prompt) if name not in given]:
        raise RpcError(INVALID_PARAMS, f"{prompt.name} needs the argument {missing[0]}")
    facts, passages = prompt.read(reader, given)
    instruction = f"{prompt.asks}\n\n{block.POLICY}"
    texts = (instruction, _quoted(reader, facts, passages, MOST_TOKENS - count(instruction)))
    messages = [{"role": "user", "content": {"type": "text", "text": text}} for text in texts]
    return {"description": prompt.description, "messages": messages}


def named(name: str) -> Prompt:
    """Return the prompt of a name; RpcError where there is none."""
    found = next((each for each in PROMPTS if each.name == name), None)
    if found is None:
        raise RpcError(INVALID_PARAMS, "Unknown prompt: prompts/list names those there are")
    return found


def _required(reader: Reader, prompt: Prompt) -> Collection[str]:
    settled = {"project": reader.project is not None, "user": len(reader.users) == 1}
    return [name for name in prompt.arguments if name in settled and not settled[name]]


def _known(reader: Reader, given: Mapping[str, str]) -> tuple[Sequence[str], Sequence[str]]:
    told = reader.told("memory_list_known", project=given["project"], user_id=given["user"])
    if told is None:
        raise RpcError(INVALID_PARAMS, "There is no such project or user")
    return known_lines(told), ()


def _handover(reader: Reader, given: Mapping[str, str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return decisions, conventions and what is open, then how the session went."""
    summary, passages = _session(reader, given)
    of_user = reader.users[0] if len(reader.users) == 1 else None
    told = of_user and reader.told("memory_list_known", project=given["project"], user_id=of_user)
    return [*summary, *(known_lines(told, _OF_WORK) if told else ())], passages


def _session(reader: Reader, given: Mapping[str, str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what a session's overview says, and its turns, the newest first; RpcError where there is no session."""
    project = given["project"]
    session = given.get("session_id") or _newest(reader, project)
    passages = [text for _, text in islice(turns(reader, project, session, 0), _MOST_TURNS)] if session else []
    if session is None or not passages:
        raise RpcError(INVALID_PARAMS, "There is no such conversation")
    place = {"project": project, "session_id": session, "path": ".overview"}
    told = reader.told("memory_list_dir_with_abstract", **place, content=True)
    overview = (told or {}).get("content")
    return ([overview.strip()] if overview else []), passages


def _newest(reader: Reader, project: str) -> str | None:
    """Return the newest conversation of the users that the caller speaks for, or else of the project."""
    found: list[tuple[str, str]] = []
    for user in reader.users or (None,):
        told = reader.told("memory_list_sessions", project=project, user_id=user, limit=1)
        found += [(each["newest"], each["session_id"]) for each in told["sessions"]] if told else []
    return max(found)[1] if found else None


def _quoted(reader: Reader, facts: Sequence[str], passages: Sequence[str], most: int) -> str:
    """Return the memory block with what so many tokens hold: facts first, then passages; the last one may be cut."""
    sign = partial(reader.context.services.vault.sign, reader.context.caller.tenant, block.PURPOSE)
    kept: tuple[list[str], list[str]] = ([], [])

    def is_over() -> bool:
        return count(text_of(block.memory(*kept, sign))) > most

    for into, each in chain(zip(repeat(kept[0]), facts), zip(repeat(kept[1]), passages)):
        into.append(each[: most * _CHARACTERS])
        is_whole = not is_over()
        while is_over() and len(into[-1]) > _FEWEST_CHARACTERS:
            into[-1] = f"{into[-1][: len(into[-1]) * 3 // 4].rstrip()}…"
        if is_over():
            into.pop()
        if not is_whole:
            break
    return text_of(block.memory(*kept, sign))


PROMPTS: Final[Sequence[Prompt]] = (
    Prompt(
        "recap",
        "Recap a conversation",
        "What happened in a conversation: the newest, or the one that is named.",
        "Tell in short what happened in the conversation that the memory below is of: what was wanted, what was done, "
        "how it ended.",
        {**_PROJECT, **_SESSION},
        _session,
    ),
    Prompt(
        "known",
        "Tell what is known of me",
        "What memory knows of a user.",
        "Tell what the memory below says is known of the user, grouped by what it is about.",
        {**_PROJECT, "user": "Whom to tell of."},
        _known,
    ),
    Prompt(
        "handover",
        "Hand work over",
        "What another agent has to know to go on: decisions, open tasks, conventions.",
        "Write a handover for another agent that goes on with the work that the memory below is of: what was decided "
        "and why, what is open, which conventions hold, and where to begin.",
        {**_PROJECT, **_SESSION},
        _handover,
    ),
)
