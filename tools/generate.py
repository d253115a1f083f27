"""Write what follows from the catalog and the settings: sample events, reference pages, the template's functions.

And what agents install, which follows from the package's version: see `plugins`.

`--check` fails on drift.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast, get_type_hints

from annotated_types import Ge, Gt, Le, Lt
from cfnlint.decode import cfn_yaml
from typing_extensions import Doc

import plugins
import template_functions
from cairn.access.signed_requests import ROOT as AGENTCORE
from cairn.edge.problems import HTTP_STATUS
from cairn.edge.routes import SHORT_NAMES
from cairn.ground.ids import Project, Tenant
from cairn.ground.jobs import EmbedLog, IndexLog, Job, MaintainShard, RunTask, SealAudit, encoded
from cairn.settings.options import OPTIONS, Option
from cairn.settings.settings import variables
from cairn.telemetry.metrics import METRICS
from cairn.telemetry.record import CallRecord
from cairn.telemetry.tracing import SPANS
from cairn.tool.tool import Tool
from cairn_mem0.door import PATH as MEM0
from cairn_tools.catalog import CATALOG

ROOT = Path(__file__).resolve().parent.parent
MCP_VERSION = "2026-07-28"
_LOCAL = Tenant("local")
JOBS: tuple[Job, ...] = (
    MaintainShard(0),
    IndexLog(_LOCAL, Project("garden"), "u:ada"),
    EmbedLog(_LOCAL, Project("garden"), "u:ada"),
    SealAudit(_LOCAL),
    RunTask(_LOCAL, "01ARYZ6S410000000000000000"),
)
PUBLIC = {
    "health": ("/healthz", "api.example.com"),
    "runtime_config": ("/v1/runtime-config", "api.example.com"),
    "openapi": ("/openapi.json", "api.example.com"),
    "metadata": ("/.well-known/oauth-protected-resource", "memory.example.com"),
}
SHORT = {field: short for short, field in SHORT_NAMES.items()}
_SIGNS = {Ge: ("≥", "ge"), Gt: (">", "gt"), Le: ("≤", "le"), Lt: ("<", "lt")}
_SETTINGS_INTRODUCTION = """\
Generated. Keys stand under `settings.mcp` of one YAML or JSON document, given as CAIRN_SETTINGS or CAIRN_SETTINGS_FILE.
An environment variable goes before the document. A tenant's own `memory.*`, `budget.*` and `tools.memory.enabled` go
before both, under `settings.mcp.tenants.<tenant>`, or in the store where `settings.mcp.tenants` is `stored`.
`settings.mcp.tools.memory.*` is another name of `settings.mcp.memory.*`, and `settings.mcp.tools.<tool>.enabled: false`
switches one tool off; `per_second` and `burst` there are its own rate."""

_HTTP_INTRODUCTION = """\
Generated. Every tool is `POST /v1/tools/{name}` with its arguments as JSON; [Tools](tools.md) lists them. These can be
asked with path and query too, under the same key, scopes and rates. A parameter that is bound to the key, or stands in
a header `X-Cairn-Project`, `X-Cairn-Session` or `X-Cairn-User`, may be left out. `GET /healthz`,
`GET /v1/runtime-config` and `GET /openapi.json` need no key; the last describes all of this to programs, in OpenAPI
3.1. An error is `{"type": "error", "error": {"code", "message", "details", "retryable"}}`. Below `/mem0`
[mem0's clients](../how-to/move-from-mem0.md) are answered, in their own form."""

_TELEMETRY_INTRODUCTION = """\
Generated. All of it holds names, numbers and codes, never content, keys or tokens. Log and metrics are lines of JSON on
standard error, which Lambda sends to the function's log group; standard output belongs to protocols."""
_METRICS_INTRODUCTION = """\
Written where CAIRN_METRICS names a CloudWatch namespace, as in template.yaml: `Cairn/<stack>`. CloudWatch reads them
out of the log, which has none where a function's log level is above INFO. `status` is `OK` or an error's code."""
_ALARMS_INTRODUCTION = """\
CloudWatch bills $0.10 a month for each, and ten of an account's are free. The parameter `Alarms` of template.yaml says
which there are: `essential`, the default, has those below, where a function's errors are among the gateway's 5xx or end
as dead letters. `all` adds one for each function's errors, which names it, and three for enrichment."""
_LINE_INTRODUCTION = """\
Each call leaves one line whose `message` is `call`. A field is there where there is something to say. Beside them every
line has `level`, `timestamp`, `location`, `service`, and `xray_trace_id` in a traced Lambda; a line that is logged
during a call has its `request_id`, one about an exception its class as `exception_name`."""
_SPANS_INTRODUCTION = """\
Sent to X-Ray where Lambda samples the request, under the function's own segment. Each is annotated with `tool`,
`operation` (`read` or `write`) and `status`, and flagged `error` for a refusal and `fault` for INTERNAL_ERROR and
UNAVAILABLE."""


def http_event(
    path: str, headers: Mapping[str, str], body: object, scopes: Sequence[str] = ("read", "write")
) -> dict[str, Any]:
    """Return an API Gateway event of payload 2.0 as it arrives behind the authorizer."""
    authorizer = {"lambda": {"tenant": "local", "scopes": " ".join(scopes), "projects": "*"}}
    return {
        "version": "2.0",
        "routeKey": f"POST {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", **headers},
        "requestContext": {
            "http": {"method": "POST", "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1"},
            "requestId": "sample-request",
            "authorizer": authorizer,
        },
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


def mem0_event() -> dict[str, Any]:
    """Return the event with which one of mem0's clients begins."""
    call = "v1/ping/"
    event = http_event(f"{MEM0}/{call}", {}, None)
    http = {**event["requestContext"]["http"], "method": "GET"}
    context = {**event["requestContext"], "http": http}
    key, named = f"GET {MEM0}/{{call+}}", {"call": call}
    return {**event, "routeKey": key, "pathParameters": named, "requestContext": context, "body": ""}


def agentcore_event() -> dict[str, Any]:
    """Return the event with which AgentCore's clients list memories, behind the authorizer."""
    call = "memories/"
    event = http_event(f"{AGENTCORE}/{call}", {}, {})
    return {**event, "routeKey": f"POST {AGENTCORE}/{{call+}}", "pathParameters": {"call": call}}


def public_event(path: str, host: str) -> dict[str, Any]:
    """Return the event of a GET that no authorizer stands before."""
    event = http_event(path, {}, None)
    http = {**event["requestContext"]["http"], "method": "GET"}
    context = {"http": http, "requestId": event["requestContext"]["requestId"], "domainName": host}
    return {**event, "routeKey": f"GET {path}", "requestContext": context, "body": ""}


def sign_in_event(path: str, host: str) -> dict[str, Any]:
    """Return the event of the form by which a browser shows its key to the console."""
    event = public_event(path, host)
    context = {**event["requestContext"], "http": {**event["requestContext"]["http"], "method": "POST"}}
    headers = {"content-type": "application/x-www-form-urlencoded", "host": host, "origin": f"https://{host}"}
    shown = {"requestContext": context, "headers": headers, "body": "key=cairn_id_secret"}
    return {**event, "routeKey": f"POST {path}", **shown}


def authorizer_event(path: str) -> dict[str, Any]:
    """Return what API Gateway asks the authorizer before it passes a request on."""
    asked = http_event(path, {"authorization": "Bearer cairn_id_secret"}, None)
    context = {name: value for name, value in asked["requestContext"].items() if name != "authorizer"}
    kept = {name: value for name, value in asked.items() if name not in {"body", "isBase64Encoded"}}
    return {**kept, "type": "REQUEST", "requestContext": context}


def mcp_event(tool: Tool) -> dict[str, Any]:
    """Return the event of the tool's `tools/call` over MCP."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MCP_VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "sample", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    call = {"name": tool.name, "arguments": dict(tool.example), "_meta": meta}
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MCP_VERSION,
        "mcp-method": "tools/call",
        "mcp-name": tool.name,
    }
    return http_event("/mcp", headers, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


@cache
def _template() -> dict[str, Any]:
    return cast("Any", cfn_yaml).load(str(ROOT / "template.yaml"))


def sam_environment() -> dict[str, Any]:
    """Return the file for `sam local invoke --env-vars`: what the template gives functions and refers to.

    What is an output of the stack is named by it, to be replaced by its value; a parameter has its default.
    """
    template = _template()
    names = {json.dumps(each["Value"]): name for name, each in template["Outputs"].items()}
    defaults = {json.dumps({"Ref": name}): each.get("Default", "") for name, each in template["Parameters"].items()}
    given = [template["Globals"]["Function"], *(each["Properties"] for each in template["Resources"].values())]
    own: list[dict[str, Any]] = [each.get("Environment", {}).get("Variables", {}) for each in given]
    variables = {name: value for each in reversed(own) for name, value in each.items()}
    known = defaults | names
    referring = {name: json.dumps(value) for name, value in sorted(variables.items()) if not isinstance(value, str)}
    return {"Parameters": {name: known.get(value, "") for name, value in referring.items()}}


def job_event(job: Job) -> dict[str, Any]:
    """Return the event in which the queue hands the worker a job."""
    message = {"messageId": "sample-message", "body": encoded(job), "eventSource": "aws:sqs"}
    return {"Records": [message]}


def tools_page() -> str:
    """Return docs/reference/tools.md."""
    parts = ["# Tools", "", "Generated from the catalog; each is `POST /v1/tools/{name}` and an MCP tool alike.", ""]
    parts += ["An answer that was made without damaged records has a field `damaged` too: how many they are.", ""]
    for tool in CATALOG:
        parts += [f"## {tool.name}", "", tool.summary, "", f"Scope: {_scope(tool)}.", ""]
        parts += ["| input | type | default | |", "|---|---|---|---|", *_inputs(tool.input_schema()), ""]
        parts += ["| output | type | |", "|---|---|---|", *_outputs(tool.output_schema(), ""), ""]
        parts += ["```json", json.dumps(tool.example, indent=2, ensure_ascii=False), "```", ""]
    return "\n".join(parts)


def http_page() -> str:
    """Return docs/reference/http.md."""
    parts = ["# HTTP", "", _HTTP_INTRODUCTION, "", "| route | tool | parameters |", "|---|---|---|"]
    for tool in CATALOG:
        if tool.route is not None:
            takes = tool.input_schema()["properties"]
            asked = [SHORT.get(name, name) for name in takes if name not in tool.route.parameters]
            named = ", ".join(f"`{name}`" for name in asked)
            parts.append(f"| `{tool.route}` | [{tool.name}](tools.md#{tool.name}) | {named} |")
    parts += ["", "| status | error codes |", "|---|---|"]
    for status in sorted(set(HTTP_STATUS.values())):
        codes = ", ".join(f"`{code}`" for code, its in HTTP_STATUS.items() if its == status)
        parts.append(f"| {status} | {codes} |")
    return "\n".join([*parts, ""])


def settings_page() -> str:
    """Return docs/reference/settings.md."""
    parts = ["# Settings", "", _SETTINGS_INTRODUCTION, ""]
    parts += ["| key | variable | default | range | |", "|---|---|---|---|---|"]
    parts += [
        f"| `{each.key}` | `{each.variable}` | {_code(each.default)} | {_range(each)} | {each.description} |"
        for each in OPTIONS.values()
    ]
    parts += ["", "| variable | |", "|---|---|"]
    of_keys = {each.variable for each in OPTIONS.values()}
    parts += [f"| `{name}` | {sentence} |" for name, sentence in variables().items() if name not in of_keys]
    return "\n".join([*parts, ""])


def telemetry_page() -> str:
    """Return docs/reference/telemetry.md."""
    parts = ["# Telemetry", "", _TELEMETRY_INTRODUCTION, "", "## Metrics", "", _METRICS_INTRODUCTION, ""]
    parts += ["| metric | unit | dimensions | |", "|---|---|---|---|"]
    for metric in METRICS:
        shown = ", ".join(f"`{name}`" for name in metric.dimensions)
        parts.append(f"| `{metric.name}` | {metric.unit} | {shown} | {metric.meaning} |")
    parts += ["", "## Alarms", "", _ALARMS_INTRODUCTION, "", "| alarm | |", "|---|---|", *_alarms()]
    parts += ["", "## The line of a call", "", _LINE_INTRODUCTION, "", "| field | |", "|---|---|"]
    for name, hint in get_type_hints(CallRecord, include_extras=True).items():
        notes = [note.documentation for note in getattr(hint, "__metadata__", ()) if isinstance(note, Doc)]
        parts += [f"| `{name}` | {sentence} |" for sentence in notes]
    parts += ["", "## Spans", "", _SPANS_INTRODUCTION, "", "| span | |", "|---|---|"]
    parts += [f"| `{name}` | {meaning} |" for name, meaning in SPANS.items()]
    return "\n".join([*parts, ""])


def _alarms() -> Iterator[str]:
    """Yield a line for each alarm that is in every stack, or in each with an issuer."""
    for name, each in _template()["Resources"].items():
        if each["Type"] == "AWS::CloudWatch::Alarm" and each.get("Condition") in {None, "HasIssuer"}:
            yield f"| `{name}` | {each['Properties']['AlarmDescription']} |"


def outputs() -> Iterator[tuple[Path, str]]:
    """Yield each generated file's path in the repository and its content."""
    for tool in CATALOG:
        scopes = ("read", "write", *(("admin",) if tool.for_operators else ()))
        http = http_event(f"/v1/tools/{tool.name}", {}, dict(tool.example), scopes)
        yield Path(f"events/http/{tool.name}.json"), json.dumps(http, indent=2) + "\n"
        if not tool.for_operators:
            yield Path(f"events/mcp/{tool.name}.json"), json.dumps(mcp_event(tool), indent=2) + "\n"
        if tool.family == "standard":
            asked = {"tool": tool.name, "arguments": dict(tool.example), "request_id": "sample-request"}
            yield Path(f"events/sandbox/{tool.name}.json"), json.dumps(asked, indent=2) + "\n"
    yield Path("events/env.json"), json.dumps(sam_environment(), indent=2) + "\n"
    for job in JOBS:
        yield Path(f"events/jobs/{job.kind}.json"), json.dumps(job_event(job), indent=2) + "\n"
    yield Path("events/jobs/schedule.json"), json.dumps({"id": "sample-execution"}, indent=2) + "\n"
    for name, (path, host) in PUBLIC.items():
        yield Path(f"events/http/{name}.json"), json.dumps(public_event(path, host), indent=2) + "\n"
    signing_in = sign_in_event("/console/sign-in", "api.example.com")
    yield Path("events/http/console.json"), json.dumps(signing_in, indent=2) + "\n"
    yield Path("events/http/mem0.json"), json.dumps(mem0_event(), indent=2) + "\n"
    yield Path("events/http/agentcore.json"), json.dumps(agentcore_event(), indent=2) + "\n"
    yield Path("events/authorizer.json"), json.dumps(authorizer_event("/mcp"), indent=2) + "\n"
    yield Path("docs/reference/tools.md"), tools_page()
    yield Path("docs/reference/http.md"), http_page()
    yield Path("docs/reference/settings.md"), settings_page()
    yield Path("docs/reference/telemetry.md"), telemetry_page()
    yield from plugins.files()
    template = Path("template.yaml")
    yield template, template_functions.spliced((ROOT / template).read_text(encoding="utf-8"), CATALOG)


def stale(root: Path) -> list[str]:
    """Return the generated files that differ from what is committed, and the events nothing has any more."""
    expected = dict(outputs())
    differing = [
        str(path)
        for path, text in expected.items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    ]
    found = [path.relative_to(root) for path in (root / "events").glob("*/*.json")]
    return differing + [str(path) for path in found if path not in expected]


def main() -> int:
    """Write the files, or with --check tell which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file is stale")
    if parser.parse_args().check:
        differing = stale(ROOT)
        print("\n".join(f"stale: {path}" for path in differing) or "all generated files are current")
        return 1 if differing else 0
    for path, text in outputs():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
    return 0


def _scope(tool: Tool) -> str:
    if tool.runs is not None:
        return "what each step's tool needs"
    return tool.scope


def _inputs(schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        default = "required" if name in required else _code(field["default"]) if "default" in field else ""
        yield f"| `{name}` | {_type(field)} | {default} | {field.get('description', '')} |"


def _outputs(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, field in schema["properties"].items():
        yield f"| `{prefix}{name}` | {_type(field)} | {field.get('description', '')} |"
        if "properties" in field.get("items", {}):
            yield from _outputs(field["items"], f"{prefix}{name}[].")


def _type(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(choice) for choice in field["anyOf"])
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if "type" not in field:
        return "any JSON"
    bounds = [f"{sign} {field[key]}" for key, sign in (("minimum", "≥"), ("maximum", "≤")) if key in field]
    kind = f"list of {_several(field['items'])}" if field["type"] == "array" else field.get("format", field["type"])
    return ", ".join([kind, *bounds])


def _several(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_several(choice) for choice in field["anyOf"])
    return f"lists of {_several(field['items'])}" if field.get("type") == "array" else f"{_type(field)}s"


def _range(option: Option) -> str:
    notes = getattr(option.kind, "__metadata__", ())
    return ", ".join(
        f"{sign} {getattr(note, name)}" for note in notes for kind, (sign, name) in _SIGNS.items() if type(note) is kind
    )


def _code(value: object) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"


if __name__ == "__main__":
    sys.exit(main())
