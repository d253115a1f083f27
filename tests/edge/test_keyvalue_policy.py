"""The tools of key-value memory hold to their policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn import wiring
from cairn.tool.call import Call
from cairn_tools.catalog import CATALOG
from support.keyvalue import SPACE, ask, refused, rules


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
