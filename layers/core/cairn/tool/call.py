"""The life of a call, in order: read on from `answer_event` to the end.

1. `answer_event`, over HTTP: the event becomes a request with a caller and arguments; an error becomes a problem.
2. `execute`, which every door calls, the MCP doors and each step of a pipe too: the tool is found by name; an observer,
   the log and a trace see the call, and it ends in time.
3. `_admit_and_run`: switch, scope, validation, project and policy are checked; the journal records the call, within its
   rates, or why it is refused.
4. `_run`: the tool's own line, with what earlier calls tell it.

The steps that they name follow, in the same order.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import BaseModel

from cairn import wiring
from cairn.access.callers import Caller
from cairn.access.policy import NOTHING, Permission
from cairn.calls.record import AuditRecord
from cairn.edge import problems
from cairn.edge.callers import caller, names_in
from cairn.edge.events import parse_json, read, respond
from cairn.edge.guard import MARGIN_SECONDS, guarded, left, within
from cairn.edge.validation import Rules, validate
from cairn.ground.errors import CairnError, Disabled, NotFound, PermissionDenied
from cairn.ground.ids import Project
from cairn.ground.session import Subject
from cairn.keyvalue.fields import NamespaceInput
from cairn.telemetry.call_events import CallStarted, observed
from cairn.telemetry.record import CallRecord
from cairn.telemetry.tracing import span
from cairn.tool.subject import project_of, sizes_of, subject_of
from cairn.wiring import Services

if TYPE_CHECKING:  # tool.py imports this file, for the two ways into a tool
    from cairn.tool.tool import Tool

MEMORY_ACTIONS: Final = frozenset({"remember", "recall", "forget"})
"""The actions on an agent's memories: one that the catalog lacks is an answer that says so."""


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls, the services that answer, and until when, on the monotonic clock, where several calls share a time.

    `permission` is what the caller's policy lets the tool do in the namespace that the request names. `names` are what
    the request names for arguments that are left out.
    """

    caller: Caller
    services: Services
    until: float = math.inf
    permission: Permission = NOTHING
    names: Mapping[str, str] = field(default_factory=dict[str, str])


def answer_event(tool: Tool, event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Return the HTTP response to an API Gateway event of payload 2.0 or 1.0: the answer, or the problem; never raise.

    What fails before the call counts as the tool's too.
    """
    until = time.monotonic() + left(context)
    try:
        with guarded("") as record:
            record.name_tool(tool.name, tool.family)
            request = read(event)
            record.request_id = request.request_id
            who, names = caller(request), names_in(request.headers)
            services = wiring.services()
            arguments = parse_json(request.body, services.settings.limits)
            return respond(200, execute((tool,), tool.name, arguments, Call(who, services, until, names=names)))
    except CairnError as error:
        return respond(problems.http_status(error), problems.envelope(error), problems.headers(error))


def execute(tools: Sequence[Tool], name: str, arguments: object, call: Call) -> dict[str, Any]:
    """Run the named tool and return its answer as plain JSON values; only CairnErrors get out.

    Disabled where the tool is unknown or off, Unavailable where the call takes too long.
    """
    tool = next((each for each in tools if each.name == name), None)
    declared = () if tool is None else tool.input_schema()["properties"]
    event = _started(name, arguments, declared, call)
    with (
        observed(call.services.observer, event, problems.envelope) as outcome,
        guarded(call.caller.request_id) as record,
    ):
        record.ran = True
        record.name_tenant(call.caller.tenant)
        if tool is None:
            raise _unknown(name)
        record.name_tool(tool.name, tool.family)
        with span("tool", tool=tool.name, operation=tool.right):
            now = time.monotonic()
            timed = replace(call, until=min(now + tool.timeout - MARGIN_SECONDS, call.until))
            outcome.answer = within(timed.until - now, partial(_admit_and_run, tool, arguments, timed, record))
    return outcome.answer


def _admit_and_run(tool: Tool, arguments: object, call: Call, record: CallRecord) -> dict[str, Any]:
    """Return the tool's answer if the call passes every check; the journal records it, refused or not."""
    services, settings, tenant = call.services, call.services.settings, call.caller.tenant
    entry = services.journal.begin(call.caller, tool.name)
    with _refusals_recorded(services, entry):
        with _permission_check(tool):
            _check_switch(tool, call)
            _check_scope(tool, call.caller)
        rules = Rules(settings.limits, settings.memory_for(tenant).lenient, call.names)
        request = validate(tool.input, arguments, rules)

    project = project_of(request)
    entry = replace(entry, subject=subject_of(request, call.names), arguments=sizes_of(arguments))
    record.name_subject(entry.subject, entry.arguments)
    with _refusals_recorded(services, entry):
        with _permission_check(tool):
            _check_project(tool, project, call.caller)
        permitted = _checked_policy(tool, request, call)

    buckets = settings.rates.buckets(tenant, tool.name, entry.subject.place)
    work = partial(_run, tool, request, permitted, entry.subject)
    return services.journal.run(entry, buckets, work).model_dump(mode="json")


def _run(tool: Tool, request: BaseModel, call: Call, subject: Subject) -> BaseModel:
    """Run the tool's own line; where enrichment is on, a standard tool is told what earlier calls met."""
    if tool.family != "standard" or not call.services.settings.enrichment.enabled:
        return tool.run(request, call)
    from cairn.tool.enrichment import AutoMemorySystem, enriched  # noqa: PLC0415 - not loaded where it is off

    memory = AutoMemorySystem(call.services, call.caller.tenant, subject.project)
    return enriched(memory, tool.name, subject.session_id, request, lambda given: tool.run(given, call))


def _started(name: str, arguments: object, declared: Collection[str], call: Call) -> CallStarted:
    given = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
    session = {**call.names, **given}.get("session_id")
    return CallStarted(
        request_id=call.caller.request_id,
        id=token_hex(8),
        name=name,
        session=session if isinstance(session, str) else None,
        args=cast("object", arguments),
        declared=declared,
    )


def _unknown(name: str) -> CairnError:
    if name in MEMORY_ACTIONS:
        return NotFound(f"Memory action '{name}' not found")
    return Disabled("No such tool, or it is switched off")


@contextmanager
def _refusals_recorded(services: Services, entry: AuditRecord) -> Generator[None]:
    """Record a call that is refused inside, but not one of a tool that is switched off: there is no such tool."""
    try:
        yield
    except Disabled:
        raise
    except CairnError as error:
        buckets = services.settings.rates.buckets(entry.tenant, entry.tool, None)
        services.journal.refuse(entry, error, buckets)
        raise


def _permission_check(tool: Tool) -> AbstractContextManager[object]:
    return span("permission check", tool=tool.name, operation=tool.right)


def _check_switch(tool: Tool, call: Call) -> None:
    if not tool.enabled(call.services.settings, call.caller.tenant):
        raise Disabled("No such tool, or it is switched off", {"tool": tool.name})


def _check_scope(tool: Tool, caller: Caller) -> None:
    """Hold the caller to its scopes; a tool that runs others needs none, since each of them is held to its own."""
    if tool.runs is None and tool.right not in caller.scopes:
        lacking = {"namespace": tool.family, "operation": tool.right}
        raise PermissionDenied(f"This key lacks the scope {tool.right}", lacking, reason="scope")


def _check_project(tool: Tool, project: Project | None, caller: Caller) -> None:
    if not tool.is_open(caller, project):
        refused = {"namespace": project or tool.family, "operation": tool.right}
        raise PermissionDenied("This key does not open this project", refused, reason="project")


def _checked_policy(tool: Tool, request: BaseModel, call: Call) -> Call:
    """Hold the call to its policy if it names a namespace of key-value memory, and return it with what is permitted."""
    if not isinstance(request, NamespaceInput):
        return call
    with _permission_check(tool):
        permission = call.services.policies.permission(call.caller.policy, tool.name)
    if not permission.allows(request.namespace, tool.right):
        refused = {"namespace": request.namespace, "operation": tool.right}
        raise PermissionDenied(f"Access denied to namespace '{request.namespace}'", refused, reason="policy")
    return replace(call, permission=permission)
