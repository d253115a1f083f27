"""Fields that the turn tools share: how a turn is prepared, and what the tools return."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, WithJsonSchema

from cairn.context.lines import Passage
from cairn.edge.explained import DIGITS, Explained, Receipt, is_absent
from cairn.edge.fields import CurrentInputFields, LeastTrust, TurnName, UserName, history, refusing
from cairn.edge.items import AnswerItems, Items
from cairn.edge.validation import refused
from cairn.facts.lessons import MAX_LESSONS, Lesson, Refusal
from cairn.facts.short_text import MAX_VALUE_BYTES, short_text
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import ResponseItem
from cairn.ground.settings import RecallScope
from cairn.ground.trust import Trust
from cairn.messages.formats import Format
from cairn.recall.filter import SearchMode
from cairn.turns import operation_token as operations
from cairn.turns.model import CommittedTurn, Did, Preparation, PreparedTurn, searched_for

OutputItems = Annotated[AnswerItems, Field(description="What the model answered, with tool calls and results.")]


def _short(value: str) -> str:
    text = short_text(value)
    if not text:
        raise refused(f"must be a text of 1 to {MAX_VALUE_BYTES} bytes that says something")
    return text


ShortText: TypeAlias = Annotated[
    str, AfterValidator(_short), Field(json_schema_extra={"minLength": 1, "maxLength": MAX_VALUE_BYTES})
]


def _briefly_told(schema: dict[str, Any]) -> None:
    """Leave to the list's description what an entry holds: a client's prompt has the schema twice as long otherwise."""
    for said_there in ("description", "additionalProperties"):
        schema.pop(said_there, None)


class LessonFields(BaseModel):
    """A fact that the model learnt in a turn."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, json_schema_extra=_briefly_told)

    about: ShortText
    value: ShortText
    quote: ShortText
    # A model that replaces nothing may well say so with an empty text.
    replaces: Annotated[str | None, Field(max_length=MAX_VALUE_BYTES), AfterValidator(lambda name: name or None)] = None


def _few(given: list[LessonFields]) -> list[LessonFields]:
    if len(given) > MAX_LESSONS:
        raise refused(f"must hold at most {MAX_LESSONS} facts, not {len(given)}")
    return given


LessonList: TypeAlias = Annotated[
    list[LessonFields],
    AfterValidator(_few),
    Field(
        description="New facts {about, value, quote, replaces?}: quote the user exactly; value in the quote's words; "
        "replaces: the #id of the memory it ends."
    ),
]


class LearnedFields(BaseModel):
    """What a tool takes beside an answer: what the model learnt."""

    learned: Annotated[LessonList, Field(default_factory=list)]

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Return what the engine weighs."""
        return tuple(
            Lesson(about=each.about, value=each.value, quote=each.quote, replaces=each.replaces)
            for each in self.learned
        )


def _token(value: object) -> operations.OperationToken:
    if not isinstance(value, str):
        raise refused("must be a string")
    return refusing(operations.parse)(value)


OperationTokenText: TypeAlias = Annotated[
    InstanceOf[operations.OperationToken],
    BeforeValidator(_token),
    WithJsonSchema({"type": "string", "maxLength": operations.MAX_TOKEN_CHARACTERS}),
]


_SAID = frozenset(
    (
        *("current_input", "current_input_text", "current_input_start", "current_input_count"),
        *("conversation_items", "base_instructions"),
    )
)
"""Arguments as long as a conversation, and those that say which part of it is new."""


class PreparationFields(CurrentInputFields):
    """What a tool takes that prepares a turn."""

    replayed_by: ClassVar[str] = "memory_before_turn"
    """The tool that gives the same answer again, for who holds the receipt."""

    user_id: UserName | None = None
    turn_id: TurnName | None = None
    base_instructions: Annotated[str | None, Field(description="Your system instructions; they count as tokens.")] = (
        None
    )
    max_input_tok: Annotated[int, Field(ge=1, description="The most tokens to return.")] = 120_000
    conversation_items: Annotated[Items | None, Field(description="The conversation so far, if you keep it.")] = None
    current_input_start: Annotated[
        int | None, Field(description="Where the current input begins in conversation_items.")
    ] = None
    current_input_count: Annotated[int | None, Field(description="How many of conversation_items it is.")] = None
    recall_scope: Annotated[
        RecallScope | None,
        Field(description="Whose past; the user's unless told."),
    ] = None
    min_trust: LeastTrust = "outside"
    explain: Annotated[bool, Field(description="Say why each fact and text was recalled.")] = False
    format: Annotated[Format, Field(description="Whose messages input_items are; text is one plain text.")] = (
        "responses"
    )

    def cut(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments that were given with what memory is searched for in the place of all that was said."""
        said = {"type": "message", "role": "user", "content": searched_for(self.current_input)}
        return {**{name: value for name, value in given.items() if name not in _SAID}, "current_input": [said]}

    def preparation(self, at: datetime | None = None) -> Preparation:
        """Return what the engine prepares, as of the moment of the call."""
        current = self.current_input
        start, count = self.current_input_start, self.current_input_count
        return Preparation(
            current=tuple(current),
            user_id=self.user_id,
            turn_id=self.turn_id,
            base_instructions=self.base_instructions,
            max_input_tok=self.max_input_tok,
            history=history(self.conversation_items, current, start, count),
            recall_scope=self.recall_scope,
            min_trust=Trust.of(self.min_trust),
            explain=self.explain,
            format=self.format,
            at=at,
        )


class OperationFields(BaseModel):
    """What a tool takes that goes on with a prepared turn; the token says which, and whether it does so truly."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    operation_token: Annotated[OperationTokenText, Field(description="For phase commit: the token that begin gave.")]

    @property
    def project(self) -> Project:
        """Return the project that the token names."""
        return self.operation_token.operation.project

    @property
    def session_id(self) -> SessionId:
        """Return the session that the token names."""
        return self.operation_token.operation.session_id

    @property
    def turn_id(self) -> TurnId:
        """Return the turn that the token names."""
        return self.operation_token.operation.turn_id


class PassageTold(BaseModel):
    """What stands under a reference of the memory block."""

    session_id: Annotated[str, Field(description="The session in which it was said.")]
    events: Annotated[list[str], Field(description="The events whose texts are placed, in the order they were said.")]

    @classmethod
    def of(cls, passage: Passage) -> Self:
        """Return what is told of a passage."""
        return cls(session_id=passage.session_id, events=[line.chunk.event_id for line in passage.lines])


class Prepared(BaseModel):
    """The model's input, ready to send."""

    input_items: Annotated[list[ResponseItem], Field(description="Send these to the model, in this order.")]
    recall_fact_ids: Annotated[list[str], Field(description="The facts placed in input_items.")]
    system: Annotated[
        str | None,
        Field(description="Add it to your system prompt, where the format has that apart.", exclude_if=is_absent),
    ] = None
    text: Annotated[
        str | None,
        Field(description="With format text: what memory adds to your prompt.", exclude_if=is_absent),
    ] = None
    context_token_count: Annotated[int, Field(description="The estimated tokens of what is returned.")]
    recalled_by: Annotated[
        SearchMode | None,
        Field(description="What memory was searched by: words and meaning, or one of them.", exclude_if=is_absent),
    ] = None
    without_vector: Annotated[
        int | None, Field(description="How much of it words alone can find as yet.", exclude_if=is_absent)
    ] = None
    likelihood: Annotated[
        float | None, Field(description="How likely memory answers the input.", exclude_if=is_absent)
    ] = None
    why: Annotated[
        dict[str, Explained] | None, Field(description="By id, where explain was asked for.", exclude_if=is_absent)
    ] = None
    passages: Annotated[
        dict[str, PassageTold] | None,
        Field(description="By reference (m1), where explain was asked for.", exclude_if=is_absent),
    ] = None

    receipt: Receipt = None

    @classmethod
    def of(cls, turn: PreparedTurn, **more: object) -> Self:
        """Return the answer for a prepared turn, with what a tool adds to it."""
        return cls.model_validate(
            {
                "input_items": list(turn.items),
                "system": turn.system,
                "text": turn.text,
                "recall_fact_ids": list(turn.recalled_fact_ids),
                "context_token_count": turn.token_count,
                "recalled_by": turn.recalled_by,
                "without_vector": turn.without_vector or None,
                "likelihood": None if turn.likelihood is None else round(turn.likelihood, DIGITS),
                "why": {name: Explained.of(why) for name, why in turn.why.items()} or None,
                "passages": {each.ref: PassageTold.of(each) for each in turn.passages} or None,
                **more,
            }
        )


class ToldFields(BaseModel):
    """One thing done because the user's words asked memory for it."""

    did: Annotated[Did, Field(description="What was done.")]
    what: Annotated[str, Field(description="With what, in short words.")]


class LessonBelieved(BaseModel):
    """An entry of learned that is believed."""

    place: Annotated[int, Field(description="Its place in learned, from 0.")]
    id: Annotated[str, Field(description="The fact that is now believed.")]


class LessonRefused(BaseModel):
    """An entry of learned that is not believed."""

    place: Annotated[int, Field(description="Its place in learned, from 0.")]
    reason: Annotated[Refusal, Field(description="Why it is not believed.")]


class Committed(BaseModel):
    """What was written."""

    ok: Annotated[bool, Field(description="The turn is stored.")] = True
    events_written: Annotated[int, Field(description="Items stored.")]
    facts_written: Annotated[int, Field(description="Facts learned.")]
    facts_superseded: Annotated[int, Field(description="Facts that newer ones replaced.")]
    replayed: Annotated[bool, Field(description="This turn was stored before, and nothing was written now.")]
    instructions_left_out: Annotated[
        int | None, Field(description="System and developer items not stored, if there were any.", exclude_if=is_absent)
    ] = None
    told: Annotated[
        list[ToldFields] | None,
        Field(description="What the user told memory to do, and what came of it.", exclude_if=is_absent),
    ] = None
    learned: Annotated[
        list[LessonBelieved] | None, Field(description="What is believed of learned.", exclude_if=is_absent)
    ] = None
    learned_refused: Annotated[
        list[LessonRefused] | None, Field(description="What is not, and why.", exclude_if=is_absent)
    ] = None

    @classmethod
    def of(cls, turn: CommittedTurn) -> Self:
        """Return the answer for a committed turn."""
        told = list(enumerate(turn.lessons))
        refused_ones = [LessonRefused(place=at, reason=why) for at, why in told if isinstance(why, Refusal)]
        believed = [LessonBelieved(place=at, id=name) for at, name in told if not isinstance(name, Refusal)]
        return cls(
            events_written=turn.events_written,
            facts_written=turn.facts_written,
            facts_superseded=turn.facts_superseded,
            replayed=turn.replayed,
            instructions_left_out=turn.instructions_left_out or None,
            told=[ToldFields(did=each.did, what=each.what) for each in turn.told] or None,
            learned=believed or None,
            learned_refused=refused_ones or None,
        )
