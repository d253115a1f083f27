"""Diagnose containers by their states: what they wait for, how they ended, how often they restarted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from cairn_sandbox.pod_health import images
from cairn_sandbox.pod_health.exits import ending, meaning
from cairn_sandbox.pod_health.findings import Finding, Severity, at, finding, quoted, times
from cairn_sandbox.pod_health.pods import ContainerStatus, Pod, Running, State, Terminated, Waiting

FREQUENT = 5
"""From so many restarts on they are no accident."""
_RECENT = timedelta(hours=1)
_A_DAY = timedelta(days=1)
_PATIENCE = timedelta(minutes=5)
"""How long a container may take to be made, or to become ready, before that is worth a word."""
_OUT_OF_MEMORY = "OOMKilled"
_CREATING = "ContainerCreating"
_WAITS_FOR_OTHERS = {"", _CREATING, "PodInitializing"}


@dataclass(frozen=True, slots=True)
class Container:
    """A container of a pod: an "init container", a "sidecar" or a "container".

    Where it was `probed`, a warning tells more of its probe than its status does.
    """

    pod: Pod
    kind: str
    status: ContainerStatus
    probed: bool
    now: datetime

    def found(self, severity: Severity, reason: str, *evidence: str, hint: str) -> Finding:
        """Return a finding about it."""
        return finding(self.pod, severity, reason, (f"{self.kind} {self.status.name}", *evidence), hint)

    def log(self, *, previous: bool) -> str:
        """Return the command that prints its log."""
        where = f"-n {self.pod.metadata.namespace} " if self.pod.metadata.namespace else ""
        return f"kubectl logs {where}{self.pod.name} -c {self.status.name}{' --previous' if previous else ''}"

    def older(self, time: datetime | None, age: timedelta) -> bool:
        """Tell whether a time is known and at least this long ago."""
        return time is not None and self.now - time >= age


def containers(pod: Pod, probed: Collection[str], now: datetime) -> Iterator[Container]:
    """Yield a pod's containers, those first that start first; a probe of those named has made a warning."""
    sidecars = {each.name for each in pod.spec.init_containers if each.restart_policy == "Always"}
    for status in pod.status.init_container_statuses:
        kind = "sidecar" if status.name in sidecars else "init container"
        yield Container(pod, kind, status, status.name in probed, now)
    for status in pod.status.container_statuses:
        yield Container(pod, "container", status, status.name in probed, now)


def look_at(container: Container) -> Iterator[Finding]:
    """Yield what is wrong with a container."""
    match container.status.state:
        case State(waiting=Waiting() as waiting):
            yield from _waiting(container, waiting)
        case State(terminated=Terminated() as ended):
            yield from _ended(container, ended)
        case State(running=Running() as running):
            yield from _not_ready(container, running)
            yield from _restarted(container)
        case _:
            pass
    yield from _out_of_memory(container)


def _waiting(container: Container, waiting: Waiting) -> Iterator[Finding]:
    last = container.status.last_state.terminated
    restarts = times(container.status.restart_count, "restart")
    match waiting.reason:
        case "CrashLoopBackOff":
            how = ("it last ended with " + ending(last), meaning(last)) if last else ("", "its log says why")
            hint = f"It ends soon after each start; {how[1]}. Run: {container.log(previous=True)}"
            yield container.found("critical", "CrashLoopBackOff", f"{restarts} so far", how[0], hint=hint)
        case reason if reason in images.REASONS:
            image = f"image {quoted(container.status.image)}" if container.status.image else ""
            yield container.found(
                "critical", reason, image, quoted(waiting.message), hint=images.hint(reason, waiting.message)
            )
        case "CreateContainerConfigError":
            hint = "Create the ConfigMap, Secret or key that is named, or correct the name; the kubelet then goes on."
            yield container.found("critical", waiting.reason, quoted(waiting.message), hint=hint)
        case reason if reason in _WAITS_FOR_OTHERS:
            yield from _not_created(container, reason)
        case reason:  # its message may hold the command and what that printed
            hint = f"The node could not start it. Run: kubectl describe pod {container.pod.name}"
            yield container.found("critical", reason, f"waiting, {restarts} so far", hint=hint)


def _not_created(container: Container, reason: str) -> Iterator[Finding]:
    started = container.pod.status.start_time
    if reason == _CREATING and started and container.older(started, _PATIENCE):
        minutes = int((container.now - started).total_seconds() // 60)
        hint = "Look at its events for a volume, a network or a slow image pull: kubectl describe pod "
        yield container.found(
            "warning", _CREATING, f"not created after {minutes} minutes", hint=hint + container.pod.name
        )


def _ended(container: Container, ended: Terminated) -> Iterator[Finding]:
    if ended.exit_code == 0:
        yield from _keeps_the_others(container, ended)
    elif ended.reason != _OUT_OF_MEMORY:
        reason = {"init container": "InitContainerFailed"}.get(container.kind, "ContainerFailed")
        if ended.reason not in {"", "Error"}:
            reason = ended.reason
        restarts = times(container.status.restart_count, "restart")
        hint = f"Most likely {meaning(ended)}. Run: {container.log(previous=False)}"
        yield container.found("critical", reason, ending(ended), restarts, hint=hint)


def _keeps_the_others(container: Container, ended: Terminated) -> Iterator[Finding]:
    """Find a job's container that is done while others keep the pod from completing."""
    pod = container.pod
    if pod.spec.restart_policy == "Always" or container.kind != "container":
        return
    if running := [each.name for each in pod.status.container_statuses if each.state.running]:
        evidence = f"done with {ending(ended)}, while {', '.join(running)} still runs"
        hint = "A pod completes with its last container: end the others, or make them sidecars (init, restarts always)."
        yield container.found("info", "NotCompleted", evidence, hint=hint)


def _not_ready(container: Container, running: Running) -> Iterator[Finding]:
    status = container.status
    if status.ready or container.probed or not container.older(running.started_at, _PATIENCE):
        return
    if container.kind == "init container":
        hint = f"See what it waits for: the pod starts once it is done. Run: {container.log(previous=False)}"
        yield container.found("warning", "PodInitializing", f"still runs, started{at(running.started_at)}", hint=hint)
        return
    probe = "startup" if status.started is False else "readiness"
    hint = f"See what the {probe} probe asks and why it is refused. Run: {container.log(previous=False)}"
    yield container.found("warning", "Unhealthy", f"runs, but its {probe} probe has not passed", hint=hint)


def _restarted(container: Container) -> Iterator[Finding]:
    status = container.status
    last = status.last_state.terminated
    if last is None or last.reason == _OUT_OF_MEMORY or container.older(last.finished_at, _A_DAY):
        return
    recent = not container.older(last.finished_at, _RECENT)
    restarts, evidence = (
        status.restart_count,
        (times(status.restart_count, "restart"), "the last after " + ending(last)),
    )
    hint = f"Most likely {meaning(last)}. Run: {container.log(previous=True)}"
    if restarts >= FREQUENT:
        yield container.found("warning" if recent else "info", "FrequentRestarts", *evidence, hint=hint)
    elif recent:
        yield container.found("info", "Restarted", *evidence, hint=hint)


def _out_of_memory(container: Container) -> Iterator[Finding]:
    status = container.status
    killed = [each for each in (status.state.terminated, status.last_state.terminated) if each]
    if not killed or killed[0].reason != _OUT_OF_MEMORY or container.older(killed[0].finished_at, _A_DAY):
        return
    severity: Severity = "warning" if status.state.running and status.ready else "critical"
    restarts = times(status.restart_count, "restart")
    hint = "Raise its memory limit above what it uses at its peak (kubectl top pod --containers), or find the leak."
    yield container.found(severity, _OUT_OF_MEMORY, ending(killed[0]), restarts, hint=hint)
