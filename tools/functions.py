"""The functions of template.yaml: one for each tool, and those beside them, with what each is granted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.access.signed_requests import ROOT as AGENTCORE
from cairn.edge.guard import GATEWAY_SECONDS
from cairn.tool.tool import OPERATORS, PROGRAMS, Tool
from cairn_agentcore.catalog import METHODS as AGENTCORE_METHODS
from cairn_agentcore.catalog import TOOLS as AGENTCORE_TOOLS
from cairn_console.catalog import PAGES
from cairn_mcp.profiles import PROFILES
from cairn_mem0.asked import TOOLS as MEM0_TOOLS
from cairn_mem0.catalog import methods as mem0_methods
from cairn_mem0.door import PATH as MEM0
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from cloudformation import camel, ref
from grants import GRANTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """An API with the authorizer of its routes; `prefix` begins its resources' names, `condition` says when it is."""

    api: str
    authorizer: str
    prefix: str = ""
    condition: str | None = None


# What Globals in template.yaml give every function that names nothing else.
USUAL_SECONDS = 20
USUAL_MB = 512

_KEYS = Host(api="Api", authorizer="ApiAuthorizer")
_OAUTH = Host(api="OAuthApi", authorizer="OAuthAuthorizer", prefix="OAuth", condition="HasIssuer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A Lambda function: `name` is its log's name, `paths` with its methods the routes it answers on its hosts, if any.

    It is there where one of its hosts always is, or else where its first one is. Without hosts only a role may invoke
    it, as for the schedule. `routes` are further ones, each with a method of its own. The first path's resources are
    named after the function alone: a route whose name changed could not be deployed over its old self. `environment`
    goes before that of all functions. One that `fails_unseen` has an alarm of its own whichever are asked for: of the
    others' errors the gateway, the tools' success rate or the dead letters tell.
    """

    name: str
    handler: str
    description: str
    grants: tuple[str, ...]
    paths: tuple[str, ...] = ()
    methods: tuple[str, ...] = ("POST",)
    hosts: tuple[Host, ...] = (_KEYS,)
    timeout: int = USUAL_SECONDS
    memory: int = USUAL_MB
    public: bool = False
    routes: tuple[str, ...] = ()
    environment: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fails_unseen: bool = False

    @property
    def logical_id(self) -> str:
        """Return the prefix of its resources' names."""
        return camel(self.name)

    @property
    def embeds(self) -> bool:
        """Tell whether it has the layer of the embedding model, beside those of all functions."""
        return "texts:embed" in self.grants

    @property
    def condition(self) -> str | None:
        """Return the condition under which it is there, None for always."""
        conditions = [host.condition for host in self.hosts]
        return None if None in conditions or not conditions else conditions[0]


def _of_a_call(tool: Tool) -> tuple[str, ...]:
    """Return a tool's grants and, after them, those that each call's record and its tenant's settings take."""
    budget = ("budget:read",) if tool.spends else ()
    return (*tool.grants, "key:use", "journal:write", "rates:take", "settings:read", *budget)


_CALLS_SANDBOX: Mapping[str, Any] = {"CAIRN_SANDBOX": ref("SandboxFunction")}

_HEALTH = Function(
    name="health",
    handler="cairn_health.door.handler",
    description="Whether table, bucket and key answer, and what is switched on",
    grants=("stores:probe",),
    paths=("/healthz", "/v1/runtime-config", "/openapi.json"),
    methods=("GET",),
    timeout=10,
    public=True,
)
_AUTHORIZER = Function(
    name="authorizer",
    handler="cairn_auth.authorizer.handler",
    description="Who is calling",
    grants=("credentials:check", "keys:admit"),
    hosts=(_KEYS, _OAUTH),
    timeout=8,  # an issuer's two documents take up to four seconds; API Gateway waits for ten
)
_METADATA = Function(
    name="metadata",
    handler="cairn_auth.metadata.handler",
    description="Which issuer's tokens the OAuth host takes",
    grants=(),
    paths=("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"),
    methods=("GET",),
    hosts=(_OAUTH,),
    timeout=5,
    public=True,
)
_SCHEDULE = Function(
    name="schedule",
    handler="cairn_jobs.schedule.handler",
    description="Queue the maintenance that is due",
    grants=("sessions:due", "audit:due", "jobs:send"),
    hosts=(),
    timeout=30,
    fails_unseen=True,
)
_WORKER = Function(
    name="worker",
    handler="cairn_jobs.worker.handler",
    description="Do the jobs in the queue",
    grants=(
        *memory_run_maintenance.grants,
        *("key:use", "journal:write", "settings:read", "sessions:due", "audit:seal", "budget:reckon", "jobs:take"),
    ),
    hosts=(),
    timeout=120,  # the queue's visibility timeout is six times as long
    memory=1024,
)
_SANDBOX = Function(
    name="sandbox",
    handler="cairn_sandbox.door.handler",
    description="Standard tools, out of reach of memory",
    grants=(),
    hosts=(),
    # It is not told where memory is. SandboxToken in template.yaml lets it read its token.
    environment={
        **{name: ref("AWS::NoValue") for name in ("CAIRN_TABLE", "CAIRN_BUCKET", "CAIRN_KEY_ID", "CAIRN_QUEUE_URL")},
        "CAIRN_CLUSTER_TOKEN_ARN": ref("ClusterTokenArn"),
    },
)


def functions(catalog: Sequence[Tool]) -> tuple[Function, ...]:
    """Return the functions beside the tools and then the tools'; MCP's and a pipe's may do all that an agent's may.

    MCP's stands first: the template then says in full there what tools share, and a new tool is written by aliases.
    Tools for operators have one function together, those for programs another, and the console's may do what all may.
    """
    granted = _granted(tool for tool in catalog if not tool.for_operators)
    tools = [
        Function(
            name=tool.name,
            handler=f"cairn_tools.{tool.name}.handler",
            description=tool.title,
            grants=_of_a_call(tool) if tool.runs is None else granted,
            paths=(f"/v1/tools/{tool.name}",),
            routes=() if tool.route is None else (str(tool.route),),
            timeout=tool.timeout,
            memory=USUAL_MB if tool.runs is None else 1024,
            environment=_environment(tool.grants if tool.runs is None else granted),
        )
        for tool in catalog
        if tool.function == tool.name
    ]
    mcp = Function(
        name="mcp",
        handler="cairn_mcp.door.handler",
        description="Every tool over MCP",
        grants=granted,
        paths=("/mcp", *(f"/mcp/{profile}" for profile in PROFILES)),
        methods=("POST", "GET", "DELETE"),  # the last two get the 405 that MCP clients expect
        hosts=(_KEYS, _OAUTH),
        timeout=GATEWAY_SECONDS,
        memory=1024,
        environment=_environment(granted),
    )
    beside = (_HEALTH, _AUTHORIZER, _METADATA, _SCHEDULE, _WORKER, _SANDBOX, _console(catalog))
    return (mcp, *beside, *_addresses(), *_shared(catalog), *tools)


def _granted(tools: Iterable[Tool]) -> tuple[str, ...]:
    """Return what these tools are granted together."""
    found = {grant for tool in tools for grant in _of_a_call(tool)}
    return tuple(grant for grant in GRANTS if grant in found)


def _console(catalog: Sequence[Tool]) -> Function:
    """Return the function of the console: it asks no authorizer, since it reads a browser's cookie itself.

    It may do what the tools that its pages ask may do, but for those that are off in AWS.
    """
    asked = {name for page in PAGES for name in page.tools}
    grants = {*_granted(tool for tool in catalog if tool.name in asked), "credentials:check", "keys:admit"}
    granted = tuple(grant for grant in GRANTS if grant in grants)
    return Function(
        name="console",
        handler="cairn_console.door.handler",
        description="Pages on which people see and correct what is remembered",
        grants=granted,
        paths=("/", "/console", "/console/{page+}"),
        methods=("GET", "POST"),
        timeout=GATEWAY_SECONDS,
        memory=1024,
        public=True,
        environment=_environment(granted),
    )


def _addresses() -> Iterator[Function]:
    """Yield the functions of other services' clients, which may do what the tools may do that their calls ask."""
    for name, description, root, methods, tools in (
        ("mem0", "The calls of mem0's clients", MEM0, mem0_methods(), MEM0_TOOLS),
        ("agentcore", "The operations of AgentCore's clients", AGENTCORE, AGENTCORE_METHODS, AGENTCORE_TOOLS),
    ):
        granted = _granted(tools)
        yield Function(
            name=name,
            handler=f"cairn_{name}.door.handler",
            description=description,
            grants=granted,
            paths=(f"{root}/{{call+}}",),
            methods=methods,
            timeout=GATEWAY_SECONDS,
            memory=1024,
            environment=_environment(granted),
        )


_SHARED = {OPERATORS: "cairn_console.operators.handler", PROGRAMS: "cairn_programs.door.handler"}


def _shared(catalog: Sequence[Tool]) -> Iterator[Function]:
    """Yield the functions that many tools are in together, if there are such tools."""
    for name, handler in _SHARED.items():
        tools = [tool for tool in catalog if tool.function == name and not tool.own_machine_only]
        if tools:
            granted = _granted(tools)
            yield Function(
                name=name,
                handler=handler,
                description=f"Every tool for {name}",
                grants=granted,
                paths=tuple(f"/v1/tools/{tool.name}" for tool in tools),
                timeout=GATEWAY_SECONDS,
                environment=_environment(granted),
            )


def _environment(grants: Collection[str]) -> Mapping[str, Any]:
    return _CALLS_SANDBOX if "sandbox:invoke" in grants else {}
