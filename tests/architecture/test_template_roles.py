"""What no linter sees in template.yaml: each function may do what its grants say, and nothing else."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest

from cairn.ground.settings import EmbedderName
from cairn_tools.catalog import CATALOG
from functions import Function, functions
from support.template import of_type

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
