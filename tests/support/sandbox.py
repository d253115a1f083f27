"""Pods as a cluster's API writes them, and such an API on the loopback interface."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol, cast

from support.loopback import LoopbackServer

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMESPACE = "shop"
SECRET = "canary-7f31"
"""Stands wherever a pod may hold a secret; no finding may."""


def ago(**duration: float) -> str:
    """Return a time of the Kubernetes API so long before NOW."""
    return f"{NOW - timedelta(**duration):%Y-%m-%dT%H:%M:%SZ}"


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


def running(**since: float) -> dict[str, Any]:
    return {"running": {"startedAt": ago(**(since or {"hours": 2}))}}


def terminated(code: int, reason: str = "Error", **since: float) -> dict[str, Any]:
    ended = ago(**(since or {"minutes": 3}))
    log = {"message": f"panic: password={SECRET}", "containerID": "containerd://6b1f"}
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": ended, "finishedAt": ended, **log}}


def container(
    name: str = "app", state: dict[str, Any] | None = None, *, ready: bool | None = None, **status: Any
) -> dict[str, Any]:
    """Return a ContainerStatus; it runs since two hours ago unless told."""
    state = running() if state is None else state
    found: dict[str, Any] = {
        "name": name,
        "image": "registry.example/shop/web:1.2",
        "imageID": "",
        "restartCount": 0,
        "lastState": {},
    }
    return {**found, "state": state, "ready": "running" in state if ready is None else ready, **status}


def condition(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, Any]:
    return {
        "type": kind,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": ago(minutes=9),
        **({"reason": reason, "message": message} if reason else {}),
    }


def pod(name: str = "web-1", *containers: dict[str, Any], phase: str = "Running", **parts: Any) -> dict[str, Any]:
    """Return a Pod with secrets in its specification; `spec`, `metadata` and further fields of the status are added."""
    spec: dict[str, Any] = {
        "containers": [
            {"name": "app", "env": [{"name": "TOKEN", "value": SECRET}], "args": [f"--password={SECRET}"], "image": "i"}
        ],
        "restartPolicy": "Always",
        "nodeName": "node-1",
    }
    metadata = {
        "name": name,
        "namespace": NAMESPACE,
        "uid": "0b0e",
        "creationTimestamp": ago(hours=3),
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": SECRET},
    }
    status = {
        "phase": phase,
        "startTime": ago(hours=3),
        "containerStatuses": list(containers or [container()]),
        "qosClass": "Burstable",
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, **parts.pop("metadata", {})},
        "spec": {**spec, **parts.pop("spec", {})},
        "status": {**status, **parts},
    }


def unscheduled(message: str, reason: str = "Unschedulable") -> dict[str, Any]:
    found = condition("PodScheduled", "False", reason, message)
    return pod(phase="Pending", containerStatuses=None, conditions=[found])


def event(reason: str, message: str, name: str = "web-1", where: str = "spec.containers{app}") -> dict[str, Any]:
    """Return a warning about a pod, seen seven times, the last a minute ago."""
    about = {"kind": "Pod", "namespace": NAMESPACE, "name": name, "fieldPath": where}
    return {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {"name": f"{name}.17a", "namespace": NAMESPACE},
        "involvedObject": about,
        "type": "Warning",
        "reason": reason,
        "message": message,
        "count": 7,
        "firstTimestamp": ago(hours=1),
        "lastTimestamp": ago(minutes=1),
        "eventTime": None,
    }


def pod_list(*items: dict[str, Any], kind: str = "PodList") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"resourceVersion": "1"}, "items": list(items)}


def seen(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["severity"], each["reason"]) for each in found]


class Exchange(BaseHTTPRequestHandler):
    """One request, which the test answers."""

    @property
    def api(self) -> Api:
        return cast("Api", self.server)

    def do_GET(self) -> None:
        self.api.asked.append((self.path, self.headers["Authorization"]))
        with suppress(OSError):
            self.api.answer(self)

    def say(self, body: object, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} Word", f"Content-Length: {len(data)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


Answer = Callable[[Exchange], object]


class Api(LoopbackServer[tuple[str, str]]):
    """A server of one test."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None) -> None:
        super().__init__(Exchange, tls)
        self.answer = answer


class Serve(Protocol):
    """Starts an API with an answer, and with TLS if a context is given."""

    def __call__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> Api: ...


def says(body: object, status: int = 200, **headers: str) -> Answer:
    return lambda exchange: exchange.say(body, status, **headers)
