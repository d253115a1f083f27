"""A diagnosis of pods that a test writes, as of a fixed time; and a cluster's API that answers as it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cairn_sandbox.pod_health import report
from cairn_sandbox.pod_health.findings import MAX_EVIDENCE_BYTES, SEVERITIES
from support.loopback import serving
from support.sandbox import NAMESPACE, NOW, SECRET, Api, Serve, pod_list

Findings = list[dict[str, Any]]


def no_cluster() -> Any:
    raise AssertionError("no cluster is to be asked")


@pytest.fixture
def diagnosed() -> Callable[..., Findings]:
    """Return a function that diagnoses pods and events; what holds of every finding is checked on the way."""

    def diagnose(*items: dict[str, Any], **arguments: Any) -> Findings:
        asked = {"namespace": NAMESPACE, "pods": pod_list(*items), **arguments}
        found: Findings = report.pod_health(asked, no_cluster, lambda: NOW)["findings"]
        for each in found:
            assert set(each) == {"pod", "severity", "reason", "evidence", "hint"}
            assert each["severity"] in SEVERITIES
            assert each["evidence"]
            assert len(each["evidence"].encode()) <= MAX_EVIDENCE_BYTES
            assert each["hint"].endswith(".") or "kubectl" in each["hint"]
        assert SECRET not in json.dumps(found)
        return found

    return diagnose


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that starts an API with an answer, and with TLS if a context is given."""
    with serving() as run:
        yield lambda answer, tls=None: run(Api(answer, tls))
