"""What no linter sees in template.yaml: logs, alarms, the dashboard and the environment tell what they should."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from cairn.edge import problems
from cairn.edge.guard import MARGIN_SECONDS
from cairn.ground.ports import SANDBOX_SECONDS
from cairn.settings.settings import variables
from cairn.telemetry import metrics
from cairn.telemetry.metrics import METRICS
from cairn_tools.catalog import CATALOG
from cloudformation import Shared, written
from functions import USUAL_MB, USUAL_SECONDS, functions
from support.template import of_type
from template_functions import END, block

FUNCTIONS = functions(CATALOG)
SECRET = re.compile(r"secret|token|password|credential|master|api_key|LUMERA", re.IGNORECASE)


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


def test_every_function_has_a_log_of_its_own_that_ends_and_is_encrypted(resources: dict[str, Any]) -> None:
    logs = of_type(resources, "AWS::Logs::LogGroup")
    functions = of_type(resources, "AWS::Serverless::Function")

    assert {each["LoggingConfig"]["LogGroup"]["Ref"] for each in functions.values()} == set(logs) - {"ApiLogs"}
    assert len(functions) == len(FUNCTIONS)
    for each in logs.values():
        assert each["RetentionInDays"] == {"Ref": "LogRetentionDays"}
        assert each["KmsKeyId"] == {"Fn::GetAtt": ["MemoryKey", "Arn"]}


def test_twelve_alarms_at_most_stand_in_every_stack_and_tell_of_every_failure(resources: dict[str, Any]) -> None:
    alarms = _alarms(resources)

    assert set(alarms) == {
        "SuccessRate",
        "ServerErrors",
        "Latency",
        "TableReadThrottles",
        "TableWriteThrottles",
        "FunctionThrottles",
        "ScheduleErrors",
        "JobDeadLettersWaiting",
        "ScheduleDeadLettersWaiting",
        "DamagedData",
        "UnrecordedCalls",
        "BudgetWarning",
    }
    assert set(_alarms(resources, "HasIssuer")) == {"OAuthSuccessRate"}
    assert all("AlarmActions" in each for each in of_type(resources, "AWS::CloudWatch::Alarm").values())
    assert alarms["Latency"]["ExtendedStatistic"] == "p99"
    errors = alarms["ServerErrors"]
    assert (errors["MetricName"], errors["Statistic"], errors["Threshold"]) == ("5xx", "Average", 0.001)
    assert of_type(resources, "AWS::CloudWatch::Dashboard")


def test_no_alarm_of_every_stack_costs_more_than_one_metric(resources: dict[str, Any]) -> None:
    for name, each in _alarms(resources).items():
        assert "Metrics" not in each, f"{name}: CloudWatch bills each metric that an expression reads"


def test_a_function_whose_errors_nobody_else_sees_has_an_alarm_in_every_stack(resources: dict[str, Any]) -> None:
    seen = {each.logical_id for each in FUNCTIONS if each.hosts}  # by the gateway's 5xx
    seen |= {"Worker"}  # a job that fails comes again, and then to the dead letters
    seen |= {"Sandbox"}  # the tool that waits for it fails

    for each in FUNCTIONS:
        alarm = resources[f"{each.logical_id}Errors"]
        assert (alarm.get("Condition") is None) == (each.logical_id not in seen)


def test_each_function_has_an_alarm_of_its_own_where_all_are_asked_for(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    assert template["Parameters"]["Alarms"]["Default"] == "essential"
    assert template["Conditions"]["AllAlarms"] == {"Fn::Equals": [{"Ref": "Alarms"}, "all"]}
    for function in FUNCTIONS:
        alarm = resources[f"{function.logical_id}Errors"]
        properties = alarm["Properties"]
        assert (properties["MetricName"], properties["Threshold"]) == ("Errors", 0)
        assert properties["Dimensions"][0]["Value"] == {"Ref": f"{function.logical_id}Function"}
        assert alarm.get("Condition") in {None, "AllAlarms", "AllAlarmsAndHasIssuer"}
        assert ("HasIssuer" in alarm.get("Condition", "")) == (function.condition == "HasIssuer")


def test_an_alarm_on_a_metric_of_ours_names_one_that_calls_write_without_dimensions(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    namespace = template["Globals"]["Function"]["Environment"]["Variables"]["CAIRN_METRICS"]
    plain = {each.name for each in METRICS if not each.dimensions}

    for each in of_type(resources, "AWS::CloudWatch::Alarm").values():
        if each["Namespace"] == namespace:
            assert each["MetricName"] in plain
            assert "Dimensions" not in each


def test_the_template_has_room_for_more_resources(resources: dict[str, Any]) -> None:
    assert len(resources) <= 470  # CloudFormation takes 500


def _alarms(resources: dict[str, Any], condition: str | None = None) -> dict[str, Any]:
    return of_type(
        {name: each for name, each in resources.items() if each.get("Condition") == condition},
        "AWS::CloudWatch::Alarm",
    )


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

    assert set(given) <= set(variables())
    assert not [name for name in given if SECRET.search(name)]
    assert not [name for name in template["Parameters"] if SECRET.search(name) and not name.endswith("Arn")]
    for function in of_type(template["Resources"], "AWS::Serverless::Function").values():
        own = function.get("Environment", {}).get("Variables", {})
        assert set(own) <= set(variables())
        assert not [name for name in own if SECRET.search(name) and not name.endswith("_ARN")]


def test_globals_say_what_functions_leave_out(template: dict[str, Any], resources: dict[str, Any]) -> None:
    usual = template["Globals"]["Function"]

    assert (usual["Timeout"], usual["MemorySize"]) == (USUAL_SECONDS, USUAL_MB)
    assert usual["LoggingConfig"] == {"LogFormat": "JSON", "SystemLogLevel": "WARN"}
    for each in FUNCTIONS:
        own = {**usual, **resources[f"{each.logical_id}Function"]["Properties"]}
        assert (own["Timeout"], own["MemorySize"]) == (each.timeout, each.memory), each.name


def test_a_new_tool_adds_a_few_lines_to_the_template_and_changes_none() -> None:
    like = next(tool for tool in CATALOG if tool.name == "remember")
    before = block(CATALOG).removesuffix(END)
    after = block([*CATALOG, replace(like, name="another_tool")]).removesuffix(END)

    added = after.removeprefix(before).splitlines()
    assert len(added) <= 30
    assert added[1] == "  AnotherToolFunction:"


def test_one_name_cannot_stand_for_two_values() -> None:
    read, write = (Shared("Table", {"Action": action}) for action in ("dynamodb:GetItem", "dynamodb:PutItem"))

    with pytest.raises(ValueError, match="Table stands for two values"):
        written({"ReadRole": [read], "WriteRole": [write]})


def test_the_sandbox_ends_before_its_caller_stops_waiting_and_that_before_the_caller_s_end() -> None:
    timeouts = {each.name: each.timeout for each in FUNCTIONS}

    assert timeouts["sandbox"] < SANDBOX_SECONDS
    for tool in CATALOG:
        if tool.family == "standard":
            assert SANDBOX_SECONDS < timeouts[tool.name] - MARGIN_SECONDS < timeouts["mcp"]
