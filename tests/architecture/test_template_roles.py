"""What no linter sees in template.yaml: each function may do what its grants say, and nothing else."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from cairn.ground.settings import EmbedderName
from cairn_tools.catalog import CATALOG
from functions import Function, functions
from grants import GRANTS
from support.iam import Request, allows
from support.template import of_type
from support.tool import FOR_AGENTS

FUNCTIONS = functions(CATALOG)
READ, LIST, PUT = {"dynamodb:GetItem", "dynamodb:Query"}, {"dynamodb:Query"}, {"dynamodb:PutItem"}
CHANGE, DELETE = {"dynamodb:UpdateItem", "dynamodb:ConditionCheckItem"}, {"dynamodb:DeleteItem"}
OPEN = {"kms:Decrypt"}
ALLOWED = {
    "sessions:read": {*READ, *OPEN},
    "sessions:put": {*PUT, *OPEN},
    "sessions:change": {*CHANGE, *OPEN},
    "sessions:write": {*PUT, *CHANGE, *OPEN},
    "sessions:delete": {*DELETE, *OPEN},
    "sessions:due": {*LIST, *OPEN},
    "logs:read": {*READ, *OPEN},
    "logs:put": {*PUT, *OPEN},
    "logs:write": {*PUT, *CHANGE, *OPEN},
    "logs:delete": {*DELETE, *OPEN},
    "projects:read": {*READ, *OPEN},
    "projects:list": {*PUT, *OPEN},
    "plans:put": {*PUT, *OPEN},
    "notes:delete": {*DELETE, *OPEN},
    "turns:write": {*READ, *PUT, *CHANGE, *OPEN},
    "values:read": {*READ, *OPEN},
    "values:add": {*PUT, *OPEN},
    "values:write": {*LIST, *PUT, *CHANGE, *DELETE, *OPEN},
    "documents:read": {*READ, *OPEN},
    "documents:write": {*LIST, *PUT, *CHANGE, *DELETE, *OPEN},
    "items:read": {*READ, *OPEN},
    "items:write": {*PUT, *CHANGE, *OPEN},
    "items:delete": {*DELETE, *OPEN},
    "archive:read": {*READ, *OPEN},
    "archive:put": {*PUT, *OPEN},
    "executions:use": {*READ, *PUT, *OPEN},
    "calls:read": {*LIST, *OPEN},
    "journal:write": {*PUT, *OPEN},
    "rates:take": {*PUT, *OPEN},
    "audit:due": {*LIST, *OPEN},
    "audit:read": {*READ, *OPEN},
    "audit:seal": {*READ, *PUT, *CHANGE, *OPEN},
    "asked:put": {*PUT, *OPEN},
    "asked:read": {*READ, *OPEN},
    "asked:erase": {*READ, *DELETE, *OPEN},
    "key:use": {*READ, *OPEN},
    "keys:admit": {*READ, *PUT, *OPEN, "kms:GenerateDataKey"},
    "budget:read": {*READ, *OPEN},
    "budget:reckon": {*PUT, *OPEN},
    "settings:read": {*READ, *OPEN},
    "policy:read": {*READ, *OPEN},
    "credentials:check": {*READ, *OPEN},
    "credentials:list": {*READ, *OPEN},
    "credentials:add": {*READ, *PUT, *OPEN},
    "credentials:change": {*CHANGE, *OPEN},
    "stores:probe": {*READ, *OPEN, "s3:GetObject", "s3:ListBucket", "kms:GenerateDataKey"},
    "blobs:read": {"s3:GetObject", "s3:ListBucket", "kms:Decrypt"},
    "blobs:write": {"s3:PutObject", "kms:GenerateDataKey"},
    "sandbox:invoke": {"lambda:InvokeFunction"},
    "blobs:delete": {"s3:DeleteObject"},
    "model:ask": {"bedrock:InvokeModel", "secretsmanager:GetSecretValue"},
    "jobs:send": {"sqs:SendMessage", "kms:GenerateDataKey", "kms:Decrypt"},
    "texts:embed": {"bedrock:InvokeModel"},
    "jobs:take": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "kms:Decrypt"},
}
JOURNAL = ["*#audit", "*#audit#*", "*#rates"]
OWN_SETTINGS = ["~settings#tenants", "~settings#keys"]
DIGEST = f"{'?' * 64}#keys"
EVERY_FUNCTION = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"}


@pytest.fixture(scope="module")
def roles(resources: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return each function's statements, those under a condition too, under the function's name in the block."""
    return {
        each.name: [said["Fn::If"][1] if "Fn::If" in said else said for said in written(resources, each)]
        for each in FUNCTIONS
    }


def written(resources: dict[str, Any], function: Function) -> list[dict[str, Any]]:
    return resources[f"{function.logical_id}Role"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]


def allowed(statements: list[dict[str, Any]]) -> set[str]:
    return {action for each in statements if each["Effect"] == "Allow" for action in each["Action"]}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_function_may_do_what_its_grants_say_and_nothing_else(
    roles: dict[str, list[dict[str, Any]]], function: Function
) -> None:
    expected = EVERY_FUNCTION.union(*(ALLOWED[grant] for grant in function.grants))

    assert allowed(roles[function.name]) == expected


def test_every_grant_is_some_function_s() -> None:
    assert {grant for function in FUNCTIONS for grant in function.grants} == set(ALLOWED) == set(GRANTS)


def test_a_tool_that_only_reads_can_change_and_delete_nothing(roles: dict[str, list[dict[str, Any]]]) -> None:
    changes = {"dynamodb:UpdateItem", "dynamodb:DeleteItem", "s3:PutObject", "s3:DeleteObject"}

    for tool in FOR_AGENTS:
        if tool.read_only and not tool.for_programs:
            assert changes & allowed(roles[tool.name]) == set(), tool.name
    for name in ("memory_list_dir_with_abstract", "getContext"):
        assert places(roles[name], "dynamodb:PutItem") == [JOURNAL]


def places(statements: list[dict[str, Any]], action: str) -> list[list[str]]:
    found = [each for each in statements if action in each["Action"] and each["Effect"] == "Allow"]
    return [each["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] for each in found]


@pytest.mark.req("R310")
def test_every_statement_about_the_table_names_partitions(roles: dict[str, list[dict[str, Any]]]) -> None:
    for statements in roles.values():
        for each in statements:
            if each["Action"][0].startswith("dynamodb:"):
                (test,) = each["Condition"].values()
                assert list(test) == ["dynamodb:LeadingKeys"]
                assert "*" not in test["dynamodb:LeadingKeys"]


@pytest.mark.req("R310")
def test_the_public_probe_reads_its_own_item_and_opens_nothing(roles: dict[str, list[dict[str, Any]]]) -> None:
    health = {each["Sid"]: each for each in roles["health"]}

    assert places(roles["health"], "dynamodb:GetItem") == [["healthz"]]
    assert health["ProbeBlobs"]["Resource"] == {"Fn::Sub": "${MemoryBucket.Arn}/blobs/healthz/*"}
    assert health["ProbeKey"]["Action"] == ["kms:GenerateDataKey"]
    assert health["ProbeKey"]["Condition"]["StringEquals"] == {"kms:EncryptionContext:tenant": "healthz"}
    assert allowed(roles["metadata"]) == EVERY_FUNCTION
    opens = {each["Sid"] for each in roles["health"] if "kms:Decrypt" in each["Action"]}
    assert opens == {"OpenTable"}


@pytest.mark.req("R310")
def test_the_authorizer_reads_credentials_and_where_an_issuer_is_named_makes_the_first_key_of_its_tenants(
    roles: dict[str, list[dict[str, Any]]], resources: dict[str, Any]
) -> None:
    (function,) = [each for each in FUNCTIONS if each.name == "authorizer"]
    opens = [each for each in roles["authorizer"] if each["Sid"] == "OpenCredentials"]

    assert places(roles["authorizer"], "dynamodb:GetItem") == [["~credentials#api", "~credentials#keys"], [DIGEST]]
    assert places(roles["authorizer"], "dynamodb:PutItem") == [[DIGEST]]
    assert [each["Condition"]["StringEquals"] for each in opens] == [{"kms:EncryptionContext:tenant": "~credentials"}]
    under = {condition: said["Sid"] for condition, said, _ in conditionals(resources, function)}
    assert list(under) == ["HasIssuer"]
    assert [said["Sid"] for _, said, _ in conditionals(resources, function)] == [
        "AdmitReadItems",
        "AdmitPutItems",
        "MakeDataKeys",
    ]


@pytest.mark.req("R309")
@pytest.mark.req("R310")
def test_only_who_takes_tokens_may_put_a_data_key_and_nobody_may_change_or_delete_one_or_a_record(
    roles: dict[str, list[dict[str, Any]]],
) -> None:
    digest = "0" * 64
    for name, statements in roles.items():
        keeps_keys = name in {"operators", "console"}
        for action in ("PutItem", "UpdateItem"):
            assert may(statements, action, "~credentials#api") == keeps_keys
        assert not may(statements, "DeleteItem", "~credentials#api")
        for pk in ("acme#keys", f"{digest}#keys", "~credentials#keys", "~policies#p"):
            put, change, delete = (may(statements, action, pk) for action in ("PutItem", "UpdateItem", "DeleteItem"))
            assert (change, delete) == (False, False)
            assert put == (name in {"authorizer", "console"} and pk == f"{digest}#keys")
        assert not any(may(statements, action, "acme#audit#2026-03-01") for action in ("UpdateItem", "DeleteItem"))
        assert not may(statements, "DeleteItem", "acme#audit")
        assert may(statements, "UpdateItem", "acme#audit") == (name == "worker")  # a day that is sealed is due no more


def may(statements: list[dict[str, Any]], action: str, pk: str) -> bool:
    return allows(statements, Request(f"dynamodb:{action}", "MemoryTable.Arn", {"dynamodb:LeadingKeys": [pk]}))


@pytest.mark.req("R310")
def test_who_has_nothing_to_do_with_sessions_is_kept_out_of_one_that_is_named_like_its_own_partitions(
    roles: dict[str, list[dict[str, Any]]],
) -> None:
    session = "acme#s#garden#monday#k#notes"

    assert not may(roles["getMemory"], "GetItem", session)
    assert may(roles["getMemory"], "GetItem", "acme#k#notes")
    assert may(roles["memory_after_turn"], "UpdateItem", session)


@pytest.mark.req("R310")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_key_opens_for_a_tenant_alone_and_a_policy_for_who_goes_by_it(
    roles: dict[str, list[dict[str, Any]]], function: Function
) -> None:
    def opens(tenant: str) -> bool:
        context = {"kms:EncryptionContextKeys": ["tenant"], "kms:EncryptionContext:tenant": [tenant]}
        return allows(roles[function.name], Request("kms:Decrypt", "MemoryKey.Arn", context))

    assert opens("acme") == ("key:use" in function.grants)
    assert opens("~policies") == ("policy:read" in function.grants)
    assert opens("~settings") == ("settings:read" in function.grants)
    assert opens("~credentials") == (function.name in {"authorizer", "operators", "console"})


def test_a_standard_tool_s_caller_reads_keys_conversations_and_executions_and_writes_executions_alone(
    roles: dict[str, list[dict[str, Any]]],
) -> None:
    for tool in CATALOG:
        if tool.family == "standard":
            read = ["*#x#*", "*#s#*", "*#m#*", "*#keys", *OWN_SETTINGS]
            assert places(roles[tool.name], "dynamodb:Query") == [read]
            assert places(roles[tool.name], "dynamodb:PutItem") == [["*#x#*", *JOURNAL]]
    assert not any("dynamodb" in action or "s3:" in action for action in allowed(roles["sandbox"]))


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


def test_only_what_stores_or_maintains_turns_may_ask_a_model_and_only_the_one_that_a_parameter_names(
    resources: dict[str, Any], roles: dict[str, list[dict[str, Any]]]
) -> None:
    callers = {
        "mcp",
        "mcp_pipe",
        "agentcore",
        "mem0",
        "memory_after_turn",
        "memory_hook",
        "memory_run_turn",
        "memory_run_maintenance",
        "worker",
    }
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


EMBEDS = {
    "memory_before_turn",
    "memory_after_turn",
    "memory_hook",
    "memory_run_turn",
    "recall",
    "memory_run_maintenance",
    "mcp_pipe",
    "mcp",
    "worker",
    "console",
    "agentcore",
    "mem0",
    "programs",
    "operators",
}


def test_only_what_recalls_or_indexes_has_the_chosen_model_and_may_ask_titan_where_that_is_chosen(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    titan = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/amazon.titan-embed-text-v2:0"
    model = {"Fn::If": ["EmbedsInManyLanguages", {"Ref": "MultilingualLayer"}, {"Ref": "ModelLayer"}]}
    on_bedrock = ["EmbedsWithTitan", ["bedrock:InvokeModel"], {"Fn::Sub": titan}, {"Ref": "AWS::NoValue"}]

    assert template["Conditions"]["EmbedsWithTitan"] == {"Fn::Equals": [{"Ref": "Embedder"}, "titan"]}
    assert template["Conditions"]["EmbedsInManyLanguages"] == {"Fn::Equals": [{"Ref": "Embedder"}, "multilingual"]}
    assert resources["MultilingualLayer"]["Condition"] == "EmbedsInManyLanguages"
    assert template["Parameters"]["Embedder"]["AllowedValues"] == list(get_args(EmbedderName))
    told_to_all = template["Globals"]["Function"]["Environment"]["Variables"]
    assert told_to_all["CAIRN_EMBEDDING_EMBEDDER"] == {"Ref": "Embedder"}
    for function in FUNCTIONS:
        own = resources[f"{function.logical_id}Function"]["Properties"]
        told = own.get("Environment", {}).get("Variables", {})
        asks = [each for each in conditionals(resources, function) if each[1]["Sid"] == "AskTitan"]
        embeds = function.name in EMBEDS
        assert own.get("Layers", []) == ([model] if embeds else []), function.name
        assert "CAIRN_EMBEDDING_EMBEDDER" not in told, function.name
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
