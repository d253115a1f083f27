"""Fields that the turn tools share: how a turn is prepared, and what the tools return."""

from __future__ import annotations

from typing import Annotated, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, WithJsonSchema

from cairn.edge.explained import Explained, is_absent
from cairn.edge.fields import CurrentInputFields, Items, TurnName, UserName, history, refused, refusing
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import ResponseItem
from cairn.ground.settings import RecallScope
from cairn.turns import operation_token as operations
from cairn.turns.model import CommittedTurn, Preparation, PreparedTurn

OutputItems = Annotated[Items, Field(description="What the model answered, tool calls and results included.")]


def _token(value: object) -> operations.OperationToken:
    if not isinstance(value, str):
        raise refused("must be a string")
    return refusing(operations.parse)(value)


OperationTokenText: TypeAlias = Annotated[
    InstanceOf[operations.OperationToken],
    BeforeValidator(_token),
    WithJsonSchema({"type": "string", "maxLength": operations.MAX_TOKEN_CHARACTERS}),
]


class PreparationFields(CurrentInputFields):
    """What a tool takes that prepares a turn."""

    user_id: UserName | None = None
    turn_id: TurnName | None = None
    base_instructions: Annotated[str | None, Field(description="Your system instructions; they count as tokens.")] = (
        None
    )
    max_input_tok: Annotated[int, Field(ge=1, description="The most tokens the prepared input may have.")] = 120_000
    conversation_items: Annotated[Items | None, Field(description="The conversation so far, if you keep it.")] = None
    current_input_start: Annotated[
        int | None, Field(description="Where the current input begins in conversation_items.")
    ] = None
    current_input_count: Annotated[int | None, Field(description="How many of conversation_items it is.")] = None
    recall_scope: Annotated[
        RecallScope | None, Field(description="Recall from this session, this user's sessions or the whole project.")
    ] = None
    explain: Annotated[bool, Field(description="Say why each fact and text was recalled.")] = False

    def preparation(self) -> Preparation:
        """Return what the engine prepares."""
        current = self.current()
        start, count = self.current_input_start, self.current_input_count
        return Preparation(
            current=tuple(current),
            user_id=self.user_id,
            turn_id=self.turn_id,
            base_instructions=self.base_instructions,
            max_input_tok=self.max_input_tok,
            history=history(self.conversation_items, current, start, count),
            recall_scope=self.recall_scope,
            explain=self.explain,
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


class Prepared(BaseModel):
    """The model's input, ready to send."""

    input_items: Annotated[list[ResponseItem], Field(description="Send these to the model, in this order.")]
    recall_fact_ids: Annotated[list[str], Field(description="The facts placed in input_items.")]
    context_token_count: Annotated[int, Field(description="The estimated tokens of input_items.")]
    why: Annotated[
        dict[str, Explained] | None, Field(description="By id, where explain was asked for.", exclude_if=is_absent)
    ] = None

    @classmethod
    def of(cls, turn: PreparedTurn, **more: object) -> Self:
        """Return the answer for a prepared turn, with what a tool adds to it."""
        return cls.model_validate(
            {
                "input_items": list(turn.items),
                "recall_fact_ids": list(turn.recalled_fact_ids),
                "context_token_count": turn.token_count,
                "why": {name: Explained.of(why) for name, why in turn.why.items()} or None,
                **more,
            }
        )


class Committed(BaseModel):
    """What was written."""

    ok: Annotated[bool, Field(description="The turn is stored.")] = True
    events_written: Annotated[int, Field(description="Items stored.")]
    facts_written: Annotated[int, Field(description="Facts learned.")]
    facts_superseded: Annotated[int, Field(description="Facts that newer ones replaced.")]
    replayed: Annotated[bool, Field(description="This turn was stored before, and nothing was written now.")]

    @classmethod
    def of(cls, turn: CommittedTurn) -> Self:
        """Return the answer for a committed turn."""
        return cls(
            events_written=turn.events_written,
            facts_written=turn.facts_written,
            facts_superseded=turn.facts_superseded,
            replayed=turn.replayed,
        )
