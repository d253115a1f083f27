"""Requests and answers of before_turn, after_turn and run_turn, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from cairn.context.lines import Passage
from cairn.conversation.items import text_of
from cairn.facts.lessons import Refusal
from cairn.ground.explanation import Explanation
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem
from cairn.ground.settings import RecallScope
from cairn.ground.trust import Trust
from cairn.messages.formats import Format
from cairn.recall.filter import SearchMode

_HALF_A_QUERY: Final = 2000
"""How many characters of a long question's beginning, and of its end, are looked for."""


def searched_for(items: Iterable[ResponseItem]) -> str:
    """Return what memory is searched for: what is said in the items, of a long text its beginning and its end."""
    text = "\n".join(map(text_of, items))
    return text if len(text) <= 2 * _HALF_A_QUERY else f"{text[:_HALF_A_QUERY]}\n{text[-_HALF_A_QUERY:]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """The items that an agent is about to send to its model, and how to prepare them.

    An agent that `holds_session` keeps its conversation itself: nothing of it is placed, but what was said before the
    agent put a summary in its place; nor is what it has been `told`, by the ids of facts and events. Memory takes at
    most `most_tokens`, where that is less than the settings have. `at` is the moment of the call, where that is told.
    Nothing is recalled that is trusted less than `min_trust`; what was said in the session's newest turns is not
    recalled.
    """

    current: tuple[ResponseItem, ...]
    user_id: UserId | None = None
    turn_id: TurnId | None = None
    base_instructions: str | None = None
    max_input_tok: int = 120_000
    history: tuple[ResponseItem, ...] = ()
    recall_scope: RecallScope | None = None
    min_trust: Trust = Trust.OUTSIDE
    explain: bool = False
    format: Format = "responses"
    holds_session: bool = False
    told: frozenset[str] = frozenset()
    most_tokens: int | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """The model's input with memory in it, in the format asked for; token_count is the estimate for what is returned.

    `system` holds the instructions where the format has them apart, `text` what memory adds where it is asked for as
    plain text.

    `placed` are the ids of facts, and of the events whose texts are in it. Where it was asked for, `why` tells by id
    why facts and earlier texts are in it, and `passages` which texts stand under which reference. `recalled_by` is what
    the recall went by, None where nothing was asked; `without_vector` of what was searched could be found by words
    alone; `likelihood` is how likely any of it answers, None where nothing was asked.
    """

    items: tuple[ResponseItem, ...]
    system: str | None = None
    text: str | None = None
    recalled_fact_ids: tuple[str, ...]
    placed: tuple[str, ...] = ()
    token_count: int
    compacted: bool = False
    why: Mapping[str, Explanation] = field(default_factory=dict[str, Explanation])
    recalled_by: SearchMode | None = None
    without_vector: int = 0
    likelihood: float | None = None
    passages: tuple[Passage, ...] = ()
    held_since: datetime | None = None
    """Since when an agent holds its session that put a summary in the place of all before."""


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """A prepared turn that waits for its answer; until `expires_at` the token can commit it."""

    prepared: PreparedTurn
    token: str
    expires_at: datetime


Did: TypeAlias = Literal["kept", "forgotten", "not_kept", "nothing_found"]


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that was done because the user told memory so, in short words."""

    did: Did
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedTurn:
    """The result of a commit; a replay wrote nothing.

    `instructions_left_out` are the system and developer items of the turn, which are never stored. `told` is what was
    done because the user's words asked for it. `lessons` says of each lesson that came with it, in order, the id of the
    fact that is now believed, or why none is.
    """

    events_written: int = 0
    instructions_left_out: int = 0
    facts_written: int = 0
    facts_superseded: int = 0
    replayed: bool = False
    told: tuple[Told, ...] = ()
    lessons: tuple[str | Refusal, ...] = ()
