"""What no linter sees in template.yaml: each function may do what its grants say, and the API lets nobody else in."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from cairn.domain.settings import EmbedderName
from cairn.edge import problems
from cairn.edge.deadline import MARGIN_SECONDS
from cairn.ports import SANDBOX_SECONDS
from cairn.runtime import metrics
from cairn.runtime.metrics import METRICS
from cairn.runtime.settings import variables
from cairn_tools.catalog import CATALOG
from functions import Function, functions

FUNCTIONS = functions(CATALOG)
ALLOWED = {
    "table:read": {"dynamodb:GetItem", "dynamodb:Query", "kms:Decrypt"},
    "journal:write": {"dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:Query", "kms:Decrypt"},
    "table:put": {"dynamodb:PutItem"},
    "table:write": {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
    "blobs:read": {"s3:GetObject", "s3:ListBucket", "kms:Decrypt"},
    "blobs:write": {"s3:PutObject", "kms:GenerateDataKey"},
    "sandbox:invoke": {"lambda:InvokeFunction"},
    "blobs:delete": {"s3:DeleteObject"},
    "key:use": {"kms:GenerateDataKey", "kms:Decrypt"},
    "model:ask": {"bedrock:InvokeModel", "secretsmanager:GetSecretValue"},
    "jobs:send": {"sqs:SendMessage", "kms:GenerateDataKey", "kms:Decrypt"},
    "texts:embed": {"bedrock:InvokeModel"},
    "enrichment:use": {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"},
    "jobs:take": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "kms:Decrypt"},
}
JOURNAL = ["*#audit", "*#audit#*", "*#rates", "*#keys"]
EVERY_FUNCTION = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"}
SECRET = re.compile(r"secret|token|password|credential|master|api_key|LUMERA", re.IGNORECASE)


@pytest.fixture(scope="module")
def resources(template: dict[str, Any]) -> dict[str, Any]:
    return template["Resources"]


@pytest.fixture(scope="module")
def roles(resources: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return each function's statements, those under a condition too, under the function's name in the block."""
    return {
        each.name: [said["Fn::If"][1] if "Fn::If" in said else said for said in written(resources, each)]
        for each in FUNCTIONS
    }


def written(resources: dict[str, Any], function: Function) -> list[dict[str, Any]]:
    return resources[f"{function.logical_id}Role"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]


def of_type(resources: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == kind}


def allowed(statements: list[dict[str, Any]]) -> set[str]:
    return {action for each in statements if each["Effect"] == "Allow" for action in each["Action"]}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_function_may_do_what_its_grants_say_and_nothing_else(
    roles: dict[str, list[dict[str, Any]]], function: Function
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
    for name in ("memory_list_dir_with_abstract", "getContext"):
        (put,) = [each for each in roles[name] if "dynamodb:PutItem" in each["Action"]]
        assert put["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] == JOURNAL
    assert "dynamodb:PutItem" not in allowed(roles["authorizer"])


def test_a_standard_tool_s_caller_reads_keys_conversations_and_executions_and_writes_executions_alone(
    roles: dict[str, list[dict[str, Any]]],
) -> None:
    def places(name: str, action: str) -> list[list[str]]:
        found = [each["Condition"] for each in roles[name] if action in each["Action"]]
        return [each["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] for each in found]

    for tool in CATALOG:
        if tool.family == "standard":
            assert sorted(places(tool.name, "dynamodb:Query")) == [["*#keys"], ["*#x#*", "*#s#*", "*#m#*"]]
            assert sorted(places(tool.name, "dynamodb:PutItem")) == [JOURNAL, ["*#x#*"]]
    assert not any("dynamodb" in action or "s3:" in action for action in allowed(roles["sandbox"]))


def test_whoever_changes_items_can_neither_change_nor_delete_a_data_key(roles: dict[str, list[dict[str, Any]]]) -> None:
    writers = {name: each for name, each in roles.items() if "dynamodb:DeleteItem" in allowed(each)}

    assert writers
    for statements in writers.values():
        (denied,) = [each for each in statements if each["Effect"] == "Deny"]
        assert set(denied["Action"]) == {"dynamodb:UpdateItem", "dynamodb:DeleteItem"}
        assert denied["Condition"] == {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": ["*#keys"]}}


@pytest.mark.req("R252")
def test_no_function_may_walk_the_whole_table_as_an_operator_s_commands_do(resources: dict[str, Any]) -> None:
    assert not re.search(r"dynamodb:(Scan|PartiQL\w*|Export\w*|\*)", json.dumps(resources))


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


def routes_of(resources: dict[str, Any], api: str) -> dict[str, dict[str, Any]]:
    routes = of_type(resources, "AWS::ApiGatewayV2::Route").values()
    return {each["RouteKey"]: each for each in routes if each["ApiId"] == {"Ref": api}}


def test_every_route_asks_the_authorizer_but_those_that_tell_nothing_of_anyone(resources: dict[str, Any]) -> None:
    routes = routes_of(resources, "Api")

    assert {f"POST /v1/tools/{tool.name}" for tool in CATALOG} < set(routes)
    assert {"POST /mcp", "GET /healthz"} < set(routes)
    for public in ("GET /healthz", "GET /v1/runtime-config"):
        assert routes.pop(public)["AuthorizationType"] == "NONE"
    for route in routes.values():
        assert (route["AuthorizationType"], route["AuthorizerId"]) == ("CUSTOM", {"Ref": "ApiAuthorizer"})


def test_every_route_of_the_oauth_host_asks_its_authorizer_but_the_ones_for_metadata(resources: dict[str, Any]) -> None:
    routes = routes_of(resources, "OAuthApi")

    for suffix in ("", "/mcp"):
        assert routes.pop(f"GET /.well-known/oauth-protected-resource{suffix}")["AuthorizationType"] == "NONE"
    assert set(routes) == {f"{each} {path}" for each in ("POST", "GET", "DELETE") for path in ("/mcp", "/mcp/agent")}
    for route in routes.values():
        assert (route["AuthorizationType"], route["AuthorizerId"]) == ("CUSTOM", {"Ref": "OAuthAuthorizer"})


def test_the_host_for_keys_has_no_discovery_at_all(resources: dict[str, Any]) -> None:
    assert not [key for key in routes_of(resources, "Api") if "well-known" in key]


def test_an_authorizer_is_asked_about_every_request(resources: dict[str, Any]) -> None:
    authorizers = of_type(resources, "AWS::ApiGatewayV2::Authorizer")

    assert set(authorizers) == {"ApiAuthorizer", "OAuthAuthorizer"}
    for each in authorizers.values():
        assert each["EnableSimpleResponses"] is True
        assert each["AuthorizerPayloadFormatVersion"] == "2.0"
        assert (each["IdentitySource"], each["AuthorizerResultTtlInSeconds"]) == ([], 0)
        assert "${AuthorizerFunction.Arn}" in each["AuthorizerUri"]["Fn::Sub"]


def test_the_oauth_host_is_there_only_where_an_issuer_is_named(template: dict[str, Any]) -> None:
    resources, outputs = template["Resources"], template["Outputs"]
    whole = {**resources, **outputs}
    of_host = {name for name in whole if "OAuth" in name or name.startswith("Metadata")}

    assert {"OAuthApi", "OAuthUrl", "MetadataFunction", "McpOAuthPostRoute", "AuthorizerOAuthPermission"} < of_host
    assert {name for name, each in whole.items() if each.get("Condition") == "HasIssuer"} == of_host
    assert template["Conditions"]["HasIssuer"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "OidcIssuer"}, ""]}]}


def test_the_resource_is_the_oauth_host_s_own_mcp_endpoint_unless_told(template: dict[str, Any]) -> None:
    given = template["Globals"]["Function"]["Environment"]["Variables"]

    assert given["CAIRN_AUTH_OIDC_ISSUER"] == {"Ref": "OidcIssuer"}
    named, otherwise = given["CAIRN_AUTH_OIDC_RESOURCE"]["Fn::If"][1:]
    assert named == {"Ref": "OidcResource"}
    assert otherwise == {"Fn::If": ["HasIssuer", {"Fn::Sub": "${OAuthApi.ApiEndpoint}/mcp"}, ""]}


@pytest.mark.req("R282")
@pytest.mark.parametrize(
    ("alarm", "metric", "threshold"),
    [
        ("EnrichmentLatency", "memory_enrichment_latency_ms", 500),
        ("EnrichmentErrors", "memory_enrichment_errors", 0.1),
        ("EnrichmentTimeouts", "memory_enrichment_timeouts", 0.05),
    ],
)
def test_enrichment_that_is_slow_or_fails_raises_an_alarm(
    alarm: str, metric: str, threshold: float, resources: dict[str, Any]
) -> None:
    found = of_type(resources, "AWS::CloudWatch::Alarm")[alarm]

    assert (found["MetricName"], float(found["Threshold"])) == (metric, threshold)
    assert metric in {each.name for each in METRICS}
    assert found["ComparisonOperator"] == "GreaterThanThreshold"


@pytest.mark.parametrize("stage", ["ApiStage", "OAuthApiStage"])
def test_an_api_is_throttled_and_writes_an_access_log(resources: dict[str, Any], stage: str) -> None:
    found = of_type(resources, "AWS::ApiGatewayV2::Stage")[stage]

    assert found["StageName"] == "$default"
    assert set(found["DefaultRouteSettings"]) >= {"ThrottlingRateLimit", "ThrottlingBurstLimit"}
    assert found["AccessLogSettings"]["DestinationArn"] == {"Fn::GetAtt": ["ApiLogs", "Arn"]}


@pytest.mark.parametrize("api", ["Api", "OAuthApi"])
def test_no_web_page_of_just_anyone_may_call(resources: dict[str, Any], api: str) -> None:
    cors = of_type(resources, "AWS::ApiGatewayV2::Api")[api]["CorsConfiguration"]["Fn::If"][1]

    assert cors["AllowOrigins"] == {"Ref": "AllowedOrigins"}
    assert {"authorization", "mcp-protocol-version"} < set(cors["AllowHeaders"])
    assert ("x-api-key" in cors["AllowHeaders"]) is (api == "Api")


def test_only_the_gateway_s_own_routes_may_invoke_a_function(resources: dict[str, Any]) -> None:
    permissions = of_type(resources, "AWS::Lambda::Permission")
    allowed_sources = [each["SourceArn"]["Fn::Sub"].partition("${AWS::AccountId}:")[2] for each in permissions.values()]

    expected = {f"${{{host.api}}}/*/*{path}" for each in FUNCTIONS for host in each.hosts for path in each.paths}
    expected |= {"${Api}/authorizers/${ApiAuthorizer}", "${OAuthApi}/authorizers/${OAuthAuthorizer}"}
    assert set(allowed_sources) == expected
    assert len(allowed_sources) == len(expected)
    assert {each["Principal"] for each in permissions.values()} == {"apigateway.amazonaws.com"}


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
    errors = alarms["ServerErrors"]
    assert (errors["MetricName"], errors["Statistic"], errors["Threshold"]) == ("5xx", "Average", 0.001)
    assert {each.get("MetricName") for each in alarms.values()} >= {"ReadThrottleEvents", "WriteThrottleEvents"}
    assert all("AlarmActions" in each for each in alarms.values())
    assert of_type(resources, "AWS::CloudWatch::Dashboard")


@pytest.mark.req("R112")
def test_an_alarm_says_when_too_few_tool_calls_succeed_by_the_metric_that_counts_them(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    alarm = of_type(resources, "AWS::CloudWatch::Alarm")["SuccessRate"]

    namespace = template["Globals"]["Function"]["Environment"]["Variables"]["CAIRN_METRICS"]
    assert (alarm["Namespace"], alarm["MetricName"]) == (namespace, metrics.SUCCESS.name)
    assert "Dimensions" not in alarm
    assert (alarm["Statistic"], alarm["ComparisonOperator"], alarm["Threshold"]) == (
        "Average",
        "LessThanThreshold",
        0.999,
    )
    assert set(metrics.FAILURES) == {code for code, status in problems.HTTP_STATUS.items() if status >= 500}


def test_the_dashboard_shows_metrics_that_there_are(resources: dict[str, Any]) -> None:
    (dashboard,) = of_type(resources, "AWS::CloudWatch::Dashboard").values()
    body = dashboard["DashboardBody"]["Fn::Sub"]

    assert json.loads(body)["widgets"]
    for metric in (metrics.REQUESTS, metrics.LATENCY, metrics.DENIES):
        schema = ",".join(sorted(metric.dimensions))
        assert rf"{{\"Cairn/${{AWS::StackName}}\",{schema}}} MetricName=\"{metric.name}\"" in body
    for metric in (metrics.FACT_WRITE, metrics.COMPACTION, metrics.IDEMPOTENCY_CONFLICTS):
        assert f'"{metric.name}"' in body


def test_the_environment_holds_only_known_settings_and_no_secret(template: dict[str, Any]) -> None:
    given = template["Globals"]["Function"]["Environment"]["Variables"]

    assert set(given) - {"OPENBLAS_NUM_THREADS"} <= set(variables())
    assert given["OPENBLAS_NUM_THREADS"] == "1", (
        "numpy's other threads cost a cold start, and find no core in a function"
    )
    assert not [name for name in given if SECRET.search(name)]
    assert not [name for name in template["Parameters"] if SECRET.search(name) and not name.endswith("Arn")]
    for function in of_type(template["Resources"], "AWS::Serverless::Function").values():
        own = function.get("Environment", {}).get("Variables", {})
        assert set(own) <= set(variables())
        assert not [name for name in own if SECRET.search(name) and not name.endswith("_ARN")]


def test_only_what_stores_turns_may_ask_a_model_and_only_the_one_that_a_parameter_names(
    resources: dict[str, Any], roles: dict[str, list[dict[str, Any]]]
) -> None:
    callers = {"mcp", "mcp_pipe", "memory_after_turn", "memory_run_turn"}
    absent = {"Ref": "AWS::NoValue"}

    for function in FUNCTIONS:
        assert ("AskModel" in {said["Sid"] for said in roles[function.name]}) == (function.name in callers)
        if function.name in callers:
            conditional = [each for each in conditionals(resources, function) if each[1]["Sid"] != "AskTitan"]
            assert [(condition, said["Action"], said["Resource"], other) for condition, said, other in conditional] == [
                ("HasHeuristicModel", ["bedrock:InvokeModel"], {"Ref": "HeuristicModelArns"}, absent),
                ("HasHeuristicKey", ["secretsmanager:GetSecretValue"], {"Ref": "HeuristicKeyArns"}, absent),
            ]


def conditionals(resources: dict[str, Any], function: Function) -> list[list[Any]]:
    return [said["Fn::If"] for said in written(resources, function) if "Fn::If" in said]


EMBEDS = {"memory_before_turn", "memory_run_turn", "recall", "memory_run_maintenance", "mcp_pipe", "mcp", "worker"}


def test_only_what_recalls_or_indexes_has_the_model_and_may_ask_titan_where_that_is_chosen(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    titan = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/amazon.titan-embed-text-v2:0"
    on_bedrock = ["EmbedsWithTitan", ["bedrock:InvokeModel"], {"Fn::Sub": titan}, {"Ref": "AWS::NoValue"}]

    assert template["Conditions"]["EmbedsWithTitan"] == {"Fn::Equals": [{"Ref": "Embedder"}, "titan"]}
    assert template["Parameters"]["Embedder"]["AllowedValues"] == list(get_args(EmbedderName))
    assert template["Globals"]["Function"]["Environment"]["Variables"]["CAIRN_EMBEDDING_EMBEDDER"] == "none"
    for function in FUNCTIONS:
        own = resources[f"{function.logical_id}Function"]["Properties"]
        told = own.get("Environment", {}).get("Variables", {})
        asks = [each for each in conditionals(resources, function) if each[1]["Sid"] == "AskTitan"]
        embeds = function.name in EMBEDS
        assert own.get("Layers", []) == ([{"Ref": "ModelLayer"}] if embeds else []), function.name
        assert told.get("CAIRN_EMBEDDING_EMBEDDER") == ({"Ref": "Embedder"} if embeds else None), function.name
        assert told.get("CAIRN_EMBEDDING_DIRECTORY") == ("/opt/model" if embeds else None), function.name
        assert [[name, said["Action"], said["Resource"], other] for name, said, other in asks] == [on_bedrock] * embeds


@pytest.mark.req("R234")
def test_only_what_runs_standard_tools_may_invoke_the_sandbox_and_knows_its_name(
    resources: dict[str, Any], roles: dict[str, list[dict[str, Any]]]
) -> None:
    callers = {"mcp", "mcp_pipe", *(tool.name for tool in CATALOG if tool.family == "standard")}

    for function in FUNCTIONS:
        own = resources[f"{function.logical_id}Function"]["Properties"].get("Environment", {}).get("Variables", {})
        assert ("lambda:InvokeFunction" in allowed(roles[function.name])) == (function.name in callers)
        assert (own.get("CAIRN_SANDBOX") == {"Ref": "SandboxFunction"}) == (function.name in callers)
    for name in callers:
        (invoke,) = [each for each in roles[name] if each["Sid"] == "InvokeSandbox"]
        assert invoke["Resource"] == {"Fn::GetAtt": ["SandboxFunction", "Arn"]}


@pytest.mark.req("R234")
def test_the_sandbox_reaches_no_memory_and_is_not_told_where_it_is(
    template: dict[str, Any], resources: dict[str, Any], roles: dict[str, list[dict[str, Any]]]
) -> None:
    own = resources["SandboxFunction"]["Properties"]["Environment"]["Variables"]
    told = {**template["Globals"]["Function"]["Environment"]["Variables"], **own}
    policies = of_type(resources, "AWS::IAM::Policy")

    assert allowed(roles["sandbox"]) == EVERY_FUNCTION
    assert "Memory" not in str({name: value for name, value in told.items() if value != {"Ref": "AWS::NoValue"}})
    (token,) = [each for each in policies.values() if {"Ref": "SandboxRole"} in each["Roles"]]
    (statement,) = token["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["secretsmanager:GetSecretValue"]
    assert statement["Resource"] == {"Ref": "ClusterTokenArn"}
    assert resources["SandboxToken"]["Condition"] == "HasClusterToken"


def test_the_sandbox_ends_before_its_caller_stops_waiting_and_that_before_the_caller_s_end() -> None:
    timeouts = {each.name: each.timeout for each in FUNCTIONS}

    assert timeouts["sandbox"] < SANDBOX_SECONDS
    for tool in CATALOG:
        if tool.family == "standard":
            assert SANDBOX_SECONDS < timeouts[tool.name] - MARGIN_SECONDS < timeouts["mcp"]
