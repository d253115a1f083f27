"""What no linter sees in template.yaml: each function may do what its grants say, and the API lets nobody else in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode import cfn_yaml

import template_functions
from cairn.runtime.settings import variables
from cairn_tools.catalog import CATALOG

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = template_functions.functions(CATALOG)
ALLOWED = {
    "table:read": {"dynamodb:GetItem", "dynamodb:Query", "kms:Decrypt"},
    "table:put": {"dynamodb:PutItem"},
    "table:write": {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
    "blobs:read": {"s3:GetObject", "s3:ListBucket", "kms:Decrypt"},
    "blobs:write": {"s3:PutObject", "kms:GenerateDataKey"},
    "blobs:delete": {"s3:DeleteObject"},
    "key:use": {"kms:GenerateDataKey", "kms:Decrypt"},
    "jobs:send": {"sqs:SendMessage", "kms:GenerateDataKey", "kms:Decrypt"},
    "jobs:take": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "kms:Decrypt"},
}
EVERY_FUNCTION = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"}
SECRET = re.compile(r"secret|token|password|credential|master|api_key|LUMERA", re.IGNORECASE)


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return cfn_yaml.load(str(ROOT / "template.yaml"))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


@pytest.fixture(scope="module")
def resources(template: dict[str, Any]) -> dict[str, Any]:
    return template["Resources"]


@pytest.fixture(scope="module")
def roles(resources: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return each function's statements under the function's name in the block."""
    return {
        each.name: resources[f"{each.logical_id}Role"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
        for each in FUNCTIONS
    }


def of_type(resources: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == kind}


def allowed(statements: list[dict[str, Any]]) -> set[str]:
    return {action for each in statements if each["Effect"] == "Allow" for action in each["Action"]}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_function_may_do_what_its_grants_say_and_nothing_else(
    roles: dict[str, list[dict[str, Any]]], function: template_functions.Function
) -> None:
    expected = EVERY_FUNCTION.union(*(ALLOWED[grant] for grant in function.grants))

    assert allowed(roles[function.name]) == expected


def test_every_grant_is_some_function_s() -> None:
    assert {grant for function in FUNCTIONS for grant in function.grants} == set(ALLOWED)


def test_a_tool_that_only_reads_can_change_and_delete_nothing(roles: dict[str, list[dict[str, Any]]]) -> None:
    changes = {"dynamodb:UpdateItem", "dynamodb:DeleteItem", "s3:PutObject", "s3:DeleteObject"}

    for tool in CATALOG:
        if tool.read_only:
            assert changes & allowed(roles[tool.name]) == set(), tool.name
    assert "dynamodb:PutItem" not in allowed(roles["memory_list_dir_with_abstract"])
    assert "dynamodb:PutItem" not in allowed(roles["authorizer"])


def test_whoever_changes_items_can_neither_change_nor_delete_a_data_key(roles: dict[str, list[dict[str, Any]]]) -> None:
    writers = {name: each for name, each in roles.items() if "dynamodb:DeleteItem" in allowed(each)}

    assert writers
    for statements in writers.values():
        (denied,) = [each for each in statements if each["Effect"] == "Deny"]
        assert set(denied["Action"]) == {"dynamodb:UpdateItem", "dynamodb:DeleteItem"}
        assert denied["Condition"] == {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": ["*#keys"]}}


def test_no_statement_names_every_action_or_every_resource(roles: dict[str, list[dict[str, Any]]]) -> None:
    for statements in roles.values():
        for each in statements:
            assert not any("*" in action for action in each["Action"])
            assert each["Resource"] != "*" or each["Sid"] == "Trace"


@pytest.mark.req("R252")
def test_the_key_opens_only_for_a_tenant_the_table_the_bucket_or_the_queue(
    roles: dict[str, list[dict[str, Any]]],
) -> None:
    uses = [each for statements in roles.values() for each in statements if each["Action"][0].startswith("kms:")]

    assert uses
    for each in uses:
        conditions = {name for test in each["Condition"].values() for name in test}
        assert conditions in (
            {"kms:EncryptionContextKeys", "kms:EncryptionContext:tenant"},
            {"kms:ViaService", "kms:EncryptionContext:aws:dynamodb:tableName"},
            {"kms:ViaService", "kms:EncryptionContext:aws:s3:arn"},
            {"kms:ViaService", "kms:EncryptionContext:aws:sqs:arn"},
        )


def test_every_route_asks_the_authorizer_but_the_one_for_health(resources: dict[str, Any]) -> None:
    routes = {each["RouteKey"]: each for each in of_type(resources, "AWS::ApiGatewayV2::Route").values()}

    assert {f"POST /v1/tools/{tool.name}" for tool in CATALOG} < set(routes)
    assert {"POST /mcp", "GET /healthz"} < set(routes)
    assert routes.pop("GET /healthz")["AuthorizationType"] == "NONE"
    for route in routes.values():
        assert (route["AuthorizationType"], route["AuthorizerId"]) == ("CUSTOM", {"Ref": "ApiAuthorizer"})
    (authorizer,) = of_type(resources, "AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["EnableSimpleResponses"] is True
    assert authorizer["AuthorizerPayloadFormatVersion"] == "2.0"
    assert authorizer["IdentitySource"] == ["$request.header.Authorization"]


def test_the_api_is_throttled_and_writes_an_access_log(resources: dict[str, Any]) -> None:
    (stage,) = of_type(resources, "AWS::ApiGatewayV2::Stage").values()

    assert stage["StageName"] == "$default"
    assert set(stage["DefaultRouteSettings"]) >= {"ThrottlingRateLimit", "ThrottlingBurstLimit"}
    assert stage["AccessLogSettings"]["DestinationArn"] == {"Fn::GetAtt": ["ApiLogs", "Arn"]}


def test_no_web_page_of_just_anyone_may_call(resources: dict[str, Any]) -> None:
    (api,) = of_type(resources, "AWS::ApiGatewayV2::Api").values()

    assert api["CorsConfiguration"]["Fn::If"][1]["AllowOrigins"] == {"Ref": "AllowedOrigins"}


def test_only_the_gateway_s_own_routes_may_invoke_a_function(resources: dict[str, Any]) -> None:
    permissions = of_type(resources, "AWS::Lambda::Permission")

    assert set(permissions) == {f"{each.logical_id}Permission" for each in FUNCTIONS if each.invoker}
    assert {each.name for each in FUNCTIONS if not each.invoker} == {"schedule", "worker"}
    for each in permissions.values():
        assert each["Principal"] == "apigateway.amazonaws.com"
        assert "${Api}/" in each["SourceArn"]["Fn::Sub"]


def test_every_function_has_a_log_of_its_own_that_ends_and_is_encrypted(resources: dict[str, Any]) -> None:
    logs = of_type(resources, "AWS::Logs::LogGroup")
    functions = of_type(resources, "AWS::Serverless::Function")

    assert {each["LoggingConfig"]["LogGroup"]["Ref"] for each in functions.values()} == set(logs) - {"ApiLogs"}
    assert len(functions) == len(FUNCTIONS)
    for each in logs.values():
        assert each["RetentionInDays"] == {"Ref": "LogRetentionDays"}
        assert each["KmsKeyId"] == {"Fn::GetAtt": ["MemoryKey", "Arn"]}


def test_errors_throttles_latency_and_success_rate_raise_alarms(resources: dict[str, Any]) -> None:
    alarms = of_type(resources, "AWS::CloudWatch::Alarm")

    for function in FUNCTIONS:
        for metric in ("Errors", "Throttles"):
            alarm = alarms[f"{function.logical_id}{metric}"]
            assert (alarm["MetricName"], alarm["Threshold"]) == (metric, 0)
            assert alarm["Dimensions"][0]["Value"] == {"Ref": f"{function.logical_id}Function"}
    assert alarms["Latency"]["ExtendedStatistic"] == "p99"
    success = alarms["SuccessRate"]
    assert (success["MetricName"], success["Statistic"], success["Threshold"]) == ("5xx", "Average", 0.001)
    assert {each["MetricName"] for each in alarms.values()} >= {"ReadThrottleEvents", "WriteThrottleEvents"}
    assert all("AlarmActions" in each for each in alarms.values())
    assert of_type(resources, "AWS::CloudWatch::Dashboard")


def test_the_environment_holds_only_known_settings_and_no_secret(template: dict[str, Any]) -> None:
    given = template["Globals"]["Function"]["Environment"]["Variables"]

    assert set(given) <= set(variables())
    assert not [name for name in given if SECRET.search(name)]
    assert not [name for name in template["Parameters"] if SECRET.search(name)]
    assert all(
        "Environment" not in each for each in of_type(template["Resources"], "AWS::Serverless::Function").values()
    )
