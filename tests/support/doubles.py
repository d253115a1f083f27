"""Doubles of the ports: a clock, a queue, a sandbox and a key ring for tests, and an adapter that counts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from cairn.embedded.queue import InProcessJobs
from cairn.ground import sandbox_messages as sandbox
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Tenant
from cairn.ground.jobs import Job
from cairn.ground.table import Page
from cairn.vault.data_key import DataKey
from cairn_sandbox import door


class FakeClock:
    """A clock that stands still until a test sets it or the code sleeps."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.advance(seconds=seconds)

    def advance(self, **duration: float) -> None:
        self.time += timedelta(**duration)


class HeldWork:
    """Does a queue's jobs, of which the first waits until it may go on, and keeps what is done."""

    def __init__(self) -> None:
        self.started, self.go_on = threading.Event(), threading.Event()
        self.done: list[Job] = []

    def __call__(self, job: Job) -> None:
        self.started.set()
        assert self.go_on.wait(timeout=30)
        self.done.append(job)


class RecordingJobs:
    """A queue that keeps what it was sent, in order."""

    def __init__(self) -> None:
        self.sent: list[Job] = []

    def send(self, jobs: Sequence[Job]) -> None:
        self.sent.extend(jobs)


class InProcessSandbox:
    """The sandbox without a wall: the same door, called in this process; keeps the names of what ran in it."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        self.ran.append(tool)
        asked = json.loads(sandbox.request(tool, arguments, request_id))
        return sandbox.answer(json.dumps(door.answer(asked)).encode())


class LateBlobs:
    """Blobs that are read and written late: something else happens before each time."""

    def __init__(self, blobs: Any, happens: Callable[[], object]) -> None:
        self._blobs = blobs
        self._happens = happens

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        self._happens()
        return self._blobs.get(tenant, digest)

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        self._happens()
        return self._blobs.get_part(tenant, digest, start, length)

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        self._happens()
        return self._blobs.put(tenant, data)

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self._blobs.delete(tenant, digest)


class RepeatingKeyRing:
    """Data keys that are the same in each run, so that two stores given the same calls hold the same."""

    def __init__(self) -> None:
        self.made = 0

    def generate(self, tenant: Tenant) -> DataKey:
        self.made += 1
        wrapped = f"{tenant}/{self.made}".encode()
        return DataKey(self.unwrap(tenant, wrapped), wrapped)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        if not wrapped.startswith(f"{tenant}/".encode()):
            raise CorruptData("a wrapped key does not open")
        return sha256(wrapped).digest()


def settle(jobs: InProcessJobs, *, tasks: bool = False) -> None:
    """Wait until all jobs sent so far are done, or all tasks."""
    inside: Any = jobs
    (inside._tasks if tasks else inside._executor).submit(lambda: None).result(timeout=30)


@dataclass
class Counted:
    """An adapter that counts its calls, and what queries return."""

    adapter: Any
    calls: list[str]
    items: int = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.adapter, name)

        def counted(*args: Any) -> Any:
            self.calls.append(name)
            answer = call(*args)
            self.items += len(answer.items) if isinstance(answer, Page) else 0
            return answer

        return counted
