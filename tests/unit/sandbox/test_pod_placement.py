"""What a pod's own status tells: no node, no volume, no way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.sandbox import SECRET, ago, container, event, pod, running, terminated, unscheduled, waiting

Diagnosed = Callable[..., list[dict[str, Any]]]
CREATED_LATER = container(state=waiting("PodInitializing"))
CREATING = pod("web-1", container(state=waiting("ContainerCreating")), phase="Pending", startTime=ago(minutes=1))


@pytest.mark.parametrize(
    ("constraint", "advice"),
    [
        ("3 Insufficient cpu", "lower its requests"),
        ("1 Insufficient nvidia.com/gpu", "lower its requests"),
        ("2 node(s) had untolerated taint {dedicated: gpu}", "tolerate the taint"),
        ("2 node(s) had untolerated taint {node.kubernetes.io/unreachable: }", "mend the nodes"),
        ("2 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }", "free the nodes"),
        ("2 node(s) were unschedulable", "uncordon a node"),
        ("3 node(s) didn't match Pod's node affinity/selector", "match nodeSelector"),
        ("3 node(s) had volume node affinity conflict", "another zone"),
        ("3 node(s) didn't match pod anti-affinity rules", "relax the anti-affinity"),
        ("3 node(s) didn't match pod affinity rules", "wants to be near to"),
        ("3 node(s) didn't match pod topology spread constraints", "topology spread"),
        ("3 node(s) didn't have free ports for the requested pod ports", "hostPort"),
        ("1 Too many pods", "add nodes, or raise"),
        ("3 node(s) exceed max volume count", "spread volumes"),
        ("3 node(s) had something new", "kubectl describe pod"),
    ],
)
def test_a_pod_without_a_node_names_the_constraint_and_what_would_meet_it(
    constraint: str, advice: str, diagnosed: Diagnosed
) -> None:
    message = (
        f"0/3 nodes are available: {constraint}. preemption: 0/3 nodes are available: 3 Preemption is not helpful."
    )

    (found,) = diagnosed(unscheduled(message))

    assert (found["severity"], found["reason"]) == ("critical", "FailedScheduling")
    assert found["evidence"] == f"0/3 nodes are available: {constraint}."
    assert advice in found["hint"]
    assert ";" not in found["hint"]  # one constraint, one advice


def test_every_constraint_that_is_named_has_its_advice_once(diagnosed: Diagnosed) -> None:
    message = (
        "0/9 nodes are available: 3 Insufficient cpu, 3 Insufficient memory, 3 node(s) didn't match Pod's node "
        "affinity/selector."
    )

    (found,) = diagnosed(unscheduled(message))

    assert found["hint"] == (
        "One of: lower its requests, free or add nodes for what is insufficient; match nodeSelector and affinity to "
        "labels that nodes have."
    )


@pytest.mark.parametrize(
    "message",
    [
        "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
        '0/3 nodes are available: persistentvolumeclaim "data" not found.',
    ],
)
def test_a_claim_that_is_not_bound_is_told_as_that(message: str, diagnosed: Diagnosed) -> None:
    (found,) = diagnosed(unscheduled(message))

    assert (found["severity"], found["reason"]) == ("critical", "PersistentVolumeClaimPending")
    assert found["evidence"] == message


def test_a_scheduling_gate_is_no_failure(diagnosed: Diagnosed) -> None:
    (found,) = diagnosed(unscheduled("Scheduling is blocked due to non-empty scheduling gates", "SchedulingGated"))

    assert (found["severity"], found["reason"]) == ("info", "SchedulingGated")


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("Evicted", "ran short"),
        ("DeadlineExceeded", "activeDeadlineSeconds"),
        ("Preempting", "higher priority"),
        ("NodeShutdown", "shut down"),
        ("UnexpectedAdmissionError", "device"),
        ("OutOfcpu", "refused it"),
    ],
)
def test_a_pod_that_was_ended_says_by_what_and_its_containers_say_nothing(
    reason: str, advice: str, diagnosed: Diagnosed
) -> None:
    message = "The node was low on resource: memory. Container app was using 2Gi, request is 64Mi."

    (found,) = diagnosed(pod("web-1", container(state=terminated(137)), phase="Failed", reason=reason, message=message))

    assert (found["severity"], found["reason"]) == ("warning", reason)
    assert found["evidence"] == f"phase Failed; {message}"
    assert advice in found["hint"]


@pytest.mark.parametrize("status", [{"phase": "Unknown"}, {"phase": "Running", "reason": "NodeLost"}])
def test_a_pod_whose_node_is_lost_is_critical(status: dict[str, str], diagnosed: Diagnosed) -> None:
    (found,) = diagnosed(pod(**status, message="Node node-1 which was running pod web-1 is unresponsive"))

    assert (found["severity"], found["reason"]) == ("critical", "NodeLost")
    assert "unresponsive" in found["evidence"]


@pytest.mark.parametrize(
    ("finalizers", "held"), [([], "no finalizer holds it"), (["example.com/backup"], "held by example.com/backup")]
)
def test_a_pod_that_should_be_gone_says_what_holds_it(finalizers: list[str], held: str, diagnosed: Diagnosed) -> None:
    leaving = {"deletionTimestamp": ago(minutes=10), "deletionGracePeriodSeconds": 30, "finalizers": finalizers}

    (found,) = diagnosed(pod("web-1", container(state=waiting("CrashLoopBackOff")), metadata=leaving))

    assert (found["severity"], found["reason"]) == ("warning", "TerminatingStuck")
    assert found["evidence"] == f"due to be gone at 2026-03-01T11:50:00Z; {held}"


@pytest.mark.parametrize(
    ("reason", "message", "evidence", "advice"),
    [
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "config" : configmap "app-config" not found',
            "volume config; configmap app-config not found; ",
            "Create what is not found",
        ),
        (
            "FailedMount",
            "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[]: timed out waiting",
            "volume data; ",
            "does not answer",
        ),
        (
            "FailedMount",
            f'MountVolume.SetUp failed for volume "nfs" : mount failed: -o password={SECRET}: access denied by server',
            "volume nfs; ",
            "refuses the node",
        ),
        (
            "FailedAttachVolume",
            'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node',
            "volume pvc-1; ",
            "Another node holds",
        ),
        ("FailedMount", "something new", "", "storage driver"),
        ("FailedCreatePodSandBox", f"plugin failed: {SECRET}", "", "network plugin"),
    ],
)
def test_what_keeps_a_pod_from_starting_is_told_by_names_and_known_phrases_alone(
    reason: str, message: str, evidence: str, advice: str, diagnosed: Diagnosed
) -> None:
    (found,) = diagnosed(CREATING, event(reason, message, where=""))

    assert (found["severity"], found["reason"]) == ("critical", reason)
    assert found["evidence"] == f"{evidence}seen 7 times, last at 2026-03-01T11:59:00Z"
    assert advice in found["hint"]


@pytest.mark.parametrize("reason", ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"])
def test_a_warning_that_a_started_pod_has_outlived_is_left_out(reason: str, diagnosed: Diagnosed) -> None:
    late = event(reason, 'volume "data"', where="")
    at_work = [container("prepare", running(seconds=9), ready=False)]

    assert diagnosed(pod(), late) == []
    assert diagnosed(pod("web-1", CREATED_LATER, phase="Pending", initContainerStatuses=at_work), late) == []


def test_of_the_same_warning_the_latest_counts_whatever_their_order(diagnosed: Diagnosed) -> None:
    def mount(what: str, minutes: int) -> dict[str, Any]:
        message = f'MountVolume.SetUp failed for volume "{what}" : timed out'
        return event("FailedMount", message, where="") | {"lastTimestamp": ago(minutes=minutes)}

    for order in ((mount("new", 1), mount("old", 9)), (mount("old", 9), mount("new", 1))):
        (found,) = diagnosed(CREATING, *order)
        assert found["evidence"].startswith("volume new; ")


def test_a_series_of_events_is_counted_by_the_series(diagnosed: Diagnosed) -> None:
    seen = {"count": None, "lastTimestamp": None, "firstTimestamp": None, "eventTime": "2026-03-01T10:00:00.123456Z"}
    series = {"count": 40, "lastObservedTime": "2026-03-01T11:00:00.000000Z"}

    (found,) = diagnosed(CREATING, event("FailedMount", "x", where="") | seen | {"series": series})

    assert found["evidence"] == "seen 40 times, last at 2026-03-01T11:00:00Z"
