"""Trace a call: send spans to X-Ray if Lambda samples the request, and otherwise do nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Literal, TypeAlias

TRACE_HEADER: Final = "_X_AMZN_TRACE_ID"
SpanName: TypeAlias = Literal["tool", "permission check", "pii filter"]
SPANS: Final[Mapping[SpanName, str]] = {
    "tool": "A tool, from its permission check to its answer.",
    "permission check": "One for the key's scopes, one for its projects and its policy; both within the tool's.",
    "pii filter": "The look for personal data and secrets in what key-value memory takes or gives.",
}


def span(name: SpanName, *, tool: str, operation: str) -> AbstractContextManager[object]:
    """Return a context that is one span; it says which tool, which operation and how it ended, and no content."""
    header = os.environ.get(TRACE_HEADER, "")
    if "Sampled=1" not in header:
        return nullcontext()
    from cairn.telemetry.xray import Subsegment  # noqa: PLC0415 - most calls are not sampled

    return Subsegment(header, name, {"tool": tool, "operation": operation})
