"""What a memory answers: frozen values, made of what the tools return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A turn that was stored, once.

    `items` were written, `facts` learnt, and `replaced` of the facts before them. `replayed` says that this turn was
    stored before and nothing was written now. `instructions_left_out` counts system and developer items. `told` is what
    the user's words asked of memory, each as `did` and `what`. Of what came as learned, `learned` has each entry's
    place and the id of its fact, `refused` its place and the reason.
    """

    turn_id: str
    session: str
    items: int
    facts: int
    replaced: int
    replayed: bool
    instructions_left_out: int = 0
    told: tuple[Mapping[str, str], ...] = ()
    learned: tuple[Mapping[str, Any], ...] = ()
    refused: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of(cls, answer: Mapping[str, Any], turn_id: str, session: str) -> Stored:
        """Return what memory_after_turn answered."""
        return cls(
            turn_id=turn_id,
            session=session,
            items=answer["events_written"],
            facts=answer["facts_written"],
            replaced=answer["facts_superseded"],
            replayed=answer["replayed"],
            instructions_left_out=answer.get("instructions_left_out") or 0,
            told=tuple(answer.get("told") or ()),
            learned=tuple(answer.get("learned") or ()),
            refused=tuple(answer.get("learned_refused") or ()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A branch of a project: calls work on it that name `project`; it began with what was known `at` that time."""

    project: str
    at: datetime

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Branch:
        """Return the branch that memory_branch made."""
        [line] = answer["branches"]
        return cls(project=line["project"], at=datetime.fromisoformat(line["at"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a call brought from a branch: turns, changes that no turn made, and turns that were there already."""

    turns: int
    changes: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A model's input with what matters of the past in it.

    Send `input_items` to the model. Some formats have its instructions apart, in `system`; the format text has all of
    it in `text`. `fact_ids` are the facts among them, `tokens` an estimate of their size. `likelihood` says how likely
    memory answers what the user said. `recalled_by` says what memory was searched by: hybrid, or words or meaning
    alone. `damaged` counts stored records that could not be read. `answer` is all that the tool returned.
    """

    input_items: tuple[dict[str, Any], ...]
    fact_ids: tuple[str, ...]
    tokens: int
    session: str
    system: str | None = None
    text: str | None = None
    likelihood: float | None = None
    recalled_by: str | None = None
    damaged: int = 0
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    @classmethod
    def of(cls, answer: Mapping[str, Any], session: str) -> Prepared:
        """Return what memory_before_turn answered."""
        return cls(
            input_items=tuple(answer["input_items"]),
            fact_ids=tuple(answer["recall_fact_ids"]),
            tokens=answer["context_token_count"],
            session=session,
            system=answer.get("system"),
            text=answer.get("text"),
            likelihood=answer.get("likelihood"),
            recalled_by=answer.get("recalled_by"),
            damaged=answer.get("damaged", 0),
            answer=answer,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something said, remembered or learnt.

    `who` said it: a name, or user, assistant or tool; None for what an agent remembered. `when` is in UTC. `score` is
    how likely it is the answer, of all that matches, and 0 where nothing was asked. `kind` is turn, memory or fact;
    `type` says more of a memory. `session` and `turn_id` are where it was said, as far as that is known.
    """

    id: str
    content: str
    who: str | None
    when: datetime
    score: float
    kind: str
    type: str
    confidence: float
    session: str | None = None
    turn_id: str | None = None

    def __str__(self) -> str:
        """Return what it says."""
        return self.content

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Hit:
        """Return one of the memories that recall answered."""
        origin = found["origin"]
        return cls(
            id=found["id"],
            content=found["content"] if origin["words"] is None else origin["words"],
            who=origin["speaker"],
            when=datetime.fromisoformat(found["timestamp"]),
            score=found["score"],
            kind=found["source"].partition(":")[0],
            type=found["type"],
            confidence=found["confidence"],
            session=origin["session_id"],
            turn_id=origin["turn_id"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits(Sequence[Hit]):
    """What was found, the best first or, where nothing was asked, the newest.

    `says` tells in words whether any of it is likely an answer, and `likelihood` as a number, None where nothing was
    asked. `more` match, from `cursor` on. `searched` is how much there was to find: at 0 nothing is stored. `by` says
    what the answer went by: hybrid, text, semantic or time. `damaged` counts stored records that could not be read.
    """

    found: tuple[Hit, ...]
    more: int
    cursor: int | None
    searched: int
    by: str
    says: str = ""
    likelihood: float | None = None
    damaged: int = 0

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        """Return the hit at this place, or those of a slice."""
        return self.found[index]

    def __len__(self) -> int:
        """Return how many were found."""
        return len(self.found)

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Hits:
        """Return what recall answered."""
        return cls(
            found=tuple(Hit.of(each) for each in answer["memories"]),
            more=answer["more"],
            cursor=answer["cursor"],
            searched=answer["searched"],
            by=answer["by"],
            says=answer.get("says", ""),
            likelihood=answer.get("likelihood"),
            damaged=answer.get("damaged", 0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A memory that is kept: forget it by its `id`."""

    id: str
    type: str
    message: str

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Remembered:
        """Return what remember answered."""
        return cls(id=answer["memory_id"], type=answer["memory_type"], message=answer["message"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """A memory or fact that no search returns any more, or one under whose `id` it holds again."""

    id: str
    message: str
    replacement_id: str | None = None

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Forgotten:
        """Return what forget answered."""
        return cls(id=answer["memory_id"], message=answer["message"], replacement_id=answer["replacement_id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An item of a conversation as it was stored.

    `who` is a name, or user, assistant or tool; `content` the text in the item, which may be empty. `when` is in UTC.
    """

    id: str
    who: str
    content: str
    when: datetime
    turn_id: str
    user: str | None
    item: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        """Return what was said."""
        return self.content
