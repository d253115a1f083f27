"""Write the functions of template.yaml: each with its own role, log group, route and alarm, from what it is granted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.tool.tool import Tool
from cloudformation import Inline, Intrinsic, Shared, arn, camel, merged, ref, statement, sub, written
from functions import USUAL_MB, USUAL_SECONDS, Function, Host, functions
from grants import statements

BEGIN = "  # Generated from the catalog by `make generate`; do not edit.\n"
END = "  # End of what is generated.\n"
# What checkov would have of every function, and why it does not get it.
_SKIPPED = {
    "CKV_AWS_115": "The API's throttle bounds concurrency; a reservation takes it from the account.",
    "CKV_AWS_116": "Errors go back to the caller or the queue; the schedule comes again anyway.",
    "CKV_AWS_117": "It talks to AWS under IAM and to what the settings name; a VPC would add no boundary.",
    "CKV_AWS_173": "It holds names and settings, no secret; Lambda encrypts it under its own key.",
}
# What most resources of a kind have alike.
_REVIEWED = Shared("reviewed", {"skip": [{"id": check, "comment": reason} for check, reason in _SKIPPED.items()]})
_ASSUMED_BY_LAMBDA = Shared(
    "assumed-by-lambda",
    {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
        ],
    },
)
_WRITE_LOG = Shared(
    "WriteLog",
    {"Sid": "WriteLog", "Effect": "Allow", "Action": ["logs:CreateLogStream", "logs:PutLogEvents"]},
)
# X-Ray knows no resources.
_TRACE = Shared("Trace", statement("Trace", ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*"))
_LOGS = Shared("logs", {"RetentionInDays": ref("LogRetentionDays"), "KmsKeyId": arn("MemoryKey")})
_INTEGRATION = Shared("integration", {"IntegrationType": "AWS_PROXY", "PayloadFormatVersion": "2.0"})
_PERMISSION = Shared("permission", {"Action": "lambda:InvokeFunction", "Principal": "apigateway.amazonaws.com"})
_ALARM = Shared(
    "function-alarm",
    {
        "Namespace": "AWS/Lambda",
        "Statistic": "Sum",
        "Period": 300,
        "EvaluationPeriods": 1,
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": 0,
        "TreatMissingData": "notBreaching",
        "AlarmActions": Intrinsic("!If", ["HasAlarmTopic", [ref("AlarmTopicArn")], ref("AWS::NoValue")]),
    },
)
_MODEL = Intrinsic("!If", ["EmbedsInManyLanguages", ref("MultilingualLayer"), ref("ModelLayer")])
_IN_FULL = ("AWS::Serverless::Function", "AWS::IAM::Role")
_PARAMETER = re.compile(r"\{\w+\+?\}")
_FIRST_LINE = re.compile(r"^(?=\w+Function:)", re.MULTILINE)


def block(catalog: Sequence[Tool]) -> str:
    """Return the YAML of all functions' resources, markers included; each function's begin after an empty line."""
    resources = {name: value for each in functions(catalog) for name, value in _resources(each).items()}
    text = _FIRST_LINE.sub("\n", written(resources)).removeprefix("\n")
    return BEGIN + "".join(f"  {line}" if line.strip() else line for line in text.splitlines(keepends=True)) + END


def spliced(template: str, catalog: Sequence[Tool]) -> str:
    """Return the template with its generated block replaced; ValueError where it has no markers."""
    before, found, rest = template.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise ValueError("template.yaml has no block for generated functions")
    return before + block(catalog) + after


def _resources(function: Function) -> dict[str, Any]:
    name = function.logical_id
    own = {
        f"{name}Function": _function(function),
        f"{name}Role": _role(function),
        f"{name}Logs": _logs(function),
    }
    resources = _under(function.condition, own)
    for host in function.hosts:
        resources |= _under(host.condition, dict(_gateway(function, host)))
    return resources | _under(_alarm_condition(function), {f"{name}Errors": _alarm(function)})


def _under(condition: str | None, resources: dict[str, dict[str, Any]]) -> dict[str, Any]:
    under = {} if condition is None else {"Condition": condition}
    whole = {name: {"Type": each["Type"], **under, **each} for name, each in resources.items()}
    return {name: each if each["Type"] in _IN_FULL else Inline(each) for name, each in whole.items()}


def _function(function: Function) -> dict[str, Any]:
    name = function.logical_id
    properties: dict[str, Any] = {
        "Handler": function.handler,
        "Description": function.description,
        "Role": arn(f"{name}Role"),
        "LoggingConfig": {"LogGroup": ref(f"{name}Logs")},
    }
    if function.timeout != USUAL_SECONDS:
        properties["Timeout"] = function.timeout
    if function.memory != USUAL_MB:
        properties["MemorySize"] = function.memory
    if function.embeds:
        properties["Layers"] = [_MODEL]
    if function.environment:
        properties["Environment"] = {"Variables": dict(function.environment)}
    return {"Type": "AWS::Serverless::Function", "Metadata": Inline({"checkov": _REVIEWED}), "Properties": properties}


def _role(function: Function) -> dict[str, Any]:
    own = [
        merged(_WRITE_LOG, {"Resource": arn(f"{function.logical_id}Logs")}),
        _TRACE,
        *statements(function.grants),
    ]
    document = {"Version": "2012-10-17", "Statement": Inline(own)}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": _ASSUMED_BY_LAMBDA,
            "Policies": [{"PolicyName": "grants", "PolicyDocument": document}],
        },
    }


def _logs(function: Function) -> dict[str, Any]:
    name = sub(f"/cairn/${{AWS::StackName}}/{function.name}")
    return {"Type": "AWS::Logs::LogGroup", "Properties": merged(_LOGS, {"LogGroupName": name})}


def _gateway(function: Function, host: Host) -> Iterator[tuple[str, dict[str, Any]]]:
    name = f"{function.logical_id}{host.prefix}"
    if not function.paths:
        yield f"{name}Permission", _permission(function, host, f"authorizers/${{{host.authorizer}}}")
        return
    yield f"{name}Integration", _integration(function, host)
    for path in function.paths:
        prefix = name if path == function.paths[0] else name + camel(path.rpartition("/")[2])
        for method in function.methods:
            yield f"{prefix}{method.capitalize()}Route", _route(function, host, f"{method} {path}")
        if (source := _source(function.paths, path)) is not None:
            yield f"{prefix}Permission", _permission(function, host, f"*/*{source}")
    for route in function.routes:
        method, _, path = route.partition(" ")
        yield f"{name}Own{method.capitalize()}Route", _route(function, host, route)
        # IAM knows no names of parameters: whatever may stand in their place is one.
        yield f"{name}OwnPermission", _permission(function, host, f"*/{method}{_PARAMETER.sub('*', path)}")


def _source(paths: Sequence[str], path: str) -> str | None:
    """Return the paths for which a path's permission stands: those of one folder have one, with the first of them.

    A stack has 500 resources at most.
    """
    folder = path.rpartition("/")[0]
    beside = [each for each in paths if each.rpartition("/")[0] == folder]
    if len(beside) == 1 or not folder:
        return _PARAMETER.sub("*", path)
    return f"{folder}/*" if path == beside[0] else None


def _integration(function: Function, host: Host) -> dict[str, Any]:
    properties = {
        "ApiId": ref(host.api),
        "IntegrationUri": arn(f"{function.logical_id}Function"),
        "TimeoutInMillis": (function.timeout + 1) * 1000,
    }
    return {"Type": "AWS::ApiGatewayV2::Integration", "Properties": merged(_INTEGRATION, properties)}


def _route(function: Function, host: Host, key: str) -> dict[str, Any]:
    asked = {"AuthorizationType": "CUSTOM", "AuthorizerId": ref(host.authorizer)}
    access = {"AuthorizationType": "NONE"} if function.public else asked
    kind = f"{'public' if function.public else 'authorized'}{f'-{host.prefix}' if host.prefix else ''}-route"
    target = sub(f"integrations/${{{function.logical_id}{host.prefix}Integration}}")
    properties = merged(Shared(kind, {"ApiId": ref(host.api), **access}), {"RouteKey": key, "Target": target})
    return {"Type": "AWS::ApiGatewayV2::Route", "Properties": properties}


def _permission(function: Function, host: Host, source: str) -> dict[str, Any]:
    api = f"arn:${{AWS::Partition}}:execute-api:${{AWS::Region}}:${{AWS::AccountId}}:${{{host.api}}}"
    properties = {"FunctionName": ref(f"{function.logical_id}Function"), "SourceArn": sub(f"{api}/{source}")}
    return {"Type": "AWS::Lambda::Permission", "Properties": merged(_PERMISSION, properties)}


def _alarm_condition(function: Function) -> str | None:
    """Return when a function has an alarm: always where nothing else tells of its errors, or if all are asked for."""
    if function.fails_unseen:
        return function.condition
    return "AllAlarms" if function.condition is None else f"AllAlarmsAnd{function.condition}"


def _alarm(function: Function) -> dict[str, Any]:
    properties = {
        "AlarmDescription": f"{function.name} timed out or did not start.",
        "MetricName": "Errors",
        "Dimensions": [{"Name": "FunctionName", "Value": ref(f"{function.logical_id}Function")}],
    }
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": merged(_ALARM, properties)}
