"""The tools of key-value memory keep personal data and secrets out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cairn.detection import detector
from cairn.ground.errors import DetectionFailed, InternalError
from cairn.ground.ids import Namespace
from cairn.keyvalue.model import KeyName, Place
from cairn.telemetry import record as telemetry
from cairn.telemetry.metrics import REDACTIONS, samples
from cairn.telemetry.record import CallRecord
from cairn.tool.call import Call
from support.keyvalue import SPACE, ask, refused, rules

CARD = "4111 1111 1111 1111"
SSN = "219-09-9999"


@pytest.mark.req("R160")
@pytest.mark.req("R180")
@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"email": "ada@example.com", "phone": "+1 212 555 0143"}, ["email", "phone"]),
        ("write to ada@example.com", ["email"]),
        ({"who": [{"contact": "ada@example.com"}]}, ["who[0].contact"]),
        ({"card": CARD}, ["card"]),
        ({"aws": "AKIAIOSFODNN7EXAMPLE"}, ["aws"]),
        ({"ada@example.com": 1}, ["[redacted:email]"]),
    ],
)
def test_personal_data_and_secrets_are_refused_by_field_and_not_repeated(
    call: Call, value: Any, fields: list[str]
) -> None:
    error = refused(call, "putMemory", key="k", value=value)
    assert error["code"] == "PII_DETECTED"
    assert error["message"] == "PII detected in memory operation"
    assert error["details"]["redacted_fields"] == fields
    for word in ("ada", "212", "4111", "AKIA"):
        assert word not in json.dumps(error)
    assert refused(call, "getMemory", key="k")["code"] == "NOT_FOUND"


@pytest.mark.req("R160")
def test_a_policy_may_have_personal_data_masked_but_never_a_key(under: Callable[..., Call]) -> None:
    redacting = under(rules("*", on_sensitive="redact"))
    ask(redacting, "putMemory", key="k", value={"note": "write to ada@example.com", "n": 1})
    assert ask(redacting, "getMemory", key="k")["value"] == {"note": "write to [redacted:email]", "n": 1}
    error = refused(redacting, "putMemory", key=f"ssn:{SSN}", value=1)
    assert error["details"]["redacted_fields"] == ["key"]


@pytest.mark.req("R161")
def test_what_personal_data_older_keys_and_values_hold_is_masked(call: Call) -> None:
    place = Place(call.caller.tenant, Namespace(SPACE), KeyName(f"ssn:{SSN}"))
    call.services.keyvalue.put(place, {"mail": "ada@example.com"})
    listed = ask(call, "listMemory")
    assert listed["total"] == 1
    assert SSN not in json.dumps(listed)
    assert listed["keys"][0].startswith("ssn:[redacted:")
    assert ask(call, "getMemory", key=f"ssn:{SSN}")["value"] == {"mail": "[redacted:email]"}


@pytest.mark.req("R162")
@pytest.mark.req("R180")
def test_nothing_passes_a_filter_that_fails(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(call, "putMemory", key="k", value="shown")

    def fail(*_: object) -> Any:
        raise DetectionFailed("broken")

    monkeypatch.setattr(detector, "scan", fail)
    monkeypatch.setattr(detector, "mask", fail)
    for tool, more in (("putMemory", {"key": "k", "value": 2}), ("getMemory", {"key": "k"}), ("listMemory", {})):
        with pytest.raises(InternalError):
            ask(call, tool, **more)
    monkeypatch.undo()
    assert ask(call, "getMemory", key="k")["value"] == "shown"


@pytest.mark.req("R176")
def test_findings_are_counted_by_tool(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[CallRecord] = []
    kept = telemetry.CallRecord

    def record(request_id: str) -> CallRecord:
        records.append(kept(request_id))
        return records[-1]

    monkeypatch.setattr(telemetry, "CallRecord", record)
    refused(call, "putMemory", key="k", value={"a": "ada@example.com", "b": CARD})
    ask(call, "putMemory", key="k", value="clean")
    call.services.keyvalue.put(Place(call.caller.tenant, Namespace(SPACE), KeyName("l")), "ada@example.com")
    ask(call, "getMemory", key="l")
    counted = [
        (sample.labels["tool_name"], sample.value)
        for each in records
        for sample in samples(each)
        if sample.metric is REDACTIONS
    ]
    assert counted == [("putMemory", 2), ("getMemory", 1)]
