"""Stores in memory, as many as a test wants: the embedded store's rules without its disk."""

from __future__ import annotations

import io
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.process.system import in_turn
from cairn.telemetry.metric_lines import metric_handler
from cairn.telemetry.tracing import TRACE_HEADER
from cairn.telemetry.xray import DAEMON
from support.doubles import RecordingJobs
from support.memory_store import MemoryBlobs, MemoryTable


@pytest.fixture
def adapters_in_memory(clock: Any, entropy: Any) -> Callable[[], Adapters]:
    """Return a function that makes an empty store in memory; all of them share the test's clock."""
    return lambda: Adapters(
        MemoryTable(), MemoryBlobs(), LocalKeyRing(bytes(32)), clock, entropy, in_turn, RecordingJobs()
    )


@pytest.fixture
def said(
    log: io.StringIO, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], str]]:
    """Return a function that gives all that left the process beside answers: log, metrics, spans, standard streams."""
    written = io.StringIO()
    metrics = metric_handler("Cairn", written)
    logging.getLogger().addHandler(metrics)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.setblocking(False)
        monkeypatch.setenv(DAEMON, f"127.0.0.1:{daemon.getsockname()[1]}")
        monkeypatch.setenv(TRACE_HEADER, "Root=1-5e272390-8c398be037738dc042009320;Parent=94ae789b969f1cc5;Sampled=1")

        def everything() -> str:
            spans = datagrams(daemon)
            assert '"call"' in log.getvalue()
            assert "memory_tool_requests_total" in written.getvalue()
            assert '"subsegment"' in spans
            return "\n".join([log.getvalue(), written.getvalue(), spans, *capfd.readouterr()])

        yield everything
    logging.getLogger().removeHandler(metrics)


def datagrams(daemon: socket.socket) -> str:
    received: list[str] = []
    while True:
        try:
            received.append(daemon.recv(65536).decode())
        except BlockingIOError:
            return "\n".join(received)
