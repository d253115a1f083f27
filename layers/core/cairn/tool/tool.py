"""A tool: one function between an input and an output model, and everything a door needs to know about it."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from secrets import token_hex
from typing import Any, cast, get_args, get_type_hints

from pydantic import BaseModel

from cairn.access.callers import Caller
from cairn.access.policy import NOTHING, GovernedTool, Permission, Right
from cairn.edge import deadline, problems, schema
from cairn.edge.guard import guarded
from cairn.edge.names import named
from cairn.edge.validation import Rules, validate
from cairn.ground.errors import CairnError, Disabled, PermissionDenied
from cairn.ground.ids import Project, Tenant
from cairn.ground.session import Subject
from cairn.keyvalue.fields import NamespaceInput
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.telemetry.call_events import CallStarted, observed
from cairn.telemetry.record import CallRecord
from cairn.telemetry.tracing import span
from cairn.tool import gateway, journaled


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

    def observed(
        self, name: str, arguments: object, declared: Collection[str], run: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what a tool's run answers, with its start and its end told to the observer of calls."""
        given = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
        session = {**self.names, **given}.get("session_id")
        event = CallStarted(
            request_id=self.caller.request_id,
            id=token_hex(8),
            name=name,
            session=session if isinstance(session, str) else None,
            args=cast("object", arguments),
            declared=declared,
        )
        return observed(self.services.observer, event, run, problems.envelope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as every door sees it.

    `summary` tells an agent when to call it and what it gets, `example` are arguments that work. `grants` are the
    permissions its Lambda needs ("table:read"; "table:put", to add items and change none; "table:write"; "blobs:read";
    "blobs:write"; "key:use"; "model:ask"; a standard tool's alone: "sandbox:invoke", and "enrichment:use" to be told of
    earlier calls). `timeout` is in seconds. Where not `on_by_default`, the settings have to name the tool. `runs` finds
    the tools that it runs by name, where it runs any: it needs no scope of its own, since each of them is admitted by
    itself, and no grants, since its Lambda has those of all.
    """

    name: str
    title: str
    summary: str
    input: type[BaseModel]
    output: type[BaseModel]
    run: Callable[[Any, Call], BaseModel]
    example: Mapping[str, Any]
    family: str
    grants: tuple[str, ...]
    read_only: bool
    destructive: bool
    idempotent: bool
    timeout: int
    on_by_default: bool
    runs: Callable[[], Sequence[Tool]] | None = None

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of what the tool takes."""
        return schema.input_schema(self.input)

    def output_schema(self) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of what the tool gives."""
        return schema.output_schema(self.output)

    def enabled(self, settings: Settings, tenant: Tenant | None) -> bool:
        """Tell whether the settings leave the tool on, and where it is of memory, have memory on for the tenant.

        Without a tenant it is told for those that have no switch of their own.
        """
        switched_on = settings.tool_switches.get(self.name, self.on_by_default)
        return switched_on and (self.family != "memory" or settings.memory_enabled_for(tenant))

    def visible(self, call: Call) -> bool:
        """Tell whether the caller may call the tool at all; what it may do where is told call by call.

        A policy that cannot be read hides nothing: each call is held to it anyway.
        """
        if not self.enabled(call.services.settings, call.caller.tenant):
            return False
        if self.runs is not None:
            return any(each.visible(call) for each in self.runs() if each is not self)
        names_project = "project" in self.input_schema()["properties"]
        opened = names_project or self._opens(None, call.caller)
        return self._scope() in call.caller.scopes and opened and self._governed(call)

    def execute(self, arguments: object, call: Call) -> dict[str, Any]:
        """Validate, run and return plain JSON values, behind switches, rights and log; only CairnErrors get out."""
        declared = self.input_schema()["properties"]
        return call.observed(self.name, arguments, declared, lambda: self._guarded(arguments, call))

    def _guarded(self, arguments: object, call: Call) -> dict[str, Any]:
        with guarded(call.caller.request_id) as record:
            record.ran = True
            record.name_tool(self.name, self.family)
            record.name_tenant(call.caller.tenant)
            with span("tool", tool=self.name, operation=self._scope()):
                now = time.monotonic()
                timed = replace(call, until=min(now + self.timeout - deadline.MARGIN_SECONDS, call.until))
                return deadline.within(timed.until - now, lambda: self._run(arguments, timed, record))

    def handler(self, event: dict[str, Any], context: object) -> dict[str, Any]:
        """Answer an API Gateway event of payload 2.0 or 1.0; never raise."""
        until = time.monotonic() + deadline.left(context)
        return gateway.answer(
            event,
            lambda arguments, request, caller, services: self.execute(
                arguments, Call(caller, services, until, names=named(request.headers))
            ),
            tool=self.name,
            namespace=self.family,
        )

    def _run(self, arguments: object, call: Call, record: CallRecord) -> dict[str, Any]:
        entry = call.services.journal.begin(call.caller, self.name)
        with journaled.refusals(call.services, entry):
            with self._checking():
                self._admit(call)
            request = self._validated(arguments, call)
        entry = journaled.about(entry, request, arguments, call.names)
        record.name_subject(entry.subject, entry.arguments)
        with journaled.refusals(call.services, entry):
            with self._checking():
                self._admit_project(journaled.project_of(request), call.caller)
            permitted = self._permitted(request, call)
        work = partial(self._work, request, permitted, entry.subject)
        return journaled.run(call.services, entry, work).model_dump(mode="json")

    def _work(self, request: BaseModel, call: Call, subject: Subject) -> BaseModel:
        if self.family != "standard" or not call.services.settings.enrichment.enabled:
            return self.run(request, call)
        from cairn.tool.enrichment import AutoMemorySystem, enriched  # noqa: PLC0415 - not loaded where it is off

        memory = AutoMemorySystem(call.services, call.caller.tenant, subject.project)
        return enriched(memory, self.name, subject.session_id, request, lambda given: self.run(given, call))

    def _checking(self) -> AbstractContextManager[object]:
        return span("permission check", tool=self.name, operation=self._scope())

    def _admit(self, call: Call) -> None:
        if not self.enabled(call.services.settings, call.caller.tenant):
            raise Disabled("No such tool, or it is switched off", {"tool": self.name})
        scope = self._scope()
        if self.runs is None and scope not in call.caller.scopes:
            lacking = {"namespace": self.family, "operation": scope}
            raise PermissionDenied(f"This key lacks the scope {scope}", lacking, reason="scope")

    def _admit_project(self, project: Project | None, caller: Caller) -> None:
        """Hold the call to the caller's projects; a tool that reaches anything in no project's name takes them all."""
        if not self._opens(project, caller):
            refused = {"namespace": project or self.family, "operation": self._scope()}
            raise PermissionDenied("This key does not open this project", refused, reason="project")

    def _opens(self, project: Project | None, caller: Caller) -> bool:
        return caller.may_use(project) if project is not None else not self.grants or caller.may_use_all

    def _governed(self, call: Call) -> bool:
        """Tell whether the caller's policy lets the tool do anything, where policies speak of it."""
        if self.name not in get_args(GovernedTool):
            return True
        try:
            permission = call.services.policies.permission(call.caller.policy, self.name)
        except CairnError:
            return True
        return self._scope() in permission.rights

    def _permitted(self, subject: object, call: Call) -> Call:
        """Hold the call to its policy, if it names a namespace of key-value memory."""
        if not isinstance(subject, NamespaceInput):
            return call
        operation = self._scope()
        with self._checking():
            permission = call.services.policies.permission(call.caller.policy, self.name)
        if not permission.allows(subject.namespace, operation):
            refused = {"namespace": subject.namespace, "operation": operation}
            raise PermissionDenied(f"Access denied to namespace '{subject.namespace}'", refused, reason="policy")
        return replace(call, permission=permission)

    def _scope(self) -> Right:
        return "read" if self.read_only else "write"

    def _validated(self, arguments: object, call: Call) -> BaseModel:
        settings = call.services.settings
        rules = Rules(settings.limits, settings.memory_for(call.caller.tenant).lenient, call.names)
        return validate(self.input, arguments, rules)


def tool(  # noqa: PLR0913 - what a tool declares about itself, by name
    *,
    title: str,
    example: Mapping[str, Any],
    grants: tuple[str, ...],
    family: str = "memory",
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = True,
    timeout: int = 20,
    on_by_default: bool = True,
    runs: Callable[[], Sequence[Tool]] | None = None,
) -> Callable[[Callable[[Any, Call], BaseModel]], Tool]:
    """Make a Tool of a function (request, call) -> answer: its name, docstring and annotations say the rest."""

    def declare(run: Callable[[Any, Call], BaseModel]) -> Tool:
        hints = get_type_hints(run)
        return Tool(
            name=run.__name__,
            title=title,
            summary=inspect.cleandoc(run.__doc__ or ""),
            input=hints["request"],
            output=hints["return"],
            run=run,
            example=example,
            family=family,
            grants=grants,
            read_only=read_only,
            destructive=destructive,
            idempotent=idempotent,
            timeout=timeout,
            on_by_default=on_by_default,
            runs=runs,
        )

    return declare
