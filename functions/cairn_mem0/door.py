"""The Lambda of mem0's address: an API Gateway event to one of the clients' calls, and back in mem0's own form.

An error is `{"detail": …}` under the status from which the clients make an error of their own type.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, cast

from cairn import wiring
from cairn.edge import problems
from cairn.edge.callers import caller, names_in
from cairn.edge.events import Request, parse_json, read, respond
from cairn.edge.guard import guarded, left
from cairn.ground.errors import CairnError, InvalidArgument
from cairn.ground.settings import Limits
from cairn.telemetry.record import CallRecord
from cairn.tool.call import Call
from cairn_mem0.asked import Asked
from cairn_mem0.catalog import answered

PATH: Final = "/mem0"
"""What a client's `host` ends with."""
_STATUS: Final[Mapping[str, int]] = {"DISABLED": 403, "RESOURCE_BUSY": 429}
"""Where the usual status would be another error to mem0's clients: a memory not found, a wrong argument."""


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    until = time.monotonic() + left(context)
    try:
        with guarded("") as record:
            return respond(200, _answer(event, record, until))
    except CairnError as error:
        status = _STATUS.get(error.code, problems.http_status(error))
        return respond(status, {"detail": error.message, "code": error.code}, problems.headers(error))


def _answer(event: dict[str, Any], record: CallRecord, until: float) -> object:
    record.name_job("mem0")
    request = read(event)
    record.request_id = request.request_id
    who, names, services = caller(request), names_in(request.headers), wiring.services()
    record.name_tenant(who.tenant)
    asked = Asked(
        Call(who, services, until, names=names),
        query=dict(request.query),
        body=_body(request, services.settings.limits),
        retry_key=request.headers.get("idempotency-key", ""),
    )
    return answered(asked, request.method, request.path_parameters.get("call", ""))


def _body(request: Request, limits: Limits) -> Mapping[str, object]:
    """Return the body's fields, none where there is no body; InvalidArgument for what is no object."""
    found = parse_json(request.body or b"{}", limits)
    if not isinstance(found, dict):
        raise InvalidArgument("body", "must be a JSON object")
    return cast("dict[str, object]", found)
