"""Write the functions of template.yaml: each with its own role, log group, route and alarm, from what it is granted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cairn.edge.deadline import GATEWAY_SECONDS
from cairn.edge.tool import Tool
from cloudformation import Intrinsic, arn, ref, statement, sub, written
from grants import GRANTS, statements

BEGIN = "  # Generated from the catalog by `make generate`; do not edit.\n"
END = "  # End of what is generated.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A Lambda function: `name` is its log's name, `path` with its methods the routes it answers, if any."""

    name: str
    handler: str
    description: str
    grants: tuple[str, ...]
    path: str | None
    methods: tuple[str, ...] = ("POST",)
    timeout: int = 20
    memory: int = 512
    public: bool = False

    @property
    def logical_id(self) -> str:
        """Return the prefix of its resources' names."""
        return "".join(part.capitalize() for part in self.name.split("_"))


_HEALTH = Function(
    name="health",
    handler="cairn_health.door.handler",
    description="Whether table, bucket and key answer",
    grants=("table:read", "blobs:read", "key:use"),
    path="/healthz",
    methods=("GET",),
    timeout=10,
    public=True,
)
_AUTHORIZER = Function(
    name="authorizer",
    handler="cairn_auth.authorizer.handler",
    description="Who is calling",
    grants=("table:read", "key:use"),
    path=None,
    timeout=5,
)


def functions(catalog: Sequence[Tool]) -> tuple[Function, ...]:
    """Return the tools' functions and the ones beside them: MCP with all that any tool may do, health, authorizer."""
    tools = [
        Function(
            name=tool.name,
            handler=f"cairn_tools.{tool.name}.handler",
            description=tool.title,
            grants=tool.grants,
            path=f"/v1/tools/{tool.name}",
            timeout=tool.timeout,
        )
        for tool in catalog
    ]
    granted = {grant for tool in catalog for grant in tool.grants}
    mcp = Function(
        name="mcp",
        handler="cairn_mcp.door.handler",
        description="Every tool over MCP",
        grants=tuple(grant for grant in GRANTS if grant in granted),
        path="/mcp",
        methods=("POST", "GET", "DELETE"),  # the last two get the 405 that MCP clients expect
        timeout=GATEWAY_SECONDS,
        memory=1024,
    )
    return (*tools, mcp, _HEALTH, _AUTHORIZER)


def block(catalog: Sequence[Tool]) -> str:
    """Return the YAML of all functions' resources, markers included."""
    resources = [{name: value} for each in functions(catalog) for name, value in _resources(each).items()]
    text = "\n".join(written(each) for each in resources)
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
    return {
        f"{name}Function": _function(function),
        f"{name}Role": _role(function),
        f"{name}Logs": _logs(function),
        **dict(_gateway(function)),
        f"{name}Permission": _permission(function),
        f"{name}Errors": _alarm(function, "Errors", "timed out or did not start"),
        f"{name}Throttles": _alarm(function, "Throttles", "was throttled"),
    }


def _function(function: Function) -> dict[str, Any]:
    name = function.logical_id
    properties: dict[str, Any] = {
        "Handler": function.handler,
        "Description": function.description,
        "Role": arn(f"{name}Role"),
        "Timeout": function.timeout,
        "MemorySize": function.memory,
        "LoggingConfig": {"LogFormat": "JSON", "LogGroup": ref(f"{name}Logs")},
    }
    return {"Type": "AWS::Serverless::Function", "Properties": properties}


def _role(function: Function) -> dict[str, Any]:
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    own = [
        statement("WriteLog", ["logs:CreateLogStream", "logs:PutLogEvents"], arn(f"{function.logical_id}Logs")),
        statement("Trace", ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*"),  # X-Ray knows no resources
        *statements(function.grants),
    ]
    document = {"Version": "2012-10-17", "Statement": own}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
            "Policies": [{"PolicyName": "grants", "PolicyDocument": document}],
        },
    }


def _logs(function: Function) -> dict[str, Any]:
    properties = {
        "LogGroupName": sub(f"/cairn/${{AWS::StackName}}/{function.name}"),
        "RetentionInDays": ref("LogRetentionDays"),
        "KmsKeyId": arn("MemoryKey"),
    }
    return {"Type": "AWS::Logs::LogGroup", "Properties": properties}


def _gateway(function: Function) -> Iterator[tuple[str, dict[str, Any]]]:
    name = function.logical_id
    if function.path is None:
        return
    yield (
        f"{name}Integration",
        {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": ref("Api"),
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": arn(f"{name}Function"),
                "PayloadFormatVersion": "2.0",
                "TimeoutInMillis": (function.timeout + 1) * 1000,
            },
        },
    )
    access = {"AuthorizationType": "CUSTOM", "AuthorizerId": ref("ApiAuthorizer")}
    for method in function.methods:
        yield (
            f"{name}{method.capitalize()}Route",
            {
                "Type": "AWS::ApiGatewayV2::Route",
                "Properties": {
                    "ApiId": ref("Api"),
                    "RouteKey": f"{method} {function.path}",
                    **({"AuthorizationType": "NONE"} if function.public else access),
                    "Target": sub(f"integrations/${{{name}Integration}}"),
                },
            },
        )


def _permission(function: Function) -> dict[str, Any]:
    source = "authorizers/${ApiAuthorizer}" if function.path is None else f"*/*{function.path}"
    return {
        "Type": "AWS::Lambda::Permission",
        "Properties": {
            "Action": "lambda:InvokeFunction",
            "FunctionName": ref(f"{function.logical_id}Function"),
            "Principal": "apigateway.amazonaws.com",
            "SourceArn": sub(
                f"arn:${{AWS::Partition}}:execute-api:${{AWS::Region}}:${{AWS::AccountId}}:${{Api}}/{source}"
            ),
        },
    }


def _alarm(function: Function, metric: str, what: str) -> dict[str, Any]:
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmDescription": f"{function.name} {what}.",
            "Namespace": "AWS/Lambda",
            "MetricName": metric,
            "Dimensions": [{"Name": "FunctionName", "Value": ref(f"{function.logical_id}Function")}],
            "Statistic": "Sum",
            "Period": 300,
            "EvaluationPeriods": 1,
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": 0,
            "TreatMissingData": "notBreaching",
            "AlarmActions": Intrinsic("!If", ["HasAlarmTopic", [ref("AlarmTopicArn")], ref("AWS::NoValue")]),
        },
    }
