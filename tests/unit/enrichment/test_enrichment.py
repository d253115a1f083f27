"""What of an earlier call may be told: labels, times and names that the new call says itself, within its bytes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.enrichment.model import (
    ARGUMENTS_CHARACTERS,
    ContextSummary,
    Execution,
    brief,
    execution_tags,
    packaged,
    query_tags,
    ranked,
    redacted,
    text_summary,
)
from cairn.ground.ids import SessionId, TurnId
from cairn.log.entries import Chunk

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOOL = "oc_diagnostic_pod_health"


def execution(*, hours: float = 1, namespace: str = "shop", signs: tuple[str, ...] = ()) -> Execution:
    tags = execution_tags(TOOL, {"namespace": namespace}, {"reasons": signs})
    at = NOW - timedelta(hours=hours)
    return Execution(id=f"{hours}-{namespace}", tool=TOOL, at=at, session_id="monday", tags=tags, failed=False)


@pytest.mark.req("R219")
def test_a_call_is_looked_up_by_tool_resource_namespace_error_hints_and_domain() -> None:
    asked = {"namespace": "shop", "pods": {"reason": "ImagePullBackOff", "note": "0/3 nodes: Insufficient cpu"}}
    assert query_tags(TOOL, asked) == (
        f"tool:{TOOL}",
        "resource:pod",
        "namespace:shop",
        "error:scheduling",
        "error:image",
        "domain:openshift",
        "suite:diagnostic",
        "kind:tool_exec",
    )
    assert "namespace" not in str(query_tags(TOOL, {}))


@pytest.mark.req("R219")
@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Unschedulable", "scheduling"),
        ("CrashLoopBackOff", "crashloop"),
        ("ErrImagePull", "image"),
        ("context deadline exceeded", "timeouts"),
        ("request timed out", "timeouts"),
        ("OOMKilled", "memory"),
        ("Readiness probe failed", "probe"),
        ("FailedMount", "volume"),
        ("Evicted", "eviction"),
        ("forbidden: cannot list", "access"),
    ],
)
def test_a_classifier_knows_its_error(text: str, label: str) -> None:
    assert [tag for tag in execution_tags("t", {}, text) if tag.startswith("error:")] == [f"error:{label}"]
    assert execution_tags("t", {}, "all is well") == ("tool:t", "kind:tool_exec")


@pytest.mark.req("R232")
@pytest.mark.parametrize(
    ("tool", "arguments", "tags"),
    [
        ("oc_diagnostic_pod_health", {}, {"suite:diagnostic", "resource:pod"}),
        ("oc_diagnostic_namespace_health", {}, {"suite:diagnostic", "resource:namespace"}),
        ("oc_diagnostic_rca_checklist", {}, {"suite:diagnostic"}),
        ("oc_read_get_pods", {}, {"suite:read", "resource:pod"}),
        ("oc_read_describe", {"resourceType": "Deployment"}, {"suite:read", "resource:deployment"}),
        ("oc_read_describe", {"resourceType": "canary-7f3a"}, {"suite:read"}),
    ],
)
def test_the_tools_of_the_second_phase_are_looked_up_by_suite_resource_domain_and_error(
    tool: str, arguments: dict[str, Any], tags: set[str]
) -> None:
    found = query_tags(tool, {**arguments, "note": "CrashLoopBackOff"})
    assert set(found) == {f"tool:{tool}", "domain:openshift", "error:crashloop", "kind:tool_exec", *tags}


@pytest.mark.req("R231")
def test_the_incident_that_shares_most_comes_first_and_of_equal_ones_the_newest() -> None:
    wanted = query_tags(TOOL, {"namespace": "shop", "pods": "CrashLoopBackOff"})
    like = execution(hours=48, signs=("CrashLoopBackOff",))
    others = [execution(hours=hours, namespace="other") for hours in (1, 2, 3)]
    found = ranked([*others, like], wanted, NOW, 3)
    assert [each.memory_id for each in found] == [like.id, others[0].id, others[1].id]
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@pytest.mark.req("R217")
def test_a_summary_says_where_it_is_from() -> None:
    (found,) = ranked([execution(signs=("OOMKilled",))], query_tags(TOOL, {"namespace": "shop"}), NOW, 3)
    assert (found.source, found.origin, found.similarity) == ("tool_exec", "json", None)
    assert (found.memory_id, found.session_id) == ("1-shop", "monday")
    assert found.timestamp == int((NOW - timedelta(hours=1)).timestamp() * 1000)
    assert found.snippet == f"2026-03-01 11:00 UTC, {TOOL}, namespace:shop: ended well; signs: memory"


@pytest.mark.req("R226")
def test_a_namespace_of_an_earlier_call_is_told_only_to_a_call_that_names_it() -> None:
    for named, told in (("canary-7f3a", True), ("shop", False)):
        (found,) = ranked([execution(namespace="canary-7f3a")], query_tags(TOOL, {"namespace": named}), NOW, 3)
        assert ("canary-7f3a" in str(found.tags)) is told
        assert ("canary-7f3a" in found.snippet) is told


@pytest.mark.req("R226")
@given(secret=st.text(alphabet="bdfghjkmnpqrwxyz", min_size=8, max_size=40))
def test_of_what_was_said_labels_alone_are_told(secret: str) -> None:
    said = Chunk(
        session_id=SessionId("monday"),
        turn_id=TurnId("turn-1"),
        event_id="event-1",
        seq=1,
        at=NOW,
        role="user",
        speaker="user",
        text=f"{secret} CrashLoopBackOff {secret}",
    )
    found = text_summary(said, query_tags(TOOL, {}), NOW)
    assert found is not None
    assert found.source == "conversation"
    assert found.tags == ("kind:conversation", "error:crashloop")
    assert secret not in f"{found.snippet}{found.tags}"


@pytest.mark.req("R221")
@pytest.mark.req("R222")
@given(
    snippets=st.lists(st.text(max_size=600), max_size=6),
    tags=st.lists(st.text(max_size=200), max_size=4),
    most=st.integers(64, 1500),
)
def test_what_a_tool_is_told_keeps_to_its_items_and_bytes(snippets: list[str], tags: list[str], most: int) -> None:
    found = [ContextSummary(source="tool_exec", score=0.5, tags=tags, snippet=each) for each in snippets]
    context = packaged(found, most)
    if context is None:
        return
    assert 1 <= len(context["items"]) <= 3
    assert len(json.dumps(context, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= most
    assert "\n".join(snippets).startswith(context["summary"])
    assert [set(each) for each in context["items"]] == [{"score", "tags", "snippet"}] * len(context["items"])


def test_three_ordinary_incidents_are_told_whole() -> None:
    incidents = [execution(hours=hours, signs=("CrashLoopBackOff", "OOMKilled")) for hours in (1, 2, 3)]
    found = ranked(incidents, query_tags(TOOL, {"namespace": "shop"}), NOW, 3)
    context = packaged(found, 1500)
    assert context is not None
    assert len(context["items"]) == 3
    assert packaged((), 1500) is None


@pytest.mark.req("R283")
@pytest.mark.parametrize("key", ["token", "api_TOKEN", "password", "clientSecret", "auth", "Authorization", "Cookie"])
def test_what_stands_under_a_secret_s_name_is_not_kept(key: str) -> None:
    assert json.loads(redacted({"a": {key: "canary"}, "b": 1})) == {"a": {key: "[REDACTED]"}, "b": 1}


@pytest.mark.req("R283")
def test_arguments_are_kept_short_and_without_secrets_in_their_texts() -> None:
    secret = "ghp_" + "Zx9Kq2Lm7Np4Rt8Vw3Yb6Cd1Ef5Gh0Jk2Lm4"
    kept = json.loads(redacted({"long": "x" * 500, "note": f"use {secret}"}))
    assert kept["long"] == "x" * 128
    assert secret not in str(kept)
    many: dict[str, Any] = {str(number): ["y" * 500] * 50 for number in range(50)}
    assert len(redacted(many)) == ARGUMENTS_CHARACTERS
    assert len(brief({"findings": ["z" * 500] * 50}, 1500)) == 1500
    assert brief("NOT_FOUND: no such pod", 9) == "NOT_FOUND"
