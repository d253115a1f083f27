"""Answer again what a call was answered from memory, as memory was then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cairn.calls.receipts import PATTERN, Asked, Receipt
from cairn.edge.validation import Rules, validate
from cairn.ground.session import Session
from cairn.replay.fields import ReplayAnswer
from cairn.tool.call import Call
from cairn.tool.tool import tool

if TYPE_CHECKING:
    from cairn.replay.replay import Past


class ReplayInput(BaseModel):
    """Which answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    receipt: Annotated[
        str, Field(pattern=PATTERN, description="The receipt that came with the answer, or the id of the call alone.")
    ]


@tool(
    title="Tell why something was answered",
    example={"receipt": "01JNJX5R000000000000000000"},
    grants=("audit:read", "asked:read", "sessions:read", "logs:read", "blobs:read", "texts:embed"),
    read_only=True,
    timeout=29,
    for_operators=True,
)
def memory_replay(request: ReplayInput, call: Call) -> ReplayAnswer:
    """Call to see why an agent was told what it was told: what was asked, the answer again, ranks and signals.

    Memory is read as it was then, and nothing is written. What was forgotten or erased since is told by id.
    """
    from cairn.replay.replay import replay  # noqa: PLC0415 - loaded when it is first called

    receipt = Receipt.parse(request.receipt)
    answering = partial(_answered, replace(call, id=receipt.call))
    return ReplayAnswer.of(replay(call.services, call.caller.tenant, receipt, answering))


def _answered(call: Call, past: Past, asked: Asked) -> Mapping[str, Any]:
    from cairn.replay.prompts import HOOK  # noqa: PLC0415 - as above
    from cairn.tool.as_of import as_of  # noqa: PLC0415

    then = replace(call, services=as_of(call.services, past))
    again = _of_hook(call, then, asked) if asked.tool == HOOK else _of_tool(then, asked)
    return again.model_dump(mode="json")


def _of_tool(then: Call, asked: Asked) -> BaseModel:
    from cairn_tools.catalog import CATALOG  # noqa: PLC0415 - which has this file's tool in it

    (answering,) = CATALOG.only(asked.tool)
    memory = then.services.settings.memory_for(then.caller.tenant)
    rules = Rules(then.services.settings.limits, memory.lenient, asked.names)
    return answering.run(validate(answering.input, asked.arguments, rules), then)


def _of_hook(call: Call, then: Call, asked: Asked) -> BaseModel:
    from cairn.replay.prompts import prepared_again  # noqa: PLC0415 - loaded when it is first called
    from cairn.turns.fields import Prepared  # noqa: PLC0415

    project, session_id = asked.arguments["project"], asked.arguments["session_id"]
    session = Session(call.caller.tenant, project, session_id)
    return Prepared.of(prepared_again(then.services, call.services.receipts, session, call.id, asked))


handler = memory_replay.handler
