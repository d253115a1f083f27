"""Explain a container's exit code."""

from __future__ import annotations

from cairn_sandbox.pod_health.findings import at
from cairn_sandbox.pod_health.pods import Terminated

_SIGNALS = 128
_MEANINGS = {
    0: "it is done as soon as it starts: keep a server in the foreground, or run it as a Job",
    1: "the program failed by itself: its log says why",
    2: "the program or the shell was called wrongly: look at command and args",
    126: "the command is there but cannot be executed: check its mode, and that it is built for the node's processor",
    127: "the command was not found: check command, args and PATH against what the image holds",
    128: "the command could not be started: check command, args and working directory against what the image holds",
    134: "the program aborted (SIGABRT): its log holds the failed assertion or the runtime's trace",
    137: "it was killed (SIGKILL): out of memory, a failed liveness probe, or not gone within its grace period",
    139: "it crashed on a memory error (SIGSEGV): look at native libraries and whether the image suits the processor",
    143: "it was asked to stop (SIGTERM): look for a failed liveness probe, an eviction or a roll-out at that time",
}


def meaning(ended: Terminated) -> str:
    """Return what an exit code usually means."""
    code = ended.exit_code
    if code in _MEANINGS:
        return _MEANINGS[code]
    if code > _SIGNALS:
        return f"signal {code - _SIGNALS} ended it: its log says what it was doing"
    return "the program chose this code: its log and its documentation say why"


def ending(ended: Terminated) -> str:
    """Return how and when it ended, as evidence."""
    reason = f" ({ended.reason})" if ended.reason else ""
    return f"exit code {ended.exit_code}{reason}{at(ended.finished_at)}"
