"""Run a turn in two calls: begin prepares it and keeps what the user said, commit stores it with the model's answer.

What is kept between the two is sealed in the session's partition; the token names it, signed under the tenant's key, so
that it opens nothing to another tenant and cannot be made or changed by anyone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cairn.conversation.turns import Completion
from cairn.facts.lessons import Lesson
from cairn.ground.adapters import Pending
from cairn.ground.errors import InvalidArgument, PermissionDenied
from cairn.ground.ids import Tenant, TurnId, UserId, time_ordered_id
from cairn.ground.session import ResponseItem, Session
from cairn.ground.table import ABSENT, Key, Put
from cairn.sessions.layout import operation_sk, session_pk
from cairn.sessions.services import SessionServices
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import BegunTurn, CommittedTurn, Preparation
from cairn.turns.operation_token import PURPOSE, Operation, OperationToken

LIFETIME = timedelta(hours=1)
"""How long a model and its tools may take to answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, and what it says it learnt from the user."""

    outputs: Sequence[ResponseItem]
    lessons: Sequence[Lesson] = ()


def begin(services: SessionServices, session: Session, request: Preparation) -> BegunTurn:
    """Return the prepared turn and the token that commits it; a turn without a turn_id is given one."""
    now = services.adapters.clock.now()
    operation = Operation(
        id=services.adapters.entropy.token(12).hex(),
        project=session.project,
        session_id=session.session_id,
        turn_id=request.turn_id or TurnId(time_ordered_id(now, services.adapters.entropy.token(10))),
        expires_at=(now + LIFETIME).replace(microsecond=0),
    )
    prepared = Pending(lambda: prepare(services, session, request))
    services.adapters.parallel(
        [prepared, lambda: services.adapters.table.put(_kept(services, session, operation, request))]
    )
    tag = services.vault.sign(session.tenant, PURPOSE, operation.message())
    return BegunTurn(prepared.result, OperationToken(operation, tag).text(), operation.expires_at)


def finish(
    services: SessionServices,
    tenant: Tenant,
    token: OperationToken,
    answer: Answer,
    users: Collection[UserId] = (),
) -> CommittedTurn:
    """Store the turn that the token names, once, as after_turn does.

    PermissionDenied for a token of another tenant, one that was changed, one past its time, or one of somebody else
    than the users if any are named.
    """
    operation = token.operation
    if not services.vault.verify(tenant, PURPOSE, operation.message(), token.tag):
        raise PermissionDenied("This operation_token is not one of yours; call with phase begin for a new one")
    if services.adapters.clock.now() >= operation.expires_at:
        raise PermissionDenied("This operation_token has expired; call with phase begin for a new one")
    session = Session(tenant, operation.project, operation.session_id)
    kept = services.adapters.table.get(_where(session, operation))
    if kept is None:
        raise InvalidArgument("operation_token", "names a turn whose session was deleted")
    turn = _completion(operation.turn_id, services.vault.unseal(tenant, kept), answer.outputs)
    if users and turn.user_id not in users:
        raise PermissionDenied("This operation_token is another user's", reason="user")
    return commit(services, session, turn, answer.lessons)


def _kept(services: SessionServices, session: Session, operation: Operation, request: Preparation) -> Put:
    where = _where(session, operation)
    said = {"user_id": request.user_id, "inputs": list(request.current)}
    content = services.vault.seal(session.tenant, where, said)
    expires_at = int(operation.expires_at.timestamp())
    return Put({"pk": where.pk, "sk": where.sk, "expires_at": expires_at, **content}, ABSENT)


def _completion(turn_id: TurnId, said: dict[str, Any], outputs: Sequence[ResponseItem]) -> Completion:
    user_id = said["user_id"]
    return Completion(
        turn_id=turn_id,
        user_id=None if user_id is None else UserId(user_id),
        inputs=tuple(said["inputs"]),
        outputs=tuple(outputs),
    )


def _where(session: Session, operation: Operation) -> Key:
    return Key(session_pk(session), operation_sk(operation.id))
