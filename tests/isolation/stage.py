"""One service on one store, called through its doors; each tenant's randomness and keys are that tenant's alone.

So a tenant that makes the same calls draws the same ids, nonces and keys, whoever else calls.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random
from typing import Any, Final, Literal, TypeAlias
from unittest.mock import patch

from cairn import wiring
from cairn.access.layout import (
    CREDENTIALS,
    POLICIES,
    SETTINGS,
    credentials_pk,
    policies_pk,
    policy_versions_pk,
    tenant_settings_pk,
)
from cairn.access.policy_store import PolicyStore
from cairn.calls.journal import WRITER_BYTES
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Project, Tenant
from cairn.ground.jobs import IndexLog, Job, RunTask, SealAudit, encoded
from cairn.ground.ports import Blobs, Table
from cairn.ground.table import (
    Delete,
    Key,
    Page,
    Put,
    Query,
    Update,
    Write,
    key_of,
    read_units,
    stored_bytes,
    tenant_of,
)
from cairn.log.layout import ACROSS, USER_OWNER, is_across, log_pk
from cairn.process.system import in_turn
from cairn.settings.settings import Settings
from cairn.telemetry import logs
from cairn.telemetry.record import CallMeter
from cairn.tool import pipe
from cairn.vault.data_key import DataKey
from cairn.vault.layout import keys_pk
from cairn_console import operators
from cairn_jobs import worker
from cairn_mcp.door import handler as mcp_handler
from cairn_tools.catalog import CATALOG
from isolation.homes import Home, Walk
from isolation.policy import POLICY
from support.doubles import RecordingJobs
from support.routes import can_be_routed, routed
from support.services import services_over

START: Final = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
OF_THE_DEPLOYMENT: Final = frozenset(
    {
        *(policies_pk(), policy_versions_pk(), keys_pk(POLICIES)),
        *(tenant_settings_pk(), keys_pk(SETTINGS)),
        *(credentials_pk(), keys_pk(CREDENTIALS)),
        *("healthz", "healthz#blobs", "~budgets"),
    }
)
"""The partitions of no tenant that a call may touch: the policy document, which holds for all, its versions, its key;
the settings of all tenants, of which a call reads its own, as of what each spent; the API keys of all, of which each
tenant is told and may end its own; and what health is probed with, which is not there."""
_VOLATILE: Final = frozenset({"timestamp", "latency_ms", "id", "duration_ms"})
_TOOLS: Final = {tool.name: tool for tool in CATALOG}

Door: TypeAlias = Literal["http", "mcp", "jobs", "audit"]
"""How a step goes in: a tool's own Lambda or that of all for operators, the MCP Lambda, the worker behind the queue, or
an operator's command."""


@dataclass(frozen=True, slots=True)
class Party:
    """Who calls: a tenant, what it does in one of its projects, or one of its users in some with a key of their own."""

    tenant: Tenant
    projects: tuple[str, ...] = ()
    """The projects that it calls about; any where there are none."""
    user: str | None = None
    """To whom its key is bound, with the projects."""

    @property
    def bounds(self) -> Mapping[str, str]:
        """Return what the authorizer says of such a key's bounds."""
        return {} if self.user is None else {"projects": " ".join(self.projects), "users": json.dumps([self.user])}

    def may_touch(self, pk: str) -> bool:
        """Tell whether a partition is the party's, or its tenant's and of no project."""
        owner, *place = pk.split("#")
        inside = not self.projects or place[:1] not in (["s"], ["m"]) or place[1] in self.projects
        known = self.user is not None and pk == log_pk(self.tenant, Project(ACROSS), f"{USER_OWNER}{self.user}")
        return pk in OF_THE_DEPLOYMENT or (owner == self.tenant and (inside or known))

    def asked_for(self, job: Job) -> bool:
        """Tell whether a job is about what the party wrote or started."""
        if isinstance(job, RunTask):
            return job.tenant == self.tenant and not self.projects
        if not isinstance(job, IndexLog) or job.tenant != self.tenant:
            return False
        if is_across(job.owner):
            return not self.projects or job.owner == f"{ACROSS}{USER_OWNER}{self.user}"
        return not self.projects or job.project in self.projects


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a party, this many seconds after the start; `credential` is what the authorizer vouches for."""

    party: Party
    door: Door
    at: float
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    credential: Mapping[str, str] = field(default_factory=dict[str, str])
    stolen: frozenset[str] = frozenset()
    """The arguments, by field, that only other parties were given."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be told of a step from outside: its answer, its log, the calls of the store it took, jobs it sent."""

    answer: str
    log: Sequence[str]
    store: Sequence[str]
    jobs: Sequence[str]


@dataclass
class Stage:
    """A service in which one tenant calls at a time."""

    home: Home
    settings: Settings
    calling: Party = Party(POLICIES)
    moment: datetime = START
    store_calls: list[str] = field(default_factory=list[str])
    trespasses: list[str] = field(default_factory=list[str])
    meter: CallMeter = field(default_factory=CallMeter)
    _random: dict[tuple[Party, bool], Random] = field(default_factory=dict[tuple[Party, bool], Random])
    _keys: Counter[Tenant] = field(default_factory=Counter[Tenant])
    _jobs: RecordingJobs = field(default_factory=RecordingJobs)
    _lines: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        table, blobs = _Table(self.home.table, self), _Blobs(self.home.blobs, self)
        self.adapters = Adapters(
            table, blobs, _Keys(self), _Clock(self), _Entropy(self), in_turn, self._jobs, meter=self.meter
        )
        PolicyStore(self.adapters).write(POLICY)
        walk = Walk(self.home, table, lambda whose, found: self.note("walk", f"{whose}#", found=found), START)
        self._services = services_over(self.adapters, self.settings, inventory=walk)

    def play(self, step: Step) -> Seen:
        """Make the call and return what can be seen of it."""
        self.calling, self.moment = step.party, START + timedelta(seconds=step.at)
        self.store_calls.clear()
        self._lines.clear()
        waiting = [job for job in self._jobs.sent if step.party.asked_for(job)]
        sent = len(self._jobs.sent)
        wiring.provide(self._services)
        with patch.object(pipe, "_parallel", in_turn), self._logged():
            answer = self._answer(step, waiting)
        new = [encoded(job) for job in self._jobs.sent[sent:]]
        if step.door == "jobs":
            self._jobs.sent = [job for job in self._jobs.sent if job not in waiting]
        return Seen(answer, tuple(self._lines), tuple(self.store_calls), tuple(new))

    def note(self, call: str, *partitions: str, found: int = 0) -> None:
        """Keep a call of the store, and whether it reached beyond the tenant that calls."""
        for pk in partitions:
            if not self.calling.may_touch(pk):
                self.trespasses.append(f"{self.calling} {call} {pk}")
        if not OF_THE_DEPLOYMENT.issuperset(partitions):
            self.store_calls.append(f"{call} {' '.join(partitions)} {found}")

    def draw(self, size: int = 0) -> Random:
        """Return the randomness of the party that calls; that of writers' names, which projects share, apart.

        Else a party would draw other ids where another has drawn a writer's name already.
        """
        who = self.calling, size == WRITER_BYTES
        return self._random.setdefault(who, Random(str(who)))  # noqa: S311 - has to be repeatable

    def new_key(self, tenant: Tenant) -> bytes:
        """Return the wrapped form of a tenant's next key."""
        self._keys[tenant] += 1
        return f"{tenant}/{self._keys[tenant]}".encode()

    def _answer(self, step: Step, waiting: Sequence[Job]) -> str:
        match step.door:
            case "http":
                tool = _TOOLS[step.tool]
                handler = operators.handler if tool.for_operators else tool.handler
                return json.dumps(handler(_asked(step), None))
            case "mcp":
                params = {"name": step.tool, "arguments": step.arguments}
                return json.dumps(
                    mcp_handler(
                        event(step, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}), None
                    )
                )
            case "jobs":
                seal = [] if step.party.projects else [SealAudit(step.party.tenant)]
                bodies = [encoded(job) for job in [*waiting, *seal]]
                messages = [{"messageId": str(number), "body": body} for number, body in enumerate(bodies)]
                return json.dumps(worker.handler({"Records": messages}, _Invocation()))
            case "audit":
                log = self._services.audit
                until = self.moment + timedelta(days=1)
                return f"{log.verify(step.party.tenant)} {log.records(step.party.tenant, START, until, 1000)}"

    @contextmanager
    def _logged(self) -> Generator[None]:
        logger, handler = logging.getLogger("cairn"), _Lines(self._lines)
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.setLevel(level)
            logger.removeHandler(handler)


def _asked(step: Step) -> dict[str, Any]:
    """Return the event of a call over HTTP: every other one that a route can say is made there."""
    tool, posted = _TOOLS[step.tool], event(step, step.arguments)
    by_route = can_be_routed(tool, step.arguments) and len(str(step.arguments)) % 2
    return routed(tool, step.arguments, posted) if by_route else posted


def event(step: Step, body: object) -> dict[str, Any]:
    """Return the API Gateway event of a step, behind the authorizer."""
    return {
        "version": "2.0",
        "rawPath": f"/v1/tools/{step.tool}",
        "headers": {"content-type": "application/json", **step.headers},
        "requestContext": {
            "http": {"method": "POST", "path": f"/v1/tools/{step.tool}"},
            "requestId": "request-1",
            "authorizer": {"lambda": {"tenant": step.party.tenant, **step.credential}},
        },
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


class _Invocation:
    def get_remaining_time_in_millis(self) -> int:
        return 60_000


class _Lines(logging.Handler):
    """Keeps log lines, without what no two runs share: times, and the id of a call."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.INFO)
        self._lines = lines
        self.setFormatter(logs.LogLines())

    def emit(self, record: logging.LogRecord) -> None:
        line: dict[str, Any] = json.loads(self.format(record))
        shared = [{**line, "event": None}, line.get("event") or {}]
        told = [{name: value for name, value in each.items() if name not in _VOLATILE} for each in shared]
        self._lines.append(json.dumps(told, sort_keys=True))


@dataclass(frozen=True, slots=True)
class _Clock:
    stage: Stage

    def now(self) -> datetime:
        return self.stage.moment

    def sleep(self, seconds: float) -> None:
        self.stage.moment += timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Entropy:
    stage: Stage

    def token(self, size: int) -> bytes:
        return self.stage.draw(size).randbytes(size)


@dataclass(frozen=True, slots=True)
class _Keys:
    stage: Stage

    def generate(self, tenant: Tenant) -> DataKey:
        wrapped = self.stage.new_key(tenant)
        return DataKey(self.unwrap(tenant, wrapped), wrapped)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        if not wrapped.startswith(f"{tenant}/".encode()):
            raise CorruptData("a wrapped key does not open")
        return sha256(wrapped).digest()


@dataclass(frozen=True, slots=True)
class _Table:
    table: Table
    stage: Stage

    def get(self, key: Key) -> Any:
        item = self.table.get(key)
        self.stage.note("get", key.pk, found=int(item is not None))
        self.stage.meter.used(tenant_of(key.pk), read_units=read_units(stored_bytes(item)))
        return item

    def query(self, query: Query) -> Page:
        page = self.table.query(query)
        self.stage.note("query", query.pk, found=len(page.items))
        size = sum(map(stored_bytes, page.items))
        self.stage.meter.used(tenant_of(query.pk), read_units=read_units(size, index=query.index))
        return page

    def put(self, write: Put) -> None:
        self._write("put", [write], lambda: self.table.put(write))

    def update(self, write: Update) -> Any:
        return self._write("update", [write], lambda: self.table.update(write))

    def delete(self, write: Delete) -> None:
        self._write("delete", [write], lambda: self.table.delete(write))

    def transact(self, writes: Sequence[Write]) -> None:
        self._write("transact", writes, lambda: self.table.transact(writes))

    def _write(self, call: str, writes: Sequence[Write], work: Callable[[], Any]) -> Any:
        self.stage.note(call, *(key_of(write).pk for write in writes))
        self.stage.meter.used(tenant_of(key_of(writes[0]).pk), write_units=len(writes))
        return work()


@dataclass(frozen=True, slots=True)
class _Blobs:
    blobs: Blobs
    stage: Stage

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        self.stage.note("put blob", f"{tenant}#blobs", found=len(data))
        self.stage.meter.used(tenant, blob_writes=1)
        return self.blobs.put(tenant, data)

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        self.stage.note("get blob", f"{tenant}#blobs")
        self.stage.meter.used(tenant, blob_reads=1)
        return self.blobs.get(tenant, digest)

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        self.stage.note("get blob", f"{tenant}#blobs")
        self.stage.meter.used(tenant, blob_reads=1)
        return self.blobs.get_part(tenant, digest, start, length)

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self.stage.note("delete blob", f"{tenant}#blobs")
        self.blobs.delete(tenant, digest)
