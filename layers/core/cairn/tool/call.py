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
import re
import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import BaseModel

from cairn import wiring
from cairn.access.callers import Caller
from cairn.access.policy import NOTHING, Permission
from cairn.calls.receipts import Receipt
from cairn.calls.record import AuditRecord
from cairn.edge import problems
from cairn.edge.callers import caller, names_in
from cairn.edge.events import Request, parse_json, read, respond
from cairn.edge.guard import MARGIN_SECONDS, guarded, left, within
from cairn.edge.validation import Rules, validate, without_nulls
from cairn.ground import ids
from cairn.ground.errors import CairnError, Disabled, InvalidArgument, NotFound, PermissionDenied
from cairn.ground.ids import Project, UserId, is_branch, trunk
from cairn.ground.session import Subject
from cairn.ground.settings import Limits
from cairn.keyvalue.fields import NamespaceInput
from cairn.services import Services
from cairn.telemetry.call_events import CallStarted, observed
from cairn.telemetry.record import CallRecord, positions_read
from cairn.telemetry.tracing import span
from cairn.tool.asked import receipt_of
from cairn.tool.bound import check_session, check_user, spoken_by
from cairn.tool.catalog import only
from cairn.tool.subject import fields_of, project_of, sizes_of, subject_of

if TYPE_CHECKING:  # tool.py imports this file, for the two ways into a tool
    from cairn.tool.tool import Tool

MEMORY_ACTIONS: Final = frozenset({"remember", "recall", "forget"})
"""The actions on an agent's memories: one that the catalog lacks, or that is off, is an answer that says so."""
ON_BRANCHES: Final = MEMORY_ACTIONS | {
    *(f"memory_{name}" for name in ("before_turn", "after_turn", "take_back_turn", "list_known", "list_receipts")),
    *(f"memory_{name}" for name in ("correct", "restore", "pin")),
}
"""The tools that may be asked of a branch: all that they read and change is in logs, turns and receipts."""
_ACTION: Final = re.compile(r"memory_\w{1,57}", re.ASCII)
DAMAGED: Final = "damaged"
"""How many damaged records any tool's answer was made without; an answer without damage does not have it."""


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls, the services that answer, and until when, on the monotonic clock, where several calls share a time.

    `permission` is what the caller's policy lets the tool do in the namespace that the request names. `names` are what
    the request names for arguments that are left out. `id` is that of its record, once it is let in.
    """

    caller: Caller
    services: Services
    until: float = math.inf
    permission: Permission = NOTHING
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    id: str = ""

    @property
    def at(self) -> datetime | None:
        """Return the moment of the call, None before it is let in."""
        return ids.moment_of(self.id) if self.id else None

    @property
    def known_names(self) -> Mapping[str, str]:
        """Return what stands for arguments that are left out: what the request names, or else the credential."""
        return {**self.caller.bound, **self.names}

    @property
    def speaker(self) -> UserId | None:
        """Return the user that a caller bound to users speaks for, where a header or its credential settles that."""
        users, named = self.caller.users, self.names.get("user_id")
        return next((user for user in users if user == named), users[0] if len(users) == 1 else None)


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
            arguments = _arguments(tool, request, services.settings.limits)
            return respond(200, execute((tool,), tool.name, arguments, Call(who, services, until, names=names)))
    except CairnError as error:
        return respond(problems.http_status(error), problems.envelope(error), problems.headers(error))


def _arguments(tool: Tool, request: Request, limits: Limits) -> object:
    """Return what a request gives the tool: its body, or the path and query of the tool's own route."""
    if tool.route is not None and tool.route.is_of(request):
        return tool.route.arguments(request, tool.input_schema(), limits)
    return parse_json(request.body, limits)


def execute(tools: Sequence[Tool], name: str, arguments: object, call: Call) -> dict[str, Any]:
    """Run the named tool and return its answer as plain JSON values; only CairnErrors get out.

    Disabled where the tool is unknown or off, Unavailable where the call takes too long.
    """
    tool = next(iter(only(tools, name)), None)
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
    entry = replace(services.journal.begin(call.caller, tool.name), subject=Subject(user_id=call.speaker))
    with _refusals_recorded(services, entry):
        with _permission_check(tool):
            _check_switch(tool, call)
            _check_scope(tool, call.caller)
        rules = Rules(settings.limits, settings.memory_for(tenant).lenient, call.names, call.caller.bound)
        request = validate(tool.input, arguments, rules)

    fields = fields_of(request)
    subject = spoken_by(tool, subject_of(fields, call.known_names), call)
    shown = services.journal.names.subject(tenant, subject)
    entry = replace(entry, subject=subject, shown=shown, arguments=sizes_of(without_nulls(tool.input, arguments)))
    record.name_subject(shown, entry.arguments)
    # What a session's user is told of it is not for others to fill.
    with _refusals_recorded(services, replace(entry, is_listed=False)), _permission_check(tool):
        _check_project(tool, project_of(fields), call)
        check_user(tool, fields, call)
        check_session(tool, fields, subject, call)
    with _refusals_recorded(services, entry):
        permitted = _checked_policy(tool, request, call)
        budget = _held_to_budget(tool, request, call)

    buckets = settings.rates.buckets(tenant, tool.name, shown.place)
    work = partial(_run, tool, request, replace(permitted, id=entry.id), subject)
    receipt = receipt_of(fields, arguments, call, entry)
    beside = [*budget, *([] if receipt is None else [receipt])]
    with positions_read() as positions:
        answer = services.journal.run(entry, buckets, work, only_reads=tool.read_only, beside=beside)
    given = answer.model_dump(mode="json")
    if receipt is not None and receipt.result and not record.unrecorded:
        given["receipt"] = Receipt.of(entry.id, positions, given).text()
    return {**given, DAMAGED: record.damaged} if record.damaged else given


def _run(tool: Tool, request: BaseModel, call: Call, subject: Subject) -> BaseModel:
    """Run the tool's own line; where enrichment is on, a standard tool is told what earlier calls met."""
    if tool.family != "standard" or not call.services.settings.enrichment.enabled:
        return tool.run(request, call)
    from cairn.tool.enrichment import AutoMemorySystem, enriched  # noqa: PLC0415 - not loaded where it is off

    users = call.caller.users if subject.user_id is None else (subject.user_id,)
    memory = AutoMemorySystem(call.services, call.caller.tenant, subject.project, users=users)
    return enriched(memory, tool.name, subject.session_id, request, lambda given: tool.run(given, call))


def _started(name: str, arguments: object, declared: Collection[str], call: Call) -> CallStarted:
    given = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
    session = given.get("session_id")
    session = call.names.get("session_id") if session is None else session
    return CallStarted(
        request_id=call.caller.request_id,
        id=token_hex(8),
        name=name,
        session=_session_shown(session, call) if isinstance(session, str) else None,
        args=cast("object", arguments),
        declared=declared,
    )


def is_memory_action(name: str) -> bool:
    """Tell whether a name is one of an action on memory, be there such an action or not."""
    return name in MEMORY_ACTIONS or _ACTION.fullmatch(name) is not None


def _session_shown(given: str, call: Call) -> str:
    """Return a session as it may be put on record; what is no name of one is looked at by nobody."""
    with suppress(InvalidArgument):
        return call.services.journal.names.name(call.caller.tenant, ids.session_id(given))
    return given


def _unknown(name: str) -> CairnError:
    return missing_action(name) if is_memory_action(name) else Disabled("No such tool, or it is switched off")


def missing_action(name: str) -> NotFound:
    """Return the error of a memory action that there is not."""
    return NotFound(f"Memory action '{name}' not found")


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
        is_action = tool.name in MEMORY_ACTIONS
        missing = missing_action(tool.name).message if is_action else "No such tool"
        raise Disabled(f"{missing}, or it is switched off", {"tool": tool.name})


def _check_scope(tool: Tool, caller: Caller) -> None:
    """Hold the caller to its scopes; a tool that runs others needs none, since each of them is held to its own."""
    if tool.runs is None and tool.scope not in caller.scopes:
        lacking = {"namespace": tool.family, "operation": tool.right}
        raise PermissionDenied(f"This key lacks the scope {tool.scope}", lacking, reason="scope")


def _check_project(tool: Tool, project: Project | None, call: Call) -> None:
    """Hold the call to its caller's projects; a header names no other than one that the caller is bound to."""
    own, named = call.caller.bound.get("project"), call.names.get("project")
    is_other = own is not None and named is not None and trunk(Project(named)) != own
    if is_other or not tool.is_open(call.caller, project):
        refused = {"namespace": project or tool.family, "operation": tool.right}
        raise PermissionDenied("This key does not open this project", refused, reason="project")
    if project is not None and is_branch(project) and tool.name not in ON_BRANCHES:
        raise InvalidArgument("project", f"is a branch, which {tool.name} does not know; name the project itself")


def _held_to_budget(tool: Tool, request: BaseModel, call: Call) -> Sequence[Callable[[], None]]:
    """Hold a call that writes to its tenant's budget, and return what is to be done beside its work."""
    if not tool.spends or (tool.frees is not None and tool.frees(request)):
        return ()
    tenant = call.caller.tenant
    # Asked first: what adds up is loaded only where somebody has such a budget.
    return call.services.budgets.hold(tenant) if call.services.settings.budget_for(tenant).holds_back else ()


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
