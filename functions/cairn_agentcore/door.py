"""The Lambda of `/agentcore`: what AWS's clients of AgentCore Memory ask, over REST as the service's model has it.

The authorizer has told whose a signed request says it is; here it is proven with the body. What an operation does, it
does through the tools' own entrance, so that scopes, projects, users, rates and the record of calls hold as they do at
every door. Names in headers stand for nothing here: only what is signed counts.
"""

from __future__ import annotations

import time
from typing import Any, cast

from cairn import wiring
from cairn.edge import events
from cairn.edge.guard import guarded, left
from cairn.ground.errors import CairnError, InvalidArgument
from cairn.services import Services
from cairn.telemetry.record import CallRecord
from cairn.tool.call import Call
from cairn_agentcore import errors
from cairn_agentcore.catalog import OPERATIONS
from cairn_agentcore.paths import Reading, readings
from cairn_agentcore.signing import proven

_TEMPLATES = [each.template for each in OPERATIONS]


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    until = time.monotonic() + left(context)
    try:
        with guarded("") as record:
            return _answer(event, record, until)
    except CairnError as error:
        return errors.response(error)


def _answer(event: dict[str, Any], record: CallRecord, until: float) -> dict[str, Any]:
    record.name_job("agentcore")
    request = events.read(event)
    record.request_id = request.request_id
    query = event.get("rawQueryString")
    found = list(readings(request, _TEMPLATES))
    caller, meant, signature = proven(request, query if isinstance(query, str) else "", found)
    record.name_tenant(caller.tenant)
    services, operation = wiring.services(), OPERATIONS[meant.number]
    call = Call(caller, services, until)
    body = operation.answer(_arguments(request, meant, services), call, signature)
    return events.respond(operation.status, body, {"x-amzn-requestid": request.request_id})


def _arguments(request: events.Request, meant: Reading, services: Services) -> dict[str, object]:
    """Return what the body and the path say; what stands in the path counts, and the query says nothing."""
    body = events.parse_json(request.body or b"{}", services.settings.limits)
    if not isinstance(body, dict):
        raise InvalidArgument("body", "must be a JSON object")
    return {**cast("dict[str, object]", body), **meant.labels}
