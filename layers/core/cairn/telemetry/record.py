"""Collect what is known of a running call, the one source of its log line and its metrics. Never content."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from typing_extensions import Doc

from cairn.ground.errors import CairnError, DenialReason, KeyUnusable, PermissionDenied, SettingsError
from cairn.ground.ids import Tenant

if TYPE_CHECKING:
    from cairn.ground.session import Subject
    from cairn.ground.table import Key
    from cairn.ground.tiers import Tier
    from cairn.ground.units import Units

_logger = logging.getLogger("cairn")


EnrichmentOutcome = Literal["not-eligible", "success", "timeout", "error"]
"""What came of looking for what a standard tool may be told."""


@dataclass(slots=True)
class CallRecord:
    """Everything known of the call so far."""

    request_id: Annotated[str, Doc("The gateway's request id, which the caller sees too.")]
    tool: Annotated[str | None, Doc("The tool that was called.")] = None
    namespace: Annotated[str | None, Doc("The tool's family.")] = None
    tenant: Annotated[str | None, Doc("The first 12 hex digits of the tenant's SHA-256.")] = None
    project: Annotated[str | None, Doc("The project, once it is known to be a valid name.")] = None
    session_id: Annotated[str | None, Doc("The session, likewise.")] = None
    turn_id: Annotated[str | None, Doc("The turn, likewise.")] = None
    status: Annotated[str, Doc("`OK` or the error's code.")] = "OK"
    denied: Annotated[
        DenialReason | None,
        Doc("Why it was not allowed: `authorization`, `scope`, `project`, `user`, `session`, `policy`, `read_only`."),
    ] = None
    failure: Annotated[
        str | None, Doc("An unexpected error's class; which setting is wrong, or what KMS said of the key.")
    ] = None
    failed_at: Annotated[str | None, Doc("Where that error was raised, file:line.")] = None
    heuristic: Annotated[str | None, Doc("`ok` or `failed`, where a language model was asked.")] = None
    heuristic_failure: Annotated[str | None, Doc("Why it failed.")] = None
    enrichment: Annotated[
        EnrichmentOutcome | None,
        Doc(
            "What came of looking for what a standard tool may be told: `not-eligible`, `success`, `timeout`, `error`."
        ),
    ] = None
    enrichment_ms: Annotated[float, Doc("How long that took, in milliseconds.")] = 0.0
    compactions: Annotated[int, Doc("Compact summaries stored.")] = 0
    turn_conflicts: Annotated[int, Doc("1 where the turn_id was known: committed, in commit, or with other items.")] = 0
    redactions: Annotated[int, Doc("Findings of personal data and secrets, masked or refused.")] = 0
    arguments: Annotated[Mapping[str, int] | None, Doc("The bytes of each argument, by its field; no value.")] = None
    unrecorded: Annotated[int, Doc("1 where the call's audit record could not be written when it was made.")] = 0
    unembedded: Annotated[int, Doc("How often recall went by words alone because the embedder failed.")] = 0
    damaged: Annotated[int, Doc("Stored records that are damaged, which the call went round or failed for.")] = 0
    damaged_at: Annotated[str | None, Doc("What kind of record the first of them is: its partition's and its own.")] = (
        None
    )
    recalls: Annotated[
        dict[str, int], Doc("Questions put to memory, by what their answers went by: hybrid, text or semantic.")
    ] = field(default_factory=dict[str, int])
    without_vector: Annotated[int, Doc("Texts, memories and facts they were put to that had no vector yet.")] = 0
    access_anomalies: Annotated[
        int, Doc("1 where its caller reaches for much in many places, or an older policy was put back.")
    ] = 0
    counts: Annotated[Mapping[str, int] | None, Doc("What a job met; `tool` is then its kind.")] = None
    facts_written: Annotated[dict[str, int], Doc("Facts written, by tier.")] = field(default_factory=dict[str, int])
    read_units: Annotated[
        float, Doc("DynamoDB's read units, of the tenant's own items; what they would be on one machine.")
    ] = 0.0
    write_units: Annotated[float, Doc("Its write units, those of the index among them; likewise.")] = 0.0
    blob_requests: Annotated[int, Doc("Requests to S3: reads, writes and deletes; likewise.")] = 0
    budget_share: Annotated[
        float, Doc("Of a job that seals: what share of its tenant's budget the month has cost.")
    ] = 0.0
    budget_warnings: Annotated[int, Doc("1 where that is the share from which on it warns, or more.")] = 0
    latency_ms: Annotated[float, Doc("From the door's first look at the event to its answer, in milliseconds.")] = 0.0
    ran: bool = False
    owner: Tenant | None = None
    blobs: dict[str, int] = field(default_factory=dict[str, int])
    at_end: Callable[[CallRecord], None] | None = None
    is_over: bool = False
    places: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def name_tool(self, tool: str, namespace: str) -> None:
        """Note the tool and its family."""
        self.tool, self.namespace = tool, namespace

    def name_job(self, kind: str) -> None:
        """Note a job's kind in the tool's place; what the job runs gets records of its own."""
        self.tool, self.ran = kind, True

    def name_subject(self, subject: Subject, arguments: Mapping[str, int]) -> None:
        """Note what the call is about, and the bytes of its arguments."""
        self.project, self.session_id, self.turn_id = subject.project, subject.session_id, subject.turn_id
        self.arguments = arguments

    def name_tenant(self, tenant: Tenant) -> None:
        """Note the tenant: in the log line as the first 12 digits of its SHA-256."""
        self.owner = tenant
        self.tenant = sha256(tenant.encode()).hexdigest()[:12]

    def use(self, read_units: float = 0, write_units: float = 0, **blobs: int) -> None:
        """Count what the call has just used of table and blobs."""
        self.read_units += read_units
        self.write_units += write_units
        for kind, number in blobs.items():
            self.blobs[kind] = self.blobs.get(kind, 0) + number
        self.blob_requests = sum(self.blobs.values())

    def name_damage(self, where: Key | None) -> None:
        """Count a damaged record once, and note of the first what kind it is."""
        if where is None:
            self.damaged = max(self.damaged, 1)
        elif (where.pk, where.sk) not in self.places:
            self.places.add((where.pk, where.sk))
            self.damaged = len(self.places)
            self.damaged_at = self.damaged_at or kind_of(where)

    def refuse(self, error: CairnError) -> None:
        """Note why the call is refused."""
        self.status = error.code
        self.denied = error.reason if isinstance(error, PermissionDenied) else None
        if isinstance(error, KeyUnusable):
            self.failure = f"{type(error).__name__}: {error.details.get('reason')}"

    def fail(self, error: Exception) -> None:
        """Note an unexpected error's class and place; its message may hold content, unless it names a setting."""
        said = f": {error}" if isinstance(error, SettingsError) else ""
        self.failure = type(error).__name__ + said
        frames = extract_tb(error.__traceback__)
        self.failed_at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else None

    def line(self) -> Mapping[str, object]:
        """Return what the log line says of the call: all that is known, and counters that are not zero."""
        return {name: value for name in _LOGGED if (value := getattr(self, name)) not in (None, 0, {})}


MOST_TENANTS: Final = 4096
"""Of how many tenants a process keeps what it has not told; those that called longest ago go first."""
_BRACES: Final = 1
"""What a written sum has beyond an entry and a comma for each tool."""
_UNLOGGED: Final = frozenset({"ran", "owner", "blobs", "at_end", "is_over", "places"})
_LOGGED: Final = tuple(each.name for each in fields(CallRecord) if each.name not in _UNLOGGED)
_current: ContextVar[CallRecord | None] = ContextVar("cairn_call", default=None)
_positions: ContextVar[dict[str, str] | None] = ContextVar("cairn_positions", default=None)


def current() -> CallRecord | None:
    """Return the record of the call that runs now, if one does."""
    return _current.get()


@contextmanager
def recorded(request_id: str) -> Generator[CallRecord]:
    """Yield the record of this call and log it at the end.

    What a door has begun to record goes on being recorded; a further tool in the same request gets a record of its own.
    """
    outer = _current.get()
    if outer is not None and not outer.ran:
        yield outer
        return
    record = CallRecord(request_id)
    token = _current.set(record)
    started = time.perf_counter()
    try:
        yield record
    finally:
        if record.at_end is not None:
            record.at_end(record)
        record.latency_ms = round((time.perf_counter() - started) * 1000, 3)
        _logger.log(logging.ERROR if record.failure else logging.INFO, "call", extra={"call": record})
        _current.reset(token)


def note_heuristic(outcome: str, failure: str | None = None) -> None:
    """Note on the record of the current call, if there is one, what came of asking a language model."""
    if (record := _current.get()) is not None:
        record.heuristic, record.heuristic_failure = outcome, failure


def note_enrichment(outcome: EnrichmentOutcome, milliseconds: float) -> None:
    """Note on the record of the current call, if there is one, what came of looking for what its tool may be told."""
    if (record := _current.get()) is not None:
        record.enrichment, record.enrichment_ms = outcome, round(milliseconds, 3)


def note_redactions(number: int) -> None:
    """Count findings that were masked or refused on the record of the current call, if there is one."""
    if (record := _current.get()) is not None:
        record.redactions += number


def note_budget(share: float, *, is_warning: bool) -> None:
    """Note on the record of the current call or job, if there is one, what share of its tenant's budget is spent."""
    if (record := _current.get()) is not None:
        record.budget_share, record.budget_warnings = round(share, 3), int(is_warning)


@contextmanager
def positions_read() -> Generator[dict[str, str]]:
    """Yield how far all is read that is read inside, by the names of logs and sessions; it fills as they are read."""
    noted: dict[str, str] = {}
    token = _positions.set(noted)
    try:
        yield noted
    finally:
        _positions.reset(token)


def kind_of(where: Key) -> str:
    """Return what kind of record a key is of, without names: the kinds of its partition and of its sort key."""
    parts = where.pk.split("#")
    of_partition = parts[1] if len(parts) > 1 else parts[0]
    return f"{of_partition}/{where.sk[:2] if where.sk.startswith('e#') else where.sk.partition('#')[0]}"


class CallTally:
    """Counts what services do, on the record of the running call if there is one."""

    def __init__(self) -> None:
        """Start without damage."""
        self._damage_met = 0

    def compaction(self) -> None:
        """Count a compact summary that was stored."""
        if (record := _current.get()) is not None:
            record.compactions += 1

    def facts_written(self, tiers: Mapping[Tier, int]) -> None:
        """Count the facts that a commit wrote."""
        if (record := _current.get()) is not None:
            for tier, number in tiers.items():
                record.facts_written[tier] = record.facts_written.get(tier, 0) + number

    def turn_conflict(self) -> None:
        """Count a turn_id that came again."""
        if (record := _current.get()) is not None:
            record.turn_conflicts += 1

    def unrecorded(self) -> None:
        """Count a call whose record could not be written."""
        if (record := _current.get()) is not None:
            record.unrecorded += 1

    def unembedded(self) -> None:
        """Count a recall that went by words alone because the embedder failed."""
        if (record := _current.get()) is not None:
            record.unembedded += 1

    def recalled(self, by: str, without_vector: int) -> None:
        """Count an answer of recall, by what it went by, and the documents that had no vector yet."""
        if (record := _current.get()) is not None:
            record.recalls[by] = record.recalls.get(by, 0) + 1
            record.without_vector += without_vector

    def access_anomaly(self) -> None:
        """Count an access of someone who reaches for much in many places."""
        if (record := _current.get()) is not None:
            record.access_anomalies += 1

    def seen(self, name: str, position: str) -> None:
        """Note how far something was read, where that is asked for."""
        if (noted := _positions.get()) is not None:
            noted[name] = position

    def damaged(self, where: Key | None = None) -> None:
        """Count a damaged record; of where it is, only its kind is noted."""
        self._damage_met += 1
        if (record := _current.get()) is not None:
            record.name_damage(where)

    @property
    def damage_met(self) -> int:
        """Return how often this process has met a damaged record."""
        return self._damage_met


class CallMeter:
    """Counts what calls use of table and blobs: on the running call's record, and by tenant and tool until it is told.

    What no call or job runs for, such as an operator's command, is not counted. Nor is what is not its tenant's own:
    which call reads the policy document for all others is chance.
    """

    def __init__(self) -> None:
        """Start with nothing counted."""
        from cairn.ground.bounded import BoundedCache  # noqa: PLC0415 - who only logs does without

        self._untold: BoundedCache[Tenant, dict[str, Units]] = BoundedCache(entries=MOST_TENANTS)

    def used(self, owner: Tenant, **used: Any) -> None:
        """Count what the running call has just used of what its owner stores; what all share is counted for nobody."""
        record = _current.get()
        if record is None or record.tool is None or owner != record.owner:
            return
        with self._untold.lock:
            record.use(**used)
            if record.is_over:
                self._add(owner, {record.tool: _units(**used)})
            else:
                record.at_end = self._ended

    def take(self, tenant: Tenant, room: int | None = None) -> Mapping[str, Units]:
        """Return what the tenant's calls used, by tool, and forget it; only what is written down in `room` bytes."""
        with self._untold.lock:
            untold = self._untold.peek(tenant) or {}
            taken: dict[str, Units] = {}
            left = None if room is None else room - _BRACES
            for tool, units in list(untold.items()):
                if left is not None:
                    if (size := _written_bytes(tool, units)) > left:
                        continue
                    left -= size
                taken[tool] = untold.pop(tool)
        return taken

    def give_back(self, tenant: Tenant, taken: Mapping[str, Units]) -> None:
        """Keep again what was taken and could not be told."""
        with self._untold.lock:
            self._add(tenant, taken)

    def _ended(self, record: CallRecord) -> None:
        """Keep what a call used as a whole, so that a record tells it once; what it goes on to use comes later."""
        with self._untold.lock:
            record.is_over = True
            if record.owner is not None and record.tool is not None:
                table = {"read_units": record.read_units, "write_units": record.write_units}
                units = _units(calls=1, **table, **record.blobs)
                self._add(record.owner, {record.tool: units})

    def _add(self, tenant: Tenant, by_tool: Mapping[str, Units]) -> None:
        untold = self._untold.get_or_put(tenant, dict)
        for tool, units in by_tool.items():
            untold[tool] = untold[tool].plus(units) if tool in untold else units


def _units(**used: Any) -> Units:
    from cairn.ground.units import Units  # noqa: PLC0415 - the authorizer counts nothing

    return Units(**used)


def _written_bytes(tool: str, units: Units) -> int:
    """Return how many bytes a tool's entry and a comma are among others that are written down."""
    from cairn.ground.units import written_down  # noqa: PLC0415

    return len(written_down({tool: units}).encode()) - _BRACES
