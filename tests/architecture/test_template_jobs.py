"""The schedule, its queue and their dead letters, as template.yaml declares them."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode import cfn_yaml

from cairn.upkeep.maintenance import TIME_LIMIT
from cairn_jobs.worker import MARGIN
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from functions import functions

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = {each.name: each for each in functions(CATALOG)}
DEAD_LETTERS = ("JobDeadLetters", "ScheduleDeadLetters")
TELLING = (
    *("memory_after_turn", "memory_hook", "memory_run_turn", "remember", "memory_take_back_turn"),
    *("memory_correct", "memory_restore", "memory_pin", "forget"),
)


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return cfn_yaml.load(str(ROOT / "template.yaml"))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


@pytest.fixture(scope="module")
def resources(template: dict[str, Any]) -> dict[str, Any]:
    return {name: each["Properties"] for name, each in template["Resources"].items() if "Properties" in each}


@pytest.fixture(scope="module")
def seconds(template: dict[str, Any], resources: dict[str, Any]) -> dict[str, int]:
    """Return how long each function may run: what Globals say, unless it names its own time."""
    usual = template["Globals"]["Function"]["Timeout"]
    return {name: resources[f"{each.logical_id}Function"].get("Timeout", usual) for name, each in FUNCTIONS.items()}


def arn(name: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [name, "Arn"]}


@pytest.mark.req("R253")
@pytest.mark.req("R076")
def test_the_schedule_of_maintenance_is_off_unless_someone_switches_it_on(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    schedules = [name for name, each in template["Resources"].items() if each["Type"] == "AWS::Scheduler::Schedule"]

    assert schedules == ["MaintenanceTrigger", "SealingTrigger"]
    assert resources["MaintenanceTrigger"]["State"] == {"Ref": "MaintenanceSchedule"}
    switch = template["Parameters"]["MaintenanceSchedule"]
    assert (switch["Default"], set(switch["AllowedValues"])) == ("DISABLED", {"DISABLED", "ENABLED"})
    rules = [name for name, each in template["Resources"].items() if each["Type"] == "AWS::Events::Rule"]
    events = [name for name, each in resources.items() if "Events" in each]
    assert (rules, events) == ([], [])


@pytest.mark.req("R309")
def test_audit_logs_are_sealed_unless_someone_switches_that_off(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    trigger, switch = resources["SealingTrigger"], template["Parameters"]["SealingSchedule"]

    assert (switch["Default"], set(switch["AllowedValues"])) == ("ENABLED", {"DISABLED", "ENABLED"})
    assert trigger["State"] == {"Ref": "SealingSchedule"}
    assert json.loads(trigger["Target"]["Input"])["only"] == "sealing"
    (opened,) = [
        each
        for each in resources["MaintenanceTriggerRole"]["Policies"][0]["PolicyDocument"]["Statement"]
        if each["Sid"] == "OpenSchedule"
    ]
    arns = opened["Condition"]["StringEquals"]["kms:EncryptionContext:aws:scheduler:schedule:arn"]
    assert [each["Fn::Sub"].rpartition("/")[2] for each in arns] == ["maintenance", trigger["Name"]]


@pytest.mark.parametrize("name", ["MaintenanceTrigger", "SealingTrigger"])
def test_the_schedule_retries_for_a_bounded_time_and_keeps_what_it_could_not_deliver(
    resources: dict[str, Any], name: str
) -> None:
    schedule = resources[name]

    assert schedule["GroupName"] == {"Ref": "ScheduleGroup"}
    assert schedule["FlexibleTimeWindow"]["Mode"] == "FLEXIBLE"
    assert schedule["KmsKeyArn"] == arn("MemoryKey")
    assert schedule["Target"]["Arn"] == arn("ScheduleFunction")
    assert schedule["Target"]["RetryPolicy"].keys() == {"MaximumEventAgeInSeconds", "MaximumRetryAttempts"}
    assert schedule["Target"]["DeadLetterConfig"] == {"Arn": arn("ScheduleDeadLetters")}


def test_the_schedule_may_invoke_one_function_and_keep_its_dead_letters(resources: dict[str, Any]) -> None:
    role = resources["MaintenanceTriggerRole"]
    (policy,) = role["Policies"]
    granted = {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}

    assert {sid: (each["Action"], each["Resource"]) for sid, each in granted.items()} == {
        "Invoke": (["lambda:InvokeFunction"], arn("ScheduleFunction")),
        "SendDeadLetters": (["sqs:SendMessage"], arn("ScheduleDeadLetters")),
        "SealDeadLetters": (["kms:GenerateDataKey", "kms:Decrypt"], arn("MemoryKey")),
        "OpenSchedule": (["kms:Decrypt"], arn("MemoryKey")),
    }
    sealing = granted["SealDeadLetters"]["Condition"]["StringEquals"]
    assert sealing["kms:EncryptionContext:aws:sqs:arn"] == arn("ScheduleDeadLetters")
    assert set(granted["OpenSchedule"]["Condition"]["StringEquals"]) == {
        "kms:EncryptionContext:aws:scheduler:schedule:arn"
    }
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "scheduler.amazonaws.com"}
    assert trust["Condition"]["StringEquals"] == {
        "aws:SourceAccount": {"Ref": "AWS::AccountId"},
        "aws:SourceArn": arn("ScheduleGroup"),
    }


@pytest.mark.req("R249")
def test_whoever_waits_at_the_gateway_is_answered_within_29_seconds_and_slow_work_has_its_own_time(
    seconds: dict[str, int],
) -> None:
    waited_for = [name for name, each in FUNCTIONS.items() if each.hosts]

    assert seconds == {name: each.timeout for name, each in FUNCTIONS.items()}
    assert all(seconds[name] <= 29 for name in waited_for)
    assert "worker" not in waited_for
    assert TIME_LIMIT.total_seconds() < memory_run_maintenance.timeout
    assert timedelta(seconds=seconds["worker"]) > MARGIN + TIME_LIMIT


def test_the_schedule_s_function_reads_what_is_due_and_queues_and_the_worker_does_what_the_tool_does() -> None:
    assert set(FUNCTIONS["schedule"].grants) == {"sessions:due", "audit:due", "jobs:send"}
    beside = {"key:use", "journal:write", "settings:read", "sessions:due", "audit:seal", "budget:reckon", "jobs:take"}
    assert set(FUNCTIONS["worker"].grants) == {*memory_run_maintenance.grants, *beside}
    senders = {name for name, each in FUNCTIONS.items() if "jobs:send" in each.grants}
    assert senders == {
        "schedule",
        *TELLING,
        "memory_run_maintenance",
        "worker",
        "mcp_pipe",
        "mcp",
        "console",
        "mem0",
        "agentcore",
    }
    assert {name for name, each in FUNCTIONS.items() if "jobs:take" in each.grants} == {"worker"}


def test_a_job_is_hidden_for_long_enough_and_after_five_failures_a_dead_letter(resources: dict[str, Any]) -> None:
    queue = resources["JobQueue"]

    assert queue["VisibilityTimeout"] == 6 * resources["WorkerFunction"]["Timeout"]
    assert queue["RedrivePolicy"] == {"deadLetterTargetArn": arn("JobDeadLetters"), "maxReceiveCount": 5}


def test_the_queue_hands_the_worker_one_job_at_a_time_and_hears_which_failed(resources: dict[str, Any]) -> None:
    source = resources["JobSource"]

    assert source["EventSourceArn"] == arn("JobQueue")
    assert source["FunctionName"] == {"Ref": "WorkerFunction"}
    assert source["BatchSize"] == 1
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["ScalingConfig"]["MaximumConcurrency"] >= 2


def test_queues_are_encrypted_under_the_one_key_and_refuse_plain_http(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    queues = [name for name, each in template["Resources"].items() if each["Type"] == "AWS::SQS::Queue"]

    assert sorted(queues) == sorted(("JobQueue", *DEAD_LETTERS))
    for name in queues:
        assert resources[name]["KmsMasterKeyId"] == arn("MemoryKey")
        policy = resources[f"{name}Policy"]
        assert policy["Queues"] == [{"Ref": name}]
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "sqs:*")
        assert statement["Resource"] == arn(name)
        assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("name", DEAD_LETTERS)
def test_dead_letters_are_kept_for_two_weeks_and_the_first_raises_an_alarm(
    resources: dict[str, Any], name: str
) -> None:
    assert resources[name]["MessageRetentionPeriod"] == 14 * 24 * 3600
    alarm = resources[f"{name}Waiting"]
    assert alarm["MetricName"] == "ApproximateNumberOfMessagesVisible"
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": {"Fn::GetAtt": [name, "QueueName"]}}]
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert "AlarmActions" in alarm


def test_every_function_knows_the_queue(template: dict[str, Any]) -> None:
    assert template["Globals"]["Function"]["Environment"]["Variables"]["CAIRN_QUEUE_URL"] == {"Ref": "JobQueue"}
