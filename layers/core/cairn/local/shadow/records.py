"""Read what a client's direct memory path did: one JSON object a line, in the order of time.

docs/how-to/roll-out.md describes the record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeInt

from cairn.conversation.items import message
from cairn.edge.validation import Rules, validate
from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.ground.settings import Limits

_RULES = Rules(Limits(), lenient=False)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeyedFact(_Model):
    """A recalled fact; facts are compared by their value, since both paths name their keys as they like."""

    key: str = ""
    value: str


class Direct(_Model):
    """What the direct path gave before the turn, and the paths of the files it has written by the turn's end."""

    recall_facts: tuple[KeyedFact | str, ...]
    context_token_count: NonNegativeInt
    files: tuple[str, ...] = ()

    def values(self) -> tuple[str, ...]:
        """Return the values of the recalled facts."""
        return tuple(fact if isinstance(fact, str) else fact.value for fact in self.recall_facts)


class Record(_Model):
    """One turn: what the memory tools are asked, when it was, and what the direct path did."""

    project: str
    session_id: str
    user_id: str | None = None
    turn_id: str
    at: AwareDatetime
    current_input: tuple[dict[str, Any], ...] | str
    max_input_tok: int | None = None
    output_items: tuple[dict[str, Any], ...]
    direct: Direct

    @property
    def session(self) -> tuple[str, str]:
        """Return the project and the session, which tell one conversation from another."""
        return self.project, self.session_id

    def before(self) -> dict[str, Any]:
        """Return the arguments of memory_before_turn but the project."""
        limit = {} if self.max_input_tok is None else {"max_input_tok": self.max_input_tok}
        return {**self._names(), "current_input": self._input(), **limit}

    def after(self) -> dict[str, Any]:
        """Return the arguments of memory_after_turn but the project."""
        return {**self._names(), "input_items": self._input(), "output_items": list(self.output_items)}

    def _names(self) -> dict[str, Any]:
        user = {} if self.user_id is None else {"user_id": self.user_id}
        return {"session_id": self.session_id, "turn_id": self.turn_id, **user}

    def _input(self) -> list[dict[str, Any]]:
        given = self.current_input
        return [message("user", given)] if isinstance(given, str) else list(given)


def read(path: Path) -> tuple[Record, ...]:
    """Return the file's records; InvalidArgument names the line and the field that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"RECORDS: cannot be read ({type(error).__name__})") from None
    records = tuple(_records(text))
    if not records:
        raise InvalidArgument("RECORDS", "holds no record")
    for (_, before), (number, record) in pairwise(records):
        if record.at < before.at:
            raise InvalidArgument(f"line {number}: at", "is before the time of the line above")
    return tuple(record for _, record in records)


def _records(text: str) -> Iterator[tuple[int, Record]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, _record(number, line)


def _record(number: int, line: str) -> Record:
    try:
        return validate(Record, json.loads(line), _RULES)
    except (json.JSONDecodeError, RecursionError):
        raise InvalidArgument(f"line {number}", "is not JSON") from None
    except InvalidArgument as error:
        fields = cast("Mapping[str, str]", error.details["fields"])
        first, *more = ((f"line {number}: {name}", why) for name, why in fields.items())
        raise InvalidArgument(*first, *more) from None
