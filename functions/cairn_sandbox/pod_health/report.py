"""Diagnose pods, given or read from the cluster, and write the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from cairn.ground.errors import InvalidArgument, NotFound, PermissionDenied, Unavailable
from cairn_sandbox.pod_health.containers import containers, look_at
from cairn_sandbox.pod_health.findings import SEVERITIES, Finding, times, worst_first
from cairn_sandbox.pod_health.occurrences import occurrences, probed
from cairn_sandbox.pod_health.placement import going_away, placement
from cairn_sandbox.pod_health.pods import Event, ObjectList, Pod, parsed

MAX_FINDINGS = 200


class Source(Protocol):
    """A cluster whose pods can be read."""

    def pods(self, namespace: str) -> list[object]:
        """Return the Pod objects of a namespace."""
        ...

    def pod(self, namespace: str, name: str) -> object:
        """Return one Pod object."""
        ...

    def warnings(self, namespace: str, pod: str | None) -> list[object]:
        """Return the Event objects of type Warning about pods."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The pods of a namespace and the events about them; `events` is None if they may not be read."""

    pods: Sequence[Pod]
    events: Sequence[Event] | None


def pod_health(
    arguments: Mapping[str, Any], cluster: Callable[[], Source], now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> dict[str, Any]:
    """Return {findings, summary} for {namespace, pod?, pods?}; the cluster is asked only where no pods are given."""
    namespace, name, given = arguments["namespace"], arguments.get("pod"), arguments.get("pods")
    seen = _from_cluster(cluster(), namespace, name) if given is None else _from_list(given, namespace, name)
    time, events = now(), _by_pod(seen.events or ())
    found = worst_first(each for pod in seen.pods for each in diagnose(pod, events.get(pod.name, ()), time))
    shown = found[:MAX_FINDINGS]
    return {"findings": [asdict(each) for each in shown], "summary": _summary(namespace, seen, found)}


def diagnose(pod: Pod, events: Sequence[Event], now: datetime) -> Iterator[Finding]:
    """Yield what is wrong with a pod, given the warnings about it.

    One that has done its work, or is on its way out in time, is well.
    """
    if pod.metadata.deletion_timestamp is not None:
        yield from going_away(pod, now)
        return
    if pod.status.phase == "Succeeded":
        return
    yield from placement(pod)
    if pod.status.phase == "Failed" and pod.status.reason:
        return  # the node ended its containers, which says nothing of them
    for container in containers(pod, probed(events), now):
        yield from look_at(container)
    yield from occurrences(pod, events)


def _from_list(given: Mapping[str, Any], namespace: str, name: str | None) -> Snapshot:
    listed = parsed(ObjectList, given, "pods").items
    pods = [parsed(Pod, item, where) for where, item in _of_kind("Pod", listed)]
    events = [parsed(Event, item, where) for where, item in _of_kind("Event", listed)]
    here = [each for each in pods if each.metadata.namespace in {"", namespace}]
    if name is not None:
        here = [each for each in here if each.name == name]
        if not here:
            raise NotFound("There is no such pod in the list")
    return Snapshot(here, [each for each in events if each.involved_object.namespace in {"", namespace}])


def _by_pod(events: Iterable[Event]) -> dict[str, list[Event]]:
    grouped: dict[str, list[Event]] = {}
    for event in events:
        if event.involved_object.kind in {"", "Pod"}:
            grouped.setdefault(event.involved_object.name, []).append(event)
    return grouped


def _of_kind(kind: str, items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a kind with their places; those of a PodList need not say theirs."""
    for index, item in enumerate(items):
        if item.get("kind", "Pod") == kind:
            yield f"pods.items[{index}]", item


def _from_cluster(cluster: Source, namespace: str, name: str | None) -> Snapshot:
    try:
        items = cluster.pods(namespace) if name is None else [cluster.pod(namespace, name)]
        pods = [parsed(Pod, item, "pods") for item in items]
        try:
            events = [parsed(Event, item, "events") for item in cluster.warnings(namespace, name)]
        except PermissionDenied:
            return Snapshot(pods, None)
    except InvalidArgument:
        raise Unavailable("The cluster's answer is not as the Kubernetes API has it") from None
    return Snapshot(pods, events)


def _summary(namespace: str, seen: Snapshot, found: Sequence[Finding]) -> str:
    ill = len({each.pod for each in found})
    said = f"{times(len(seen.pods), 'pod')} in {namespace}, {ill} with findings"
    counts = {each: sum(finding.severity == each for finding in found) for each in SEVERITIES}
    if found:
        said += ": " + ", ".join(f"{count} {severity}" for severity, count in counts.items() if count)
    if len(found) > MAX_FINDINGS:
        said += f"; the first {MAX_FINDINGS} findings are shown"
    return said + (". Events could not be read." if seen.events is None else ".")
