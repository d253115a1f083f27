"""Diagnose by warnings about a pod what its status does not show: volumes, networks and probes.

Of a warning's message only names and known phrases are repeated: it may hold what a command printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from cairn_sandbox.pod_health.findings import Finding, Severity, at, finding, times
from cairn_sandbox.pod_health.pods import Event, Pod

_VOLUME = re.compile(r'volume "([\w.-]+)"|volumes=\[([\w. -]+)\]')
_ABSENT = re.compile(r'(configmap|secret|persistentvolumeclaim) "([\w./-]+)" not found', re.IGNORECASE)
_CONTAINER = re.compile(r"\{([\w.-]+)\}$")
_PROBE = re.compile(r"(liveness|readiness|startup) probe", re.IGNORECASE)
_STATUS_CODE = re.compile(r"statuscode: (\d{3})\b")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_MOUNT_HINTS = (
    (r"not found", "Create what is not found, or correct its name in the pod's volumes."),
    (r"Multi-Attach|exclusively attached", "Another node holds the volume: let the pod there go, then it is attached."),
    (r"permission denied|access denied", "The storage refuses the node: check its export, credentials and fsGroup."),
    (r"timed out|deadline exceeded", "The storage does not answer: look at its driver's pods and at the attachment."),
)
_MOUNT_HINT = "Look at the storage driver's pods on the node, and at kubectl describe pod for its words."
_PROBE_CAUSES = (
    (r"connection refused", "the connection was refused"),
    (r"deadline exceeded|timeout|timed out", "it timed out"),
    (r"no such host", "its host name is not known"),
    (r"connection reset|EOF", "the connection broke off"),
)
_PROBE_HINTS = {
    "liveness": "The kubelet restarts it for this: see why it hangs, or give it time (timeoutSeconds, startup probe).",
    "readiness": "It gets no traffic until this passes: see what it waits for, and whether path and port are right.",
    "startup": "It is restarted if this does not pass in time: raise failureThreshold, or see why it starts slowly.",
}


def probed(events: Iterable[Event]) -> set[str]:
    """Return the containers of whose probes the warnings tell."""
    named = (_CONTAINER.search(each.involved_object.field_path) for each in events if each.reason == "Unhealthy")
    return {each[1] for each in named if each}


def occurrences(pod: Pod, events: Iterable[Event]) -> Iterator[Finding]:
    """Yield what the warnings about a pod tell of how it is now; what its status has outlived is left out."""
    latest: dict[tuple[str, str, str], Event] = {}
    for event in sorted(events, key=lambda each: each.last_seen or _LONG_AGO):
        probe = _PROBE.search(event.message) if event.reason == "Unhealthy" else None
        latest[event.reason, event.involved_object.field_path, probe[1].lower() if probe else ""] = event
    for (reason, _, probe), event in latest.items():
        if reason in {"FailedMount", "FailedAttachVolume"} and not _has_started(pod):
            yield _mount(pod, event)
        elif reason == "FailedCreatePodSandBox" and not _has_started(pod):
            hint = "The node's network plugin or runtime failed: look at its pods on that node, and at free addresses."
            yield finding(pod, "critical", reason, (_seen(event),), hint)
        elif probe:
            yield from _unhealthy(pod, event, probe)


def _has_started(pod: Pod) -> bool:
    statuses = [*pod.status.init_container_statuses, *pod.status.container_statuses]
    return any(each.state.running or each.state.terminated for each in statuses)


def _mount(pod: Pod, event: Event) -> Finding:
    named = _VOLUME.search(event.message)
    volume = f"volume {named[1] or named[2]}" if named else ""
    absent = _ABSENT.search(event.message)
    hint = _first(_MOUNT_HINTS, event.message) or _MOUNT_HINT
    evidence = (volume, f"{absent[1]} {absent[2]} not found" if absent else "", _seen(event))
    return finding(pod, "critical", event.reason, evidence, hint)


def _unhealthy(pod: Pod, event: Event, probe: str) -> Iterator[Finding]:
    named = _CONTAINER.search(event.involved_object.field_path)
    statuses = [*pod.status.init_container_statuses, *pod.status.container_statuses]
    concerned = [each for each in statuses if named is None or each.name == named[1]]
    if probe != "liveness" and all(each.ready for each in concerned):
        return
    severity: Severity = "info" if all(each.ready for each in concerned) else "warning"
    status = _STATUS_CODE.search(event.message)
    cause = f"it answered {status[1]}" if status else _first(_PROBE_CAUSES, event.message)
    evidence = (f"container {named[1]}" if named else "", f"{probe} probe failed", cause, _seen(event))
    yield finding(pod, severity, "Unhealthy", evidence, _PROBE_HINTS[probe])


def _seen(event: Event) -> str:
    return f"seen {times(event.times, 'time')}, last{at(event.last_seen)}" if event.last_seen else ""


def _first(table: Sequence[tuple[str, str]], message: str) -> str:
    return next((said for pattern, said in table if re.search(pattern, message, re.IGNORECASE)), "")
