"""The tools of key-value memory take any JSON, name the field that is wrong, and refuse what is over a limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.settings import Limits, Quotas
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.keyvalue import SPACE, ask, refused
from support.services import changed, services_over


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
    small = replace(call, services=changed(call.services, settings=settings))
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


@pytest.mark.req("R165")
def test_over_the_quota_of_the_settings_nothing_more_is_stored(call: Call, adapters: Adapters) -> None:
    settings = replace(call.services.settings, quotas=Quotas(namespace_items=1))
    full = replace(call, services=services_over(adapters, settings))
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
