"""From a request to a report: which pods are looked at, what a wrong list is told, order, counts and bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.errors import InvalidArgument, NotFound, PermissionDenied, Unavailable
from cairn_sandbox.pod_health import report
from cairn_sandbox.pod_health.findings import MAX_EVIDENCE_BYTES, cut, quoted
from support.sandbox import NAMESPACE, NOW, container, event, pod, pod_list, running, terminated, waiting

Diagnosed = Callable[..., list[dict[str, Any]]]


class Cluster:
    """A cluster that holds pods and warnings, or refuses the warnings."""

    def __init__(self, pods: list[Any], warnings: list[Any] | Exception) -> None:
        self.held = pods
        self.reported = warnings
        self.asked: list[tuple[str, str | None]] = []

    def pods(self, namespace: str) -> list[object]:
        self.asked.append((namespace, None))
        return self.held

    def pod(self, namespace: str, name: str) -> object:
        self.asked.append((namespace, name))
        return self.held[0]

    def warnings(self, namespace: str, pod: str | None) -> list[object]:
        self.asked.append((namespace, pod))
        if isinstance(self.reported, Exception):
            raise self.reported
        return self.reported


def crashing(name: str, **metadata: Any) -> dict[str, Any]:
    looping = container(state=waiting("CrashLoopBackOff"), lastState=terminated(1), restartCount=3)
    return pod(name, looping, metadata=metadata)


def restarted(name: str) -> dict[str, Any]:
    return pod(name, container(restartCount=1, lastState=terminated(1)))


def reported(pods: object, **arguments: Any) -> dict[str, Any]:
    def no_cluster() -> Any:
        raise AssertionError("no cluster is to be asked")

    return report.pod_health({"namespace": NAMESPACE, "pods": pods, **arguments}, no_cluster, lambda: NOW)


def asked(cluster: Cluster, **arguments: Any) -> dict[str, Any]:
    return report.pod_health({"namespace": NAMESPACE, **arguments}, lambda: cluster, lambda: NOW)


def test_findings_come_worst_first_and_then_by_name(diagnosed: Diagnosed) -> None:
    found = diagnosed(restarted("b"), crashing("z"), restarted("a"), pod("fine"), crashing("c"))

    assert [(each["severity"], each["pod"]) for each in found] == [
        ("critical", "c"),
        ("critical", "z"),
        ("info", "a"),
        ("info", "b"),
    ]


def test_the_summary_counts_pods_and_findings() -> None:
    answer = reported(pod_list(restarted("b"), crashing("z"), pod("fine")))

    assert answer["summary"] == "3 pods in shop, 2 with findings: 1 critical, 1 info."
    assert reported(pod_list(pod()))["summary"] == "1 pod in shop, 0 with findings."
    assert reported(pod_list()) == {"findings": [], "summary": "0 pods in shop, 0 with findings."}


def test_two_hundred_findings_are_shown_the_worst_ones_and_all_are_counted() -> None:
    answer = reported(pod_list(*(restarted(f"i-{number}") for number in range(150)), *map(crashing, pods_of(100))))

    assert len(answer["findings"]) == 200
    assert [each["severity"] for each in answer["findings"]] == ["critical"] * 100 + ["info"] * 100
    assert answer["summary"] == (
        "250 pods in shop, 250 with findings: 100 critical, 150 info; the first 200 findings are shown."
    )


def pods_of(count: int) -> list[str]:
    return [f"c-{number}" for number in range(count)]


def test_only_the_namespace_s_pods_are_looked_at_and_of_them_the_one_that_is_named(diagnosed: Diagnosed) -> None:
    mixed = [crashing("a"), crashing("b", namespace="other"), crashing("c", namespace=None), crashing("d")]

    assert [each["pod"] for each in diagnosed(*mixed)] == ["a", "c", "d"]
    assert [each["pod"] for each in diagnosed(*mixed, pod="d")] == ["d"]


@pytest.mark.parametrize("name", ["absent", "b"])
def test_a_named_pod_that_is_not_in_the_list_is_not_found(name: str, diagnosed: Diagnosed) -> None:
    with pytest.raises(NotFound):
        diagnosed(crashing("a"), crashing("b", namespace="other"), pod=name)


def test_a_list_may_leave_out_what_the_api_leaves_out_and_hold_what_it_adds() -> None:
    bare = {"metadata": {"name": "web-1"}, "status": {"containerStatuses": None}, "futureField": {"a": [1]}}

    assert reported({"items": [bare]})["summary"].startswith("1 pod in shop, 0 with")
    assert reported({"kind": "PodList", "items": None})["summary"].startswith("0 pods")


def test_the_list_that_kubectl_prints_may_hold_events_and_other_things() -> None:
    service = {"kind": "Service", "metadata": {"name": "UPPER", "namespace": 7}}
    sick = pod("web-1", container(ready=False, state=running(minutes=1)))
    probe = event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
    elsewhere = event("Unhealthy", "Startup probe failed: EOF")
    elsewhere["involvedObject"]["namespace"] = "other"
    of_a_set = event("Unhealthy", "Startup probe failed: EOF")
    of_a_set["involvedObject"]["kind"] = "StatefulSet"

    answer = reported(pod_list(service, sick, probe, elsewhere, of_a_set, kind="List"))

    assert [each["reason"] for each in answer["findings"]] == ["Unhealthy"]
    assert "answered 503" in answer["findings"][0]["evidence"]


WRONG: dict[str, tuple[Any, str]] = {
    "another kind of list": ({"kind": "ServiceList"}, "pods.kind"),
    "items that are no list": ({"items": {}}, "pods.items"),
    "an item that is no object": ({"items": [7]}, "pods.items[0]"),
    "a pod without metadata": ({"items": [{}]}, "pods.items[0].metadata"),
    "a pod without a name": ({"items": [pod(), {"metadata": {}}]}, "pods.items[1].metadata.name"),
    "a name with a space": ({"items": [pod("a b")]}, "pods.items[0].metadata.name"),
    "a status that is a text": ({"items": [{**pod(), "status": "Running"}]}, "pods.items[0].status"),
    "a count that is a text": (
        {"items": [pod("a", container(restartCount="3"))]},
        "pods.items[0].status.containerStatuses[0].restartCount",
    ),
    "a negative count": (
        {"items": [pod("a", container(restartCount=-1))]},
        "pods.items[0].status.containerStatuses[0].restartCount",
    ),
    "a time that is none": (
        {"items": [pod("a", container(state={"running": {"startedAt": "yesterday"}}))]},
        "pods.items[0].status.containerStatuses[0].state.running.startedAt",
    ),
    "an event that is about a text": (
        {"items": [{"kind": "Event", "involvedObject": "web-1"}]},
        "pods.items[0].involvedObject",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_pod_of_the_api_is_refused_by_its_path(case: str) -> None:
    pods, path = WRONG[case]

    with pytest.raises(InvalidArgument) as raised:
        reported(pods)

    assert set(cast("dict[str, str]", raised.value.details["fields"])) == {path}


def test_a_cluster_is_asked_for_the_namespace_and_its_warnings_where_no_pods_are_given() -> None:
    cluster = Cluster(
        [pod("web-1", container(ready=False))],
        [event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")],
    )

    answer = asked(cluster)

    assert "answered 503" in answer["findings"][0]["evidence"]
    assert answer["summary"] == "1 pod in shop, 1 with findings: 1 warning."
    assert cluster.asked == [("shop", None), ("shop", None)]


def test_a_cluster_is_asked_for_the_one_pod_that_is_named() -> None:
    cluster = Cluster([crashing("web-1")], [])

    assert [each["pod"] for each in asked(cluster, pod="web-1")["findings"]] == ["web-1"]
    assert cluster.asked == [("shop", "web-1"), ("shop", "web-1")]


def test_a_token_that_may_not_read_events_still_gets_what_the_pods_tell() -> None:
    answer = asked(Cluster([crashing("web-1")], PermissionDenied("no")))

    assert answer["summary"] == "1 pod in shop, 1 with findings: 1 critical. Events could not be read."


@pytest.mark.parametrize(("pods", "warnings"), [([{"status": 7}], []), ([], [{"involvedObject": 7}])])
def test_what_a_cluster_answers_amiss_is_not_blamed_on_the_caller(pods: list[Any], warnings: list[Any]) -> None:
    with pytest.raises(Unavailable):
        asked(Cluster(pods, warnings))


def test_a_url_s_user_and_query_and_what_steers_a_terminal_are_not_quoted(diagnosed: Diagnosed) -> None:
    message = 'Get "https://bob:canary-7f31@r.example/v2/?t=canary-7f31":\n\x1b[31m no \ud800 answer'

    (found,) = diagnosed(pod("web-1", container(state=waiting("ErrImagePull", message))))

    assert found["evidence"].endswith('; Get "https://r.example/v2/": [31m no answer')


def test_a_reason_is_a_short_word_whatever_the_list_says(diagnosed: Diagnosed) -> None:
    (found,) = diagnosed(pod("web-1", container(state=waiting("Strange\x1b" * 1000))))

    assert len(found["reason"]) <= 64
    assert found["reason"].isprintable()


@pytest.mark.slow
@given(st.integers(0, 9), st.sampled_from("aé€😀"), st.integers(0, 240))
def test_evidence_is_cut_between_characters_and_never_longer_than_its_bound(ahead: int, each: str, count: int) -> None:
    text = "a" * ahead + each * count

    short = cut(text)

    assert len(short.encode()) <= MAX_EVIDENCE_BYTES
    assert short == text or text.startswith(short.removesuffix("…"))
    assert len(text.encode()) > MAX_EVIDENCE_BYTES or short == text
    assert len(short.encode()) > MAX_EVIDENCE_BYTES - 8 or short == text


@given(st.text())
def test_what_is_quoted_is_one_printable_line(text: str) -> None:
    assert quoted(text).isprintable()
    assert quoted(quoted(text)) == quoted(text)


PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["metadata", "name", "status", "phase", "containerStatuses", "state", "waiting", "reason"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.fixed_dictionaries({"items": st.lists(PARTS, max_size=3)}) | PARTS)
def test_any_list_is_diagnosed_or_refused_by_a_path(pods: Any) -> None:
    try:
        outcome = json.dumps(reported({} if pods is None else pods))
    except InvalidArgument as refused:
        outcome = refused.message

    assert outcome.startswith(('{"findings": [', "Invalid input: pods"))
