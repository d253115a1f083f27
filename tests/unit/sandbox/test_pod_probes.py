"""What is told of containers that run and are not well: restarts, probes and their warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.sandbox import SECRET, container, event, pod, seen, terminated

Diagnosed = Callable[..., list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("count", "since", "expected"),
    [
        (1, {"minutes": 10}, [("info", "Restarted")]),
        (4, {"minutes": 59}, [("info", "Restarted")]),
        (4, {"minutes": 61}, []),
        (5, {"minutes": 10}, [("warning", "FrequentRestarts")]),
        (5, {"hours": 2}, [("info", "FrequentRestarts")]),
        (5, {"hours": 25}, []),
    ],
)
def test_restarts_count_by_how_many_and_how_recent(
    count: int, since: dict[str, float], expected: list[tuple[str, str]], diagnosed: Diagnosed
) -> None:
    found = diagnosed(pod("web-1", container(restartCount=count, lastState=terminated(143, "Error", **since))))

    assert seen(found) == expected
    assert all("exit code 143" in each["evidence"] and "SIGTERM" in each["hint"] for each in found)


@pytest.mark.parametrize(("started", "probe"), [(False, "startup"), (True, "readiness"), (None, "readiness")])
def test_a_container_that_does_not_become_ready_names_the_probe(
    *, started: bool | None, probe: str, diagnosed: Diagnosed
) -> None:
    (found,) = diagnosed(pod("web-1", container(ready=False, started=started)))

    assert (found["severity"], found["reason"]) == ("warning", "Unhealthy")
    assert f"its {probe} probe has not passed" in found["evidence"]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Readiness probe failed: HTTP probe failed with statuscode: 503", "readiness probe failed; it answered 503"),
        (f'Startup probe failed: Get "http://10.0.0.1/?t={SECRET}": dial tcp: connect: connection refused', "refused"),
        ("Readiness probe errored: context deadline exceeded (Client.Timeout)", "readiness probe failed; it timed out"),
        (f"Readiness probe failed: psql: password {SECRET} is wrong", "readiness probe failed; seen 7 times"),
    ],
)
def test_a_probe_s_warning_tells_its_cause_and_nothing_it_printed(
    message: str, said: str, diagnosed: Diagnosed
) -> None:
    sick = pod("web-1", container(ready=False), container("other"))

    (found,) = diagnosed(sick, event("Unhealthy", message))

    assert (found["severity"], found["reason"]) == ("warning", "Unhealthy")
    assert found["evidence"].startswith("container app; ")
    assert said in found["evidence"]
    assert found["evidence"].endswith("seen 7 times, last at 2026-03-01T11:59:00Z")


def test_a_readiness_warning_that_the_container_has_outlived_is_left_out(diagnosed: Diagnosed) -> None:
    late = event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")

    assert diagnosed(pod(), late) == []
    (found,) = diagnosed(pod("web-1", container(), container("other", ready=False)), late)
    assert found["evidence"].startswith("container other; ")


def test_a_liveness_warning_is_worth_a_word_even_while_all_runs(diagnosed: Diagnosed) -> None:
    failed = event("Unhealthy", "Liveness probe failed: context deadline exceeded")

    (found,) = diagnosed(pod(), failed)

    assert (found["severity"], found["reason"]) == ("info", "Unhealthy")
    assert "liveness probe failed; it timed out" in found["evidence"]
    assert "timeoutSeconds" in found["hint"]


def test_a_warning_about_another_container_does_not_hide_one_that_is_not_ready(diagnosed: Diagnosed) -> None:
    found = diagnosed(
        pod("web-1", container(ready=False), container("other", ready=False)),
        event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500"),
    )

    assert [each["evidence"].split(";")[0] for each in found] == ["container app", "container other"]
