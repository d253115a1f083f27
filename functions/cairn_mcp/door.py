"""The Lambda of `POST /mcp` and `/mcp/{profile}`: an API Gateway event, payload 2.0 or 1.0, to the core and back.

Who calls is the authorizer's word alone. A call that it refused or that comes past it, a body over the limit and a
body that is not JSON get a JSON-RPC error whose `data` is the problem envelope of the HTTP door, under the same HTTP
status and headers.
"""

from __future__ import annotations

import time
from typing import Any

from cairn import wiring
from cairn.edge import events, problems
from cairn.edge.callers import caller, names_in
from cairn.edge.guard import guarded, left
from cairn.ground.errors import CairnError, InvalidArgument, PayloadTooLarge
from cairn.telemetry.record import CallRecord
from cairn.tool.call import Call
from cairn_mcp import jsonrpc
from cairn_mcp.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, RpcError
from cairn_mcp.profiles import of_path
from cairn_mcp.protocol import answer
from cairn_mcp.server import Reply, Toolbox
from cairn_mcp.toolbox import CatalogTools, server
from cairn_tools.catalog import CATALOG


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    until = time.monotonic() + left(context)
    try:
        with guarded("") as record:
            return _response(_answer(event, record, until), record)
    except CairnError as error:
        refused = _refusal(error)
        return events.respond(refused.status, jsonrpc.failure(None, refused), refused.headers)


def _answer(event: dict[str, Any], record: CallRecord, until: float) -> Reply:
    request = events.read(event)
    record.request_id = request.request_id
    services, profile = wiring.services(), of_path(request.path)

    def receive() -> tuple[object, Toolbox]:
        try:
            call = Call(caller(request), services, until, names=names_in(request.headers))
            tools = CatalogTools(CATALOG, call, profile)
            return events.parse_json(request.body, services.settings.limits), tools
        except CairnError as error:
            record.refuse(error)
            raise _refusal(error) from None

    origins = services.settings.allowed_origins
    return answer(server(profile), request.method, request.headers, origins, receive)


def _response(reply: Reply, record: CallRecord) -> dict[str, Any]:
    try:
        return events.respond(reply.status, reply.body, reply.headers)
    except PayloadTooLarge as error:
        record.refuse(error)
        refused = _refusal(error)
        return events.respond(refused.status, jsonrpc.failure(jsonrpc.request_id(reply.body), refused), refused.headers)


def _refusal(error: CairnError) -> RpcError:
    """Return the JSON-RPC error for what is refused before any tool has a say."""
    status = problems.http_status(error)
    match error:
        case InvalidArgument():
            code = PARSE_ERROR
        case _ if error.code == "INTERNAL_ERROR":
            code = INTERNAL_ERROR
        case _:
            code = INVALID_REQUEST
    return RpcError(code, error.message, problems.envelope(error), status=status, headers=problems.headers(error))
