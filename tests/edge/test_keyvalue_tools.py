"""The tools of key-value memory hold to their policy, keep personal data out, and refuse what is over a limit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.domain.detection import detector
from cairn.domain.errors import CairnError, DetectionFailed, InternalError, InvalidArgument
from cairn.domain.ids import Tenant
from cairn.domain.keyvalue import KeyName, Namespace, Place
from cairn.domain.settings import Limits, Quotas
from cairn.edge.dispatch import execute
from cairn.edge.tool import Call
from cairn.runtime import policies, telemetry, wiring
from cairn.runtime.metrics import REDACTIONS, samples
from cairn.runtime.telemetry import CallRecord
from cairn.service.world import World
from cairn_tools.catalog import CATALOG

SPACE = "session.monday"
CARD = "4111 1111 1111 1111"
SSN = "219-09-9999"


def ask(call: Call, tool: str, **arguments: Any) -> dict[str, Any]:
    return execute(CATALOG, tool, {"namespace": SPACE, **arguments}, call)


def refused(call: Call, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return code, message and details of a refusal."""
    with pytest.raises(CairnError) as raised:
        ask(call, tool, **arguments)
    return {"code": raised.value.code, "message": raised.value.message, "details": raised.value.details}


@pytest.fixture
def under(call: Call, tmp_path: Path, clock: Any) -> Callable[..., Call]:
    """Return a function that makes a call under a policy document, and for a credential that names one of them."""

    def made(document: object, name: str | None = None) -> Call:
        path = tmp_path / "policy.json"
        path.write_text(json.dumps(document))
        held = policies.of_file(path, clock)
        services = replace(call.services, policies=held)
        return replace(call, services=services, caller=replace(call.caller, policy=name))

    return made


def rules(*namespaces: str, operations: tuple[str, ...] = ("read", "write"), **more: Any) -> dict[str, Any]:
    """Return the permissions of all four tools."""
    given = {"allowed_namespaces": list(namespaces), "operations": list(operations), **more}
    return {"tool_permissions": dict.fromkeys(("listMemory", "getMemory", "putMemory", "deleteMemory"), given)}


@pytest.mark.req("R148")
@pytest.mark.req("R139")
@pytest.mark.req("R179")
def test_a_value_is_stored_listed_read_and_removed(call: Call) -> None:
    stored = ask(call, "putMemory", key="plan/beans", value={"rows": [1, None, True]})
    assert stored["success"] is True
    assert ask(call, "listMemory") == {"keys": ["plan/beans"], "cursor": None, "total": 1}
    assert ask(call, "getMemory", key="plan/beans") == {
        "value": {"rows": [1, None, True]},
        "ttl_seconds": 3600,
        "updated_at": "2026-03-01T12:00:00Z",
        "version": stored["version"],
    }
    assert ask(call, "deleteMemory", key="plan/beans", if_version=stored["version"]) == {"success": True}
    assert ask(call, "listMemory") == {"keys": [], "cursor": None, "total": 0}
    assert refused(call, "getMemory", key="plan/beans")["code"] == "NOT_FOUND"


@pytest.mark.req("R150")
@pytest.mark.parametrize("value", [None, True, 0, -1.5, "", "text", [], [[1]], {}, {"": None}])
def test_any_json_is_a_value(call: Call, value: object) -> None:
    ask(call, "putMemory", key="k", value=value)
    assert repr(ask(call, "getMemory", key="k")["value"]) == repr(value)


@pytest.mark.req("R140")
@pytest.mark.parametrize(("limit", "accepted"), [(0, False), (1, True), (100, True), (101, False), ("5", False)])
def test_a_page_has_one_to_a_hundred_keys(call: Call, limit: object, *, accepted: bool) -> None:
    if accepted:
        assert ask(call, "listMemory", limit=limit)["keys"] == []
    else:
        assert refused(call, "listMemory", limit=limit)["details"]["fields"].keys() == {"limit"}


@pytest.mark.req("R139")
@pytest.mark.parametrize(
    ("tool", "field", "value"),
    [
        ("listMemory", "namespace", "session..a"),
        ("listMemory", "namespace", ".session"),
        ("listMemory", "namespace", "session.a\n"),
        ("listMemory", "namespace", "session.a#b"),
        ("listMemory", "namespace", "a" * 101),
        ("listMemory", "namespace", ""),
        ("listMemory", "namespace", None),
        ("listMemory", "prefix", "a b"),
        ("listMemory", "prefix", "k\n"),
        ("listMemory", "cursor", "x" * 1025),
        ("getMemory", "key", ""),
        ("getMemory", "key", "a#b"),
        ("getMemory", "key", "k\n"),
        ("getMemory", "key", "ü"),
        ("getMemory", "key", "k" * 201),
        ("putMemory", "ttl_seconds", -1),
        ("putMemory", "ttl_seconds", 1.5),
        ("putMemory", "if_version", -1),
        ("deleteMemory", "if_version", "1"),
        ("putMemory", "value", {"a": float("inf")}),
        ("putMemory", "value", {"a": "\ud800"}),
    ],
)
def test_a_bad_field_is_named(call: Call, tool: str, field: str, value: object) -> None:
    given: dict[str, Any] = {"key": "k"} if tool != "listMemory" else {}
    given |= {"value": 1} if tool == "putMemory" else {}
    error = refused(call, tool, **{**given, field: value})
    assert error["code"] == "INVALID_ARGUMENT"
    assert [name.partition(".")[0] for name in error["details"]["fields"]] == [field]
    assert call.services.keyvalue.list(call.caller.tenant, Namespace(SPACE)).total == 0


@pytest.mark.req("R148")
def test_namespace_key_and_value_are_required(call: Call) -> None:
    with pytest.raises(InvalidArgument) as raised:
        execute(CATALOG, "putMemory", {}, call)
    assert raised.value.details["fields"] == dict.fromkeys(("namespace", "key", "value"), "is required")


@pytest.mark.req("R149")
@pytest.mark.req("R153")
def test_a_value_over_the_limit_is_refused_before_its_permission_is_asked(call: Call) -> None:
    settings = replace(call.services.settings, limits=Limits(value_bytes=50))
    small = replace(call, services=replace(call.services, settings=settings))
    ask(small, "putMemory", key="k", value="x" * 48)
    for namespace in (SPACE, "denied"):
        error = refused(small, "putMemory", namespace=namespace, key="k", value="x" * 49)
        assert (error["code"], error["details"]) == ("PAYLOAD_TOO_LARGE", {"field": "value", "limit": 50})
    assert refused(small, "putMemory", namespace="denied", key="k", value=float("nan"))["code"] == "INVALID_ARGUMENT"
    assert ask(small, "getMemory", key="k")["value"] == "x" * 48


@pytest.mark.req("R153")
@pytest.mark.slow
def test_a_megabyte_is_a_value(call: Call) -> None:
    lines = [f"bed {number}: beans, sown in row {number % 13}" for number in range(25_000)]
    ask(call, "putMemory", key="k", value=lines)
    assert ask(call, "getMemory", key="k")["value"] == lines


@pytest.mark.req("R155")
@pytest.mark.req("R156")
@pytest.mark.req("R158")
@pytest.mark.req("R159")
@pytest.mark.req("R180")
@pytest.mark.parametrize(
    ("tool", "namespace", "operation"),
    [
        ("putMemory", "public.news", "write"),
        ("deleteMemory", "public.news", "write"),
        ("listMemory", "sessionhijack", "read"),
        ("getMemory", "session", "read"),
        ("putMemory", "sensitive", "write"),
        ("getMemory", "sensitive.session.a", "read"),
    ],
)
def test_a_namespace_that_no_rule_names_is_denied(call: Call, tool: str, namespace: str, operation: str) -> None:
    given: dict[str, Any] = {"key": "k"} if tool != "listMemory" else {}
    given |= {"value": 1} if tool == "putMemory" else {}
    assert refused(call, tool, namespace=namespace, **given) == {
        "code": "PERMISSION_DENIED",
        "message": f"Access denied to namespace '{namespace}'",
        "details": {"namespace": namespace, "operation": operation},
    }
    assert ask(call, "listMemory", namespace="public.news")["keys"] == []


@pytest.mark.req("R158")
@pytest.mark.req("R180")
def test_reading_and_writing_are_allowed_apart(under: Callable[..., Call]) -> None:
    writer = under(rules("*", operations=("write",)))
    ask(writer, "putMemory", key="k", value=1)
    assert refused(writer, "getMemory", key="k")["code"] == "PERMISSION_DENIED"
    reader = under(rules("*", operations=("read",)))
    assert ask(reader, "getMemory", key="k")["value"] == 1
    for tool, more in (("putMemory", {"value": 2}), ("deleteMemory", {})):
        assert refused(reader, tool, key="k", **more)["code"] == "PERMISSION_DENIED"
    assert ask(reader, "getMemory", key="k")["value"] == 1


@pytest.mark.req("R180")
def test_a_credential_is_under_the_policy_it_names_alone(under: Callable[..., Call]) -> None:
    document = {**rules("*"), "policies": {"readers": rules("public.*", operations=("read",))}}
    ask(under(document), "putMemory", namespace="public.news", key="k", value=1)
    reader = under(document, "readers")
    assert ask(reader, "getMemory", namespace="public.news", key="k")["value"] == 1
    assert refused(reader, "getMemory", key="k")["code"] == "PERMISSION_DENIED"
    assert (
        refused(under(document, "gone"), "getMemory", namespace="public.news", key="k")["code"] == "PERMISSION_DENIED"
    )


@pytest.mark.req("R168")
def test_the_gateway_s_word_says_which_policy_holds(under: Callable[..., Call], event_of: Any) -> None:
    services = under({**rules("*"), "policies": {"none": rules()}}).services
    wiring.provide(services)
    tool = next(each for each in CATALOG if each.name == "listMemory")
    event = event_of("/", {"namespace": SPACE})
    statuses: list[int] = []
    for policy in (None, "none", 7):
        if policy is not None:
            event["requestContext"]["authorizer"]["lambda"]["policy"] = policy
        statuses.append(tool.handler(event, None)["statusCode"])
    wiring.provide(None)
    assert statuses == [200, 403, 403]


@pytest.mark.req("R152")
def test_a_ttl_above_the_policy_s_is_refused_and_none_means_that_one(under: Callable[..., Call], call: Call) -> None:
    assert refused(call, "putMemory", key="k", value=1, ttl_seconds=3601)["details"]["fields"].keys() == {"ttl_seconds"}
    assert ask(call, "listMemory")["total"] == 0
    for given, left in (({"ttl_seconds": 3600}, 3600), ({}, 3600), ({"ttl_seconds": 1}, 1)):
        ask(call, "putMemory", key="k", value=1, **given)
        assert ask(call, "getMemory", key="k")["ttl_seconds"] == left
    free = under(rules("*"))
    ask(free, "putMemory", key="k", value=1)
    assert ask(free, "getMemory", key="k")["ttl_seconds"] is None
    assert ask(call, "putMemory", key="k", value=1, ttl_seconds=0) == {"success": True, "version": 0}
    assert refused(call, "getMemory", key="k")["code"] == "NOT_FOUND"


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


@pytest.mark.req("R165")
def test_over_the_quota_of_the_settings_nothing_more_is_stored(call: Call, world: World) -> None:
    settings = replace(call.services.settings, quotas=Quotas(namespace_items=1))
    full = replace(call, services=wiring.build(settings, world))
    ask(full, "putMemory", key="k", value=1)
    error = refused(full, "putMemory", key="l", value=1)
    assert (error["code"], error["details"]) == ("QUOTA_EXCEEDED", {"quota": "namespace"})
    ask(full, "putMemory", namespace="session.tuesday", key="l", value=1)


@pytest.mark.req("R010")
@pytest.mark.req("R143")
@pytest.mark.req("R180")
def test_another_tenant_sees_nothing_of_it(call: Call) -> None:
    for number in range(3):
        ask(call, "putMemory", key=f"k{number}", value=number)
    cursor = ask(call, "listMemory", limit=1)["cursor"]
    rival = replace(call, caller=replace(call.caller, tenant=Tenant("rival")))
    assert ask(rival, "listMemory") == {"keys": [], "cursor": None, "total": 0}
    assert refused(rival, "getMemory", key="k0") == refused(rival, "getMemory", key="never") | {
        "details": {"namespace": SPACE, "key": "k0"}
    }
    assert refused(rival, "listMemory", limit=1, cursor=cursor)["details"]["fields"].keys() == {"cursor"}
    assert ask(call, "listMemory", limit=1, cursor=cursor)["keys"] == ["k1"]
