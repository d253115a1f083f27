"""Find out what is wrong with the pods of a Kubernetes or OpenShift namespace."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cairn.tool.call import Call
from cairn.tool.tool import tool

_NAMESPACE = r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
_POD = r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$"


class PodHealth(BaseModel):
    """The pods to look at."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    namespace: Annotated[str, Field(pattern=_NAMESPACE, description="The namespace of the pods.")]
    pod: Annotated[str | None, Field(pattern=_POD, description="Look at this pod only.")] = None
    pods: Annotated[
        dict[str, Any] | None,
        Field(description="A Kubernetes PodList, or `kubectl get pods,events -o json`; else the cluster is asked."),
    ] = None
    memory_context: Annotated[
        dict[str, Any] | None,
        Field(alias="memoryContext", description="What memory holds of earlier incidents, for the hints."),
    ] = None


class PodFinding(BaseModel):
    """One thing that is wrong with a pod."""

    pod: Annotated[str, Field(description="The pod's name.")]
    severity: Annotated[Literal["critical", "warning", "info"], Field(description="How bad it is.")]
    reason: Annotated[str, Field(description="Kubernetes' name for it, such as CrashLoopBackOff.")]
    evidence: Annotated[str, Field(description="What shows it: container, state, exit code, counts and times.")]
    hint: Annotated[str, Field(description="What to do next.")]


class Diagnosis(BaseModel):
    """What is wrong, worst first."""

    findings: Annotated[list[PodFinding], Field(description="At most 200, worst first; a healthy pod has none.")]
    summary: Annotated[str, Field(description="How many pods were looked at, and how many need attention.")]


_EVICTED = {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."}
EXAMPLE = {
    "namespace": "shop",
    "pods": {"kind": "PodList", "items": [{"metadata": {"name": "web-1", "namespace": "shop"}, "status": _EVICTED}]},
}


@tool(
    title="Diagnose pods",
    example=EXAMPLE,
    grants=("executions:use", "sessions:read", "logs:read", "blobs:read", "sandbox:invoke"),
    family="standard",
    read_only=True,
    timeout=25,
)
def oc_diagnostic_pod_health(request: PodHealth, call: Call) -> Diagnosis:
    """Call when pods misbehave: finds crash loops, failed pulls, memory kills, scheduling, probes, volumes, evictions.

    Reads the namespace's pods, or those you give, and changes nothing.
    """
    asked = request.model_dump(include={"namespace", "pod", "pods"}, exclude_none=True)
    result = call.services.sandbox.invoke(oc_diagnostic_pod_health.name, asked, call.caller.request_id)
    diagnosis = Diagnosis.model_validate(result)
    if request.memory_context is None:
        return diagnosis
    from cairn.enrichment.reminders import reminded  # noqa: PLC0415 - not loaded where nothing is told

    return Diagnosis.model_validate(reminded(diagnosis.model_dump(), request.namespace, request.memory_context))


handler = oc_diagnostic_pod_health.handler
