"""A tool as it is declared: one function between an input and an output model, and what a door needs to know of it.

What happens to a call of it, before and after that function, is in `cairn.tool.call`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel

from cairn.access.api_keys import Scope
from cairn.access.callers import Caller
from cairn.access.policy import GovernedTool, Right
from cairn.edge import schema
from cairn.edge.routes import Route
from cairn.ground.errors import CairnError
from cairn.ground.ids import Project, Tenant
from cairn.settings.settings import AwsStore, Settings
from cairn.tool.call import Call, answer_event, execute

OPERATORS, PROGRAMS = "operators", "programs"
"""The functions that many tools are in together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as every door sees it.

    `summary` tells an agent when to call it and what it gets, `example` are arguments that work. `grants` are the
    permissions its Lambda needs ("table:read"; "table:put", to add items and change none; "table:write"; "blobs:read";
    "blobs:write"; "key:use"; "model:ask"; a standard tool's alone: "sandbox:invoke", and "enrichment:use" to be told of
    earlier calls). `right` is the operation that a policy has to allow. It is the scope that a key needs as well, but
    for a tool that is `for_operators`: that takes the scope admin, all projects, and a key that speaks for whomever is
    named. Those `for_programs` are for programs that keep things of their own, not for a model: over MCP only a profile
    that names one lists it, and like those for operators they are in one Lambda together and have no `route`. `timeout`
    is in seconds. Where not `on_by_default`, the settings have to name the tool. `runs` finds the tools that it runs by
    name, where it runs any: it needs no scope of its own, since each of them is admitted by itself, and no grants,
    since its Lambda has those of all. One with a `route` is called there too: it is for programs and people, and over
    MCP only a profile that names it lists it. With `of_own_projects` it tells each caller of its own projects, and
    needs not all. One that is `own_machine_only` is off in AWS and has no grants, as it walks the whole store. `frees`
    tells of a request that it forgets, removes or takes back, so that no budget that is spent stands in its way.
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
    right: Right
    destructive: bool
    idempotent: bool
    timeout: int
    on_by_default: bool
    runs: Callable[[], Sequence[Tool]] | None = None
    route: Route | None = None
    of_own_projects: bool = False
    for_operators: bool = False
    for_programs: bool = False
    own_machine_only: bool = False
    frees: Callable[[Any], bool] | None = None

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
        if self.own_machine_only and isinstance(settings.store, AwsStore):
            return False
        switched_on = settings.tool_switches.get(self.name, self.on_by_default)
        return switched_on and (self.family != "memory" or settings.memory_enabled_for(tenant))

    @property
    def scope(self) -> Scope:
        """Return the scope that a key needs."""
        return "admin" if self.for_operators else self.right

    @property
    def for_people(self) -> bool:
        """Return whether programs and people call it, and no agent's model."""
        return self.route is not None or self.for_operators or self.for_programs

    @property
    def function(self) -> str:
        """Return the name of the Lambda function that it is in: its own, or that of all tools of its kind."""
        if self.for_operators:
            return OPERATORS
        return PROGRAMS if self.for_programs else self.name

    @property
    def read_only(self) -> bool:
        """Return whether the tool changes nothing."""
        return self.right == "read"

    @property
    def spends(self) -> bool:
        """Return whether a budget that is spent may stand in its way: a tool that writes, and none for operators."""
        return not (self.read_only or self.for_operators or self.runs or self.frees is always)

    def is_open(self, caller: Caller, project: Project | None) -> bool:
        """Tell whether the caller's projects suffice: if no project is named, a tool with grants takes all of them.

        One for operators takes all in any case.
        """
        if self.for_operators:
            return caller.may_use_all
        if project is not None:
            return caller.may_use(project)
        return self.of_own_projects or not self.grants or caller.may_use_all

    def visible(self, call: Call) -> bool:
        """Tell whether the caller may call the tool at all; what it may do where is told call by call.

        A policy that cannot be read hides nothing: each call is held to it anyway.
        """
        if not self.enabled(call.services.settings, call.caller.tenant):
            return False
        if self.runs is not None:
            return any(each.visible(call) for each in self.runs() if each is not self)
        names_project = "project" in self.input_schema()["properties"] and not self.for_operators
        opened = names_project or self.is_open(call.caller, None)
        is_bound = self.for_operators and bool(call.caller.users)
        return self.scope in call.caller.scopes and opened and not is_bound and self._governed(call)

    def handler(self, event: dict[str, Any], context: object) -> dict[str, Any]:
        """Answer an API Gateway event of payload 2.0 or 1.0; never raise."""
        return answer_event(self, event, context)

    def execute(self, arguments: object, call: Call) -> dict[str, Any]:
        """Return the tool's answer to the call as plain JSON values; only CairnErrors get out."""
        return execute((self,), self.name, arguments, call)

    def _governed(self, call: Call) -> bool:
        """Tell whether the caller's policy lets the tool do anything, where policies speak of it."""
        if self.name not in get_args(GovernedTool):
            return True
        try:
            permission = call.services.policies.permission(call.caller.policy, self.name)
        except CairnError:
            return True
        return self.right in permission.rights


def always(request: Any) -> bool:
    """Tell of any request that it frees."""
    del request
    return True


def visible(tools: Sequence[Tool], call: Call) -> tuple[Tool, ...]:
    """Return the tools that are switched on for the caller and that it may use at all, in their order."""
    return tuple(tool for tool in tools if tool.visible(call))


def families(tools: Sequence[Tool], settings: Settings) -> dict[str, bool]:
    """Return each family of tools, and whether a tenant without a switch of its own has any tool of it."""
    switched_on = {tool.family for tool in tools if tool.enabled(settings, None)}
    return {tool.family: tool.family in switched_on for tool in tools}


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
    route: str | None = None,
    of_own_projects: bool = False,
    for_operators: bool = False,
    for_programs: bool = False,
    own_machine_only: bool = False,
    frees: Callable[[Any], bool] | None = None,
) -> Callable[[Callable[[Any, Call], BaseModel]], Tool]:
    """Make a Tool of a function (request, call) -> answer: its name, docstring and annotations say the rest."""

    def declare(run: Callable[[Any, Call], BaseModel]) -> Tool:
        return Tool(
            **_said_of(title, run, "read" if read_only else "write", route),
            example=example,
            family=family,
            grants=grants,
            destructive=destructive,
            idempotent=idempotent,
            timeout=timeout,
            on_by_default=on_by_default,
            runs=runs,
            of_own_projects=of_own_projects,
            for_operators=for_operators,
            for_programs=for_programs,
            own_machine_only=own_machine_only,
            frees=frees,
        )

    return declare


def _said_of(title: str, run: Callable[[Any, Call], BaseModel], right: Right, route: str | None) -> dict[str, Any]:
    """Return a tool's title, right, route and function, and what that says: its name, use, input and output."""
    hints = get_type_hints(run)
    told: dict[str, Any] = {
        "title": title,
        "run": run,
        "name": run.__name__,
        "summary": inspect.cleandoc(run.__doc__ or ""),
    }
    told |= {"right": right, "route": None if route is None else Route.of(route)}
    return {**told, "input": hints["request"], "output": hints["return"]}
