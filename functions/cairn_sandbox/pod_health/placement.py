"""Diagnose a pod's own status: it has no node, lost it, was evicted, or does not terminate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from cairn_sandbox.pod_health.findings import Finding, at, finding, quoted
from cairn_sandbox.pod_health.pods import Condition, Pod

_OVERDUE = timedelta(minutes=1)
_UNBOUND_CLAIM = re.compile(r"persistentvolumeclaim", re.IGNORECASE)
_CONSTRAINTS = (
    (r"Insufficient [\w./-]+", "lower its requests, free or add nodes for what is insufficient"),
    (r"taint {node\.kubernetes\.io/(not-ready|unreachable|network-unavailable)", "mend the nodes that are not ready"),
    (r"taint {node\.kubernetes\.io/\w+-pressure", "free the nodes that are short of memory, disk or processes"),
    (r"taint {node\.kubernetes\.io/unschedulable|were unschedulable", "uncordon a node"),
    (r"taint", "tolerate the taint, or take it off a node"),
    (r"volume node affinity", "its volume lives in another zone or on another node: place the pod there"),
    (r"node affinity|node selector|nodeSelector", "match nodeSelector and affinity to labels that nodes have"),
    (r"anti-affinity", "relax the anti-affinity, or add nodes"),
    (r"pod affinity", "run the pods it wants to be near to first, or relax the affinity"),
    (r"topology spread", "relax the topology spread, or add nodes where there are too few"),
    (r"free ports", "drop its hostPort, or add nodes"),
    (r"max volume count|volume limit", "spread volumes over more nodes"),
    (r"Too many pods", "add nodes, or raise the pods that a node may run"),
)
_CLAIM_HINT = (
    "See whether the claim is there and why it is not bound (kubectl get pvc): storage class, size, access mode, or a "
    "provisioner that does not run."
)
_FAILURES = {
    "Evicted": "The node ran short: set requests near to what the pod uses, free the node; then delete this remnant.",
    "DeadlineExceeded": "It ran longer than activeDeadlineSeconds: raise that, or see what took so long.",
    "Preempting": "A pod of higher priority took its place: raise its priority, or add nodes.",
    "Terminated": "Its node was shut down; a controller makes it anew elsewhere. Delete this remnant.",
    "NodeShutdown": "Its node was shut down; a controller makes it anew elsewhere. Delete this remnant.",
    "UnexpectedAdmissionError": "The node refused it, often for a device: look at the node's device plugins.",
}
_REFUSED = "The node refused it: compare the pod's requests and selectors with what the node has left."


def going_away(pod: Pod, now: datetime) -> Iterator[Finding]:
    """Find a pod on its way out that should have been gone for a minute."""
    due = pod.metadata.deletion_timestamp
    if due is None or now - due < _OVERDUE:
        return
    if finalizers := ", ".join(pod.metadata.finalizers):
        hint = (
            "Whoever set the finalizer has not taken it off: look after its controller before you take it off by hand."
        )
        yield finding(pod, "warning", "TerminatingStuck", (f"due to be gone{at(due)}", f"held by {finalizers}"), hint)
        return
    hint = (
        "Its node does not confirm: see whether the node is Ready; if it is gone for good, delete the pod with --force."
    )
    yield finding(pod, "warning", "TerminatingStuck", (f"due to be gone{at(due)}", "no finalizer holds it"), hint)


def placement(pod: Pod) -> Iterator[Finding]:
    """Find what became of a pod as a whole."""
    status = pod.status
    if status.phase == "Unknown" or status.reason == "NodeLost":
        hint = "Its node stopped reporting: kubectl get nodes; mend the node, or delete it so that the pod moves."
        yield finding(pod, "critical", "NodeLost", (f"phase {status.phase}", quoted(status.message)), hint)
    elif status.phase == "Failed" and status.reason:
        hint = _FAILURES.get(status.reason, _REFUSED)
        yield finding(pod, "warning", status.reason, ("phase Failed", quoted(status.message)), hint)
    scheduled = pod.condition("PodScheduled")
    if scheduled and scheduled.status == "False":
        yield _unscheduled(pod, scheduled)


def _unscheduled(pod: Pod, scheduled: Condition) -> Finding:
    if scheduled.reason == "SchedulingGated":
        hint = "A scheduling gate holds it back until its controller takes the gate off."
        return finding(pod, "info", "SchedulingGated", (quoted(scheduled.message),), hint)
    said = quoted(scheduled.message).partition(" preemption:")[0]
    evidence = (said or "no node was found for it",)
    if _UNBOUND_CLAIM.search(said):
        return finding(pod, "critical", "PersistentVolumeClaimPending", evidence, _CLAIM_HINT)
    return finding(pod, "critical", "FailedScheduling", evidence, scheduling_hint(said))


def scheduling_hint(message: str) -> str:
    """Return what would let the scheduler place a pod, for each constraint that its message names."""
    told: list[str] = []
    for pattern, advice in _CONSTRAINTS:
        if re.search(pattern, message):
            message = re.sub(pattern, "", message)
            told.append(advice)
    if not told:
        return "kubectl describe pod names the constraint that no node meets."
    return f"One of: {'; '.join(told)}."
