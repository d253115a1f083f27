"""What a message says, whoever wrote it down: text, media, the call of a tool and its result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias, cast

from cairn.conversation.media import Media


class Text(NamedTuple):
    """Words."""

    text: str


class Call(NamedTuple):
    """A tool that the model asks for; the arguments are JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


class Result(NamedTuple):
    """What a tool answered to the call with its id."""

    id: str
    parts: tuple[Text | Media, ...]
    name: str = ""

    @property
    def text(self) -> str:
        """Return the words of it."""
        return words(self.parts)


Part: TypeAlias = Text | Media | Call | Result


class Message(NamedTuple):
    """Parts with one speaker: user, assistant or tool, or system and developer where they are instructions."""

    role: str
    parts: tuple[Part, ...]
    name: str = ""


def words(parts: Iterable[Part]) -> str:
    """Return the text of parts, with labels for what is no text."""
    said = (part.text if isinstance(part, Text) else part.label for part in parts if isinstance(part, Text | Media))
    return "\n".join(each for each in said if each)


def as_json(value: object) -> str:
    """Return JSON for a value that is no text, and text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Calls:
    """Gives ids to the calls and results of one list that have none, as they belong together: by name, in order."""

    def __init__(self) -> None:
        """Start with no call open."""
        self._open: dict[str, list[str]] = {}
        self._made: dict[str, int] = {}

    def made(self, identifier: object, name: str, arguments: object) -> Call:
        """Return the call, with an id that it would be given again."""
        given = as_json({} if arguments is None else arguments)
        if isinstance(identifier, str) and identifier:
            return Call(identifier, name, given)
        what = f"{name}\n{given}"
        count = self._made[what] = self._made.get(what, 0) + 1
        made = _id(f"{what}\n{count}")
        self._open.setdefault(name, []).append(made)
        return Call(made, name, given)

    def answered(self, identifier: object, name: str, parts: Sequence[Text | Media]) -> Result:
        """Return the result of a call; one without an id answers the first open call of its name."""
        if isinstance(identifier, str) and identifier:
            return Result(identifier, tuple(parts), name)
        waiting = self._open.get(name)
        return Result(waiting.pop(0) if waiting else _id(name), tuple(parts), name)


def _id(what: str) -> str:
    return f"call_{sha256(what.encode()).hexdigest()[:24]}"


def items_of(message: Message) -> list[dict[str, Any]]:
    """Return the Responses items that say the same: a message, calls and results in their order."""
    items: list[dict[str, Any]] = []
    said: list[Text | Media] = []
    called: set[str] = set()

    def close() -> None:
        if said:
            items.append(_message(message, said))
            said.clear()

    for part in message.parts:
        if isinstance(part, Text | Media):
            said += [part] if isinstance(part, Media) or part.text.strip() else []
        elif isinstance(part, Call) and part.id not in called:
            close()
            called.add(part.id)
            called_for = {"call_id": part.id, "name": part.name, "arguments": part.arguments}
            items.append({"type": "function_call", **called_for})
        elif isinstance(part, Result):
            close()
            items.append({"type": "function_call_output", "call_id": part.id, "output": _output(part)})
    close()
    return items


def _message(message: Message, said: Sequence[Text | Media]) -> dict[str, Any]:
    content = [each for part in said for each in _content(message.role, part)]
    item: dict[str, Any] = {"type": "message", "role": message.role, "content": content}
    return {**item, "name": message.name} if message.name else item


def _output(result: Result) -> str | list[dict[str, Any]]:
    if all(isinstance(part, Text) for part in result.parts):
        return result.text
    return [each for part in result.parts for each in _content("user", part)]


def _content(role: str, part: Text | Media) -> list[dict[str, Any]]:
    """Return content parts of Responses; what they have no place for is named in words."""
    kind = "output_text" if role == "assistant" else "input_text"
    if isinstance(part, Text):
        return [{"type": kind, "text": part.text}]
    shown = None if role == "assistant" else _shown(part)
    if shown is None:
        return [{"type": kind, "text": part.label or f"[{part.kind}]"}]
    is_named = "filename" in shown or not part.name or part._replace(name="").shown_name == part.name
    return [shown] if is_named else [{"type": kind, "text": part.label}, shown]


def _shown(part: Media) -> dict[str, Any] | None:
    if part.kind == "image":
        given = {"image_url": part.place} if part.place else {"file_id": part.file_id}
        return {"type": "input_image", "detail": "auto", **given} if part.place or part.file_id else None
    if part.kind == "file" and (part.place or part.file_id):
        name = {"filename": part.name} if part.name else {}
        where = {"file_url": part.url} if part.url else {"file_data": part.place}
        return {"type": "input_file", **name, **(where if part.place else {"file_id": part.file_id})}
    if part.kind == "audio" and part.data:
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": part.mime.rpartition("/")[2]}}
    return None


def objects(arguments: str) -> Mapping[str, Any]:
    """Return a call's arguments as the object that some vendors ask for."""
    try:
        value: object = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        value = arguments
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {"input": value}
