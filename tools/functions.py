"""The functions of template.yaml: one for each tool, and those beside them, with what each is granted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.edge.guard import GATEWAY_SECONDS
from cairn.tool.tool import Tool
from cairn_mcp.profiles import PROFILES
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
    goes before that of all functions.
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


def _of_a_call(grants: tuple[str, ...]) -> tuple[str, ...]:
    """Return a tool's grants and, after them, those that each call's record takes."""
    return (*grants, "key:use", "journal:write", "rates:take")


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
)
_WORKER = Function(
    name="worker",
    handler="cairn_jobs.worker.handler",
    description="Do the jobs in the queue",
    grants=(*memory_run_maintenance.grants, *("key:use", "journal:write", "sessions:due", "audit:seal", "jobs:take")),
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
    """Return the functions beside the tools and then the tools'; MCP's and a pipe's may do all that any tool may.

    MCP's stands first: the template then says in full there what tools share, and a new tool is written by aliases.
    """
    of_all = {grant for tool in catalog for grant in _of_a_call(tool.grants)}
    granted = tuple(grant for grant in GRANTS if grant in of_all)
    tools = [
        Function(
            name=tool.name,
            handler=f"cairn_tools.{tool.name}.handler",
            description=tool.title,
            grants=_of_a_call(tool.grants) if tool.runs is None else granted,
            paths=(f"/v1/tools/{tool.name}",),
            routes=() if tool.route is None else (str(tool.route),),
            timeout=tool.timeout,
            memory=USUAL_MB if tool.runs is None else 1024,
            environment=_environment(tool.grants if tool.runs is None else granted),
        )
        for tool in catalog
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
    return (mcp, _HEALTH, _AUTHORIZER, _METADATA, _SCHEDULE, _WORKER, _SANDBOX, *tools)


def _environment(grants: Collection[str]) -> Mapping[str, Any]:
    return _CALLS_SANDBOX if "sandbox:invoke" in grants else {}
