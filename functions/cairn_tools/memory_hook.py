"""The door of coding agents' hooks: an agent's event as it is, and the answer in that agent's form and nothing else."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Any, Final

from cairn.edge.events import respond
from cairn.hooks.dialects import DIALECTS
from cairn.hooks.fields import HookAnswer, HookInput
from cairn.tool.asked import keep_told
from cairn.tool.call import Call
from cairn.tool.tool import tool

REFUSAL: Final = "x-cairn-refused"
"""The header that says with which status an event was refused, whose agent is told nothing of that."""
_SHOWN: Final = (HTTPStatus.OK, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
EXAMPLE = {
    "agent": "claude-code",
    "project": "garden",
    "session_id": "monday",
    "user_id": "ada",
    "event": {
        "hook_event_name": "UserPromptSubmit",
        "prompt_id": "turn-3",
        "prompt": "What should I plant next to the beans?",
    },
}


@tool(
    title="Follow an agent's hooks",
    example=EXAMPLE,
    grants=(
        "turns:write",
        "notes:delete",
        "blobs:read",
        "blobs:write",
        "jobs:send",
        "model:ask",
        "texts:embed",
        "asked:put",
    ),
    timeout=29,
    route="POST /v1/hooks/{agent} event",
)
def memory_hook(request: HookInput, call: Call) -> HookAnswer:
    """Call from an agent's hooks, not as its model, with each event as it is: the answer is in the agent's own form.

    A prompt begins a turn and is answered with what matters from memory; an answer ends it, and stores both once.
    """
    from cairn.hooks.happenings import Hooks  # noqa: PLC0415 - loaded when it is first called

    dialect = DIALECTS[request.agent]
    hooks = Hooks(call.services, request.user_id, call.at, partial(keep_told, call))
    context = hooks.happened(request.session(call.caller.tenant), dialect.read(request.event).happened)
    return HookAnswer.model_validate(dialect.answer(request.event, context))


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer an API Gateway event; never raise. On the hooks' route an agent is not told of what failed here.

    Its prompt goes on without memory then. Who may not call is told so, since nobody would see it otherwise.
    """
    answer = memory_hook.handler(event, context)
    path = str(event.get("rawPath", event.get("path")))
    if "/hooks/" not in path or answer["statusCode"] in _SHOWN:
        return answer
    return respond(HTTPStatus.OK, {}, {REFUSAL: str(answer["statusCode"])})
