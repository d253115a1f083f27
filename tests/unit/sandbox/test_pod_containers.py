"""What the states of containers tell: each failure as the API writes it, and what is no failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.sandbox import SECRET, ago, condition, container, event, pod, running, seen, terminated, waiting

Diagnosed = Callable[..., list[dict[str, Any]]]
JOB: dict[str, Any] = {"restartPolicy": "Never"}
SIDECAR = {"initContainers": [{"name": "proxy", "restartPolicy": "Always"}, {"name": "prepare"}]}
HEALTHY = {
    "a pod that runs": pod(),
    "a pod whose containers are not told of yet": pod(containerStatuses=None),
    "a job that is done": pod("job-1", container(state=terminated(0, "Completed")), phase="Succeeded", spec=JOB),
    "a job that is done after a kill for memory": pod(
        "job-1",
        container(state=terminated(0, "Completed"), lastState=terminated(137, "OOMKilled"), restartCount=1),
        phase="Succeeded",
        spec={"restartPolicy": "OnFailure"},
    ),
    "a pod that is just being made": pod(
        "web-1", container(state=waiting("ContainerCreating")), phase="Pending", startTime=ago(seconds=20)
    ),
    "a pod whose init containers are at work": pod(
        "web-1",
        container(state=waiting("PodInitializing")),
        phase="Pending",
        initContainerStatuses=[container("prepare", running(seconds=30), ready=False)],
    ),
    "a pod whose init containers are done": pod(
        initContainerStatuses=[container("prepare", terminated(0, "Completed"), ready=True)]
    ),
    "a pod with a sidecar that runs": pod(
        spec=SIDECAR,
        initContainerStatuses=[
            container("proxy", started=True),
            container("prepare", terminated(0, "Completed"), ready=True),
        ],
    ),
    "a container that has become ready slowly": pod("web-1", container(state=running(minutes=1), ready=False)),
    "a container that restarted days ago": pod(
        "web-1", container(restartCount=9, lastState=terminated(1, days=3), started=True)
    ),
    "a pod that is on its way out": pod(
        "web-1", container(state=terminated(143)), metadata={"deletionTimestamp": ago(seconds=-20)}
    ),
}


@pytest.mark.parametrize("case", HEALTHY)
def test_what_is_well_has_no_finding(case: str, diagnosed: Diagnosed) -> None:
    assert diagnosed(HEALTHY[case]) == []


def test_what_was_said_of_a_job_while_it_ran_is_nothing_once_it_is_done(diagnosed: Diagnosed) -> None:
    failed = event("Unhealthy", "Liveness probe failed: context deadline exceeded", name="job-1")
    done = pod("job-1", container(state=terminated(0, "Completed")), phase="Succeeded", spec=JOB)

    assert diagnosed(done, failed) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (0, "done as soon as it starts"),
        (1, "its log says why"),
        (2, "called wrongly"),
        (126, "cannot be executed"),
        (127, "command was not found"),
        (134, "SIGABRT"),
        (137, "SIGKILL"),
        (139, "SIGSEGV"),
        (143, "SIGTERM"),
        (130, "signal 2 "),
        (42, "chose this code"),
    ],
)
def test_a_crash_loop_says_how_the_container_ended_and_what_that_means(
    code: int, said: str, diagnosed: Diagnosed
) -> None:
    crashing = container(state=waiting("CrashLoopBackOff", "back-off 5m0s restarting"), restartCount=14, ready=False)

    (found,) = diagnosed(pod("web-1", {**crashing, "lastState": terminated(code)}))

    assert (found["pod"], found["severity"], found["reason"]) == ("web-1", "critical", "CrashLoopBackOff")
    assert found["evidence"] == (
        f"container app; 14 restarts so far; it last ended with exit code {code} (Error) at 2026-03-01T11:57:00Z"
    )
    assert said in found["hint"]
    assert found["hint"].endswith("kubectl logs -n shop web-1 -c app --previous")


def test_a_crash_loop_for_want_of_memory_is_named_as_that_too(diagnosed: Diagnosed) -> None:
    state = waiting("CrashLoopBackOff")
    found = diagnosed(
        pod("web-1", container(state=state, lastState=terminated(137, "OOMKilled"), restartCount=3, ready=False))
    )

    assert seen(found) == [("critical", "CrashLoopBackOff"), ("critical", "OOMKilled")]
    assert "exit code 137 (OOMKilled)" in found[1]["evidence"]
    assert "memory limit" in found[1]["hint"]


def test_a_container_that_was_killed_for_memory_and_runs_again_is_a_warning_for_a_day(diagnosed: Diagnosed) -> None:
    def killed(**since: float) -> dict[str, Any]:
        return pod("web-1", container(lastState=terminated(137, "OOMKilled", **since), restartCount=1))

    assert seen(diagnosed(killed(hours=5))) == [("warning", "OOMKilled")]
    assert diagnosed(killed(hours=25)) == []


def test_of_a_container_that_ended_twice_the_last_end_counts_and_is_told_once(diagnosed: Diagnosed) -> None:
    killed, failed = terminated(137, "OOMKilled"), terminated(1)

    def ended(state: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
        return pod(
            "job-1", container(state=state, lastState=before, restartCount=1), spec={"restartPolicy": "OnFailure"}
        )

    assert seen(diagnosed(ended(killed, failed))) == [("critical", "OOMKilled")]
    assert seen(diagnosed(ended(failed, killed))) == [("critical", "ContainerFailed")]


@pytest.mark.parametrize(
    ("reason", "message", "said"),
    [
        ("ErrImagePull", "rpc error: code = NotFound desc = manifest unknown", "No such repository or tag"),
        ("ImagePullBackOff", "Back-off pulling image: 401 Unauthorized", "imagePullSecret"),
        ("ImagePullBackOff", "pull access denied, repository does not exist", "imagePullSecret"),
        ("ErrImagePull", "toomanyrequests: You have reached your pull rate limit", "limits pulls"),
        ("ErrImagePull", "dial tcp: lookup registry.example: no such host", "does not reach the registry"),
        ("ErrImagePull", "no match for platform in manifest", "node's processor"),
        ("ErrImagePull", "something else", "by hand"),
        ("InvalidImageName", "couldn't parse image name", "registry/repository:tag"),
        ("ErrImageNeverPull", "Container image is not present with pull policy of Never", "imagePullPolicy"),
    ],
)
def test_an_image_that_cannot_be_had_says_which_and_what_to_do(
    reason: str, message: str, said: str, diagnosed: Diagnosed
) -> None:
    (found,) = diagnosed(pod("web-1", container(state=waiting(reason, message)), phase="Pending"))

    assert (found["severity"], found["reason"]) == ("critical", reason)
    assert found["evidence"] == f"container app; image registry.example/shop/web:1.2; {message}"
    assert said in found["hint"]


def test_a_missing_configuration_is_named(diagnosed: Diagnosed) -> None:
    state = waiting("CreateContainerConfigError", 'secret "db-password" not found')

    (found,) = diagnosed(pod("web-1", container(state=state), phase="Pending"))

    assert (found["severity"], found["reason"]) == ("critical", "CreateContainerConfigError")
    assert found["evidence"] == 'container app; secret "db-password" not found'


@pytest.mark.parametrize("reason", ["RunContainerError", "CreateContainerError", "PostStartHookError"])
def test_what_a_failed_start_printed_is_not_repeated(reason: str, diagnosed: Diagnosed) -> None:
    message = f'exec: "run --token={SECRET}": not found, printed {SECRET}'

    (found,) = diagnosed(pod("web-1", container(state=waiting(reason, message), restartCount=2)))

    assert (found["severity"], found["reason"]) == ("critical", reason)
    assert found["evidence"] == "container app; waiting, 2 restarts so far"


def test_a_container_that_is_not_made_for_long_is_a_warning(diagnosed: Diagnosed) -> None:
    late = pod("web-1", container(state=waiting("ContainerCreating")), phase="Pending", startTime=ago(minutes=12))

    (found,) = diagnosed(late)

    assert (found["severity"], found["reason"]) == ("warning", "ContainerCreating")
    assert found["evidence"] == "container app; not created after 12 minutes"


def test_a_container_that_failed_for_good_says_how(diagnosed: Diagnosed) -> None:
    (found,) = diagnosed(pod("job-1", container(state=terminated(1)), phase="Failed", spec=JOB))

    assert (found["severity"], found["reason"]) == ("critical", "ContainerFailed")
    assert found["evidence"] == "container app; exit code 1 (Error) at 2026-03-01T11:57:00Z; 0 restarts"


def test_an_end_with_a_reason_of_its_own_has_that_name(diagnosed: Diagnosed) -> None:
    (found,) = diagnosed(pod("web-1", container(state=terminated(128, "StartError"))))

    assert found["reason"] == "StartError"


@pytest.mark.parametrize(
    ("state", "reason"),
    [(waiting("CrashLoopBackOff"), "CrashLoopBackOff"), (terminated(127), "InitContainerFailed")],
)
def test_a_failing_init_container_is_told_and_those_that_wait_for_it_are_not(
    state: dict[str, Any], reason: str, diagnosed: Diagnosed
) -> None:
    init = container("prepare", state, lastState=terminated(127), restartCount=4, ready=False)

    (found,) = diagnosed(
        pod("web-1", container(state=waiting("PodInitializing")), phase="Pending", initContainerStatuses=[init])
    )

    assert (found["severity"], found["reason"]) == ("critical", reason)
    assert found["evidence"].startswith("init container prepare; ")
    assert "exit code 127" in found["evidence"]
    assert "command was not found" in found["hint"]


def test_an_init_container_that_does_not_end_is_a_warning(diagnosed: Diagnosed) -> None:
    init = container("wait-for-db", running(minutes=30), ready=False)

    (found,) = diagnosed(
        pod("web-1", container(state=waiting("PodInitializing")), phase="Pending", initContainerStatuses=[init])
    )

    assert (found["severity"], found["reason"]) == ("warning", "PodInitializing")
    assert found["evidence"] == "init container wait-for-db; still runs, started at 2026-03-01T11:30:00Z"


def test_a_failing_sidecar_is_called_one(diagnosed: Diagnosed) -> None:
    proxy = container("proxy", waiting("CrashLoopBackOff"), lastState=terminated(1), restartCount=6, ready=False)

    (found,) = diagnosed(pod(spec=SIDECAR, initContainerStatuses=[proxy]))

    assert found["evidence"].startswith("sidecar proxy; 6 restarts")


def test_a_job_that_its_sidecar_keeps_from_completing_is_told(diagnosed: Diagnosed) -> None:
    done = [container(state=terminated(0, "Completed")), container("istio-proxy")]

    (found,) = diagnosed(pod("job-1", *done, spec=JOB))

    assert (found["severity"], found["reason"]) == ("info", "NotCompleted")
    assert "istio-proxy still runs" in found["evidence"]
    assert diagnosed(pod("web-1", *done)) == []


def test_a_pod_may_have_several_findings(diagnosed: Diagnosed) -> None:
    both = [
        container(state=waiting("ImagePullBackOff")),
        container("old", restartCount=7, lastState=terminated(1)),
        container("new", ready=False),
    ]

    found = diagnosed(pod("web-1", *both, conditions=[condition("Ready", "False", "ContainersNotReady", "x")]))

    assert seen(found) == [("critical", "ImagePullBackOff"), ("warning", "FrequentRestarts"), ("warning", "Unhealthy")]
