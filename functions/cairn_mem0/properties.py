"""What mem0's clients attach to a memory and Cairn's facts have no room for, kept as documents beside them.

A memory's document has Cairn's id of it as its key, is its user's and goes when the memory is deleted here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from cairn.edge.validation import Rules, validate
from cairn.ground.codec import canonical
from cairn.ground.errors import CairnError, InvalidArgument
from cairn_mem0.asked import Asked
from cairn_tools.memory_put_documents import memory_put_documents

T = TypeVar("T")
_COLLECTION: Final = ("mem0",)
MOST_BYTES: Final = 10_000
"""How much may be attached to a memory."""
_MOST_READ: Final = 100
_MOST_WRITTEN: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """What is attached to a memory; `id` and `created_at` are those of the one whose place it took by an update."""

    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    id: str | None = None
    created_at: str | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Properties:
        """Return what a document says."""
        return cls(**{name: value[name] for name in cls.__slots__ if name in value})

    def value(self) -> dict[str, Any]:
        """Return the document."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: each for name, each in found.items() if each}


NOTHING: Final = Properties()


def read(asked: Asked, user: str, names: Collection[str]) -> dict[str, Properties]:
    """Return what is attached to these memories of a user, by their ids; all at once."""
    parts, found = _batches(list(names), _MOST_READ), dict[str, Properties]()
    while parts:
        questions = [asked.asking("memory_get_documents", user_id=user, documents=_keys(part)) for part in parts]
        asked.together(*questions)
        answers = [question.result["documents"] for question in questions]
        found |= {each["key"]: Properties.of(each["value"]) for answer in answers for each in answer if each}
        # An answer that would be too long has fewer than were asked for.
        rest = [part[len(answer) :] for part, answer in zip(parts, answers, strict=True)]
        parts = [part for part in rest if part]
    return found


def check(asked: Asked, attached: Properties) -> None:
    """Raise InvalidArgument for what cannot be attached, so that it is said before anything is changed."""
    problem = f"must be JSON of at most {MOST_BYTES} bytes"
    documents = [{**each, "value": attached.value()} for each in _keys(["any"])]
    try:
        rules = Rules(asked.call.services.settings.limits, lenient=False)
        validate(memory_put_documents.input, {"project": asked.project, "documents": documents}, rules)
        is_too_long = len(canonical(attached.value())) > MOST_BYTES
    except CairnError:
        raise InvalidArgument("metadata", problem) from None
    if is_too_long:
        raise InvalidArgument("metadata", problem)


def write(asked: Asked, user: str, found: Mapping[str, Properties | None]) -> None:
    """Attach this to memories of a user; None and what is empty takes away what was attached."""
    documents = [
        {**key, "value": (properties.value() if properties else None) or None, "index": False}
        for key, properties in zip(_keys(found), found.values(), strict=True)
    ]
    for part in _batches(documents, _MOST_WRITTEN):
        asked.ask("memory_put_documents", user_id=user, documents=part)


def _keys(names: Collection[str]) -> list[dict[str, Any]]:
    return [{"collection": list(_COLLECTION), "key": name} for name in names]


def _batches(values: Sequence[T], most: int) -> list[list[T]]:
    return [[*values[place : place + most]] for place in range(0, len(values), most)]
