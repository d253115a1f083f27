"""Fields of the tools that tell of calls: a session's context, the audit log by the page, its check, and costs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, Field

from cairn.calls.record import UNRECORDED, AuditRecord
from cairn.calls.usage import PastCall, Prices, SessionContext, Usage
from cairn.ground.ids import SessionId

if TYPE_CHECKING:  # getContext does without them
    from cairn.calls.bill import Bill
    from cairn.calls.chain import Verification
    from cairn.calls.listing import CallPage
    from cairn.calls.told_units import Use
    from cairn.calls.unusual import Unusual
    from cairn.ground.settings import BudgetSettings

Kind: TypeAlias = Literal["session", "agent", "task", "all"]
_NEWEST = 100
_MOST_FINDINGS = 1000


class MemoryUsage(BaseModel):
    """What calls used, as an estimate."""

    tokens_used: Annotated[int, Field(description="Tokens that the calls sent.")]
    usd_spent: Annotated[float, Field(description="What they cost at AWS's list prices; 0 on one machine.")]


class HistoryItem(BaseModel):
    """One call."""

    tool_name: Annotated[str, Field(description="The tool that was called.")]
    timestamp: Annotated[datetime, Field(description="When, in UTC.")]
    success: Annotated[bool, Field(description="It is not known to have failed.")]

    @classmethod
    def of(cls, call: PastCall) -> Self:
        """Return the entry of a call."""
        return cls(tool_name=call.tool, timestamp=call.at, success=call.success)


def _absent(value: object) -> bool:
    return value is None


class Context(BaseModel):
    """The fields of the part that was asked for."""

    session_id: Annotated[str | None, Field(exclude_if=_absent, description="The session.")] = None
    start_time: Annotated[datetime | None, Field(exclude_if=_absent, description="When its first call was.")] = None
    agent_id: Annotated[str | None, Field(exclude_if=_absent, description="The id of the key that you call by.")] = None
    task_id: Annotated[
        str | None, Field(exclude_if=_absent, description="The newest turn of the session; empty before its first.")
    ] = None
    memory_usage: Annotated[
        MemoryUsage, Field(description="What the calls of the session, by you, or of the turn used.")
    ]
    tool_history: Annotated[
        list[HistoryItem] | None, Field(exclude_if=_absent, description="Those calls, the oldest first.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks for which part of a session's context."""

    kind: Kind
    session_id: SessionId
    credential: str
    with_history: bool

    def answer(self, context: SessionContext, prices: Prices) -> Context:
        """Return the fields of the part: usage and history are the session's, the agent's or the turn's own."""
        calls, whole = self._calls(context), self.kind == "all"
        usage = Usage.of(calls, prices)
        return Context(
            session_id=self.session_id if whole or self.kind == "session" else None,
            start_time=context.started_at if whole or self.kind == "session" else None,
            agent_id=self.credential if whole or self.kind == "agent" else None,
            task_id=(context.task_id or "") if whole or self.kind == "task" else None,
            memory_usage=MemoryUsage(tokens_used=usage.tokens, usd_spent=usage.usd),
            tool_history=[HistoryItem.of(each) for each in calls[-_NEWEST:]] if self.with_history else None,
        )

    def _calls(self, context: SessionContext) -> list[PastCall]:
        match self.kind:
            case "agent":
                return [each for each in context.calls if each.credential == self.credential]
            case "task":
                return [each for each in context.calls if each.turn_id and each.turn_id == context.task_id]
            case _:
                return list(context.calls)


class Unrecorded(BaseModel):
    """Reads whose own records came too late to be kept."""

    calls: Annotated[int, Field(description="How many.")]
    first: Annotated[datetime, Field(description="When the first was, in UTC.")]
    last: Annotated[datetime, Field(description="When the last was, in UTC.")]

    @classmethod
    def of(cls, record: AuditRecord) -> Self | None:
        """Return what a record stands for, None of a call's own."""
        told = record.arguments
        if record.outcome != UNRECORDED:
            return None
        first, last = (datetime.fromtimestamp(told[name] / 1000, UTC) for name in ("first_ms", "last_ms"))
        return cls(calls=told["calls"], first=first, last=last)


class CallLine(BaseModel):
    """A call, as it is on record: a name that holds a secret or personal data is `masked:` and 8 digits."""

    id: Annotated[str, Field(description="By which memory_check_calls names its record.")]
    at: Annotated[datetime, Field(description="When it began, in UTC.")]
    tool: Annotated[str, Field(description="The tool, or the operator's command.")]
    outcome: Annotated[
        str,
        Field(
            description="admitted: let in, and not known to have failed; done: a command's end; unrecorded: see "
            "unrecorded; else an error's code."
        ),
    ]
    ms: Annotated[int | None, Field(description="How long it took, where it failed or is a command's end.")]
    key: Annotated[
        str, Field(description="The id of the key, or the hash of the token's subject; operator of a command.")
    ]
    project: Annotated[str | None, Field(description="The project it was about.")]
    session_id: Annotated[str | None, Field(description="The conversation.")]
    turn_id: Annotated[str | None, Field(description="The turn.")]
    user_id: Annotated[str | None, Field(description="The user.")]
    namespace: Annotated[str | None, Field(description="The namespace of key-value memory.")]
    key_name: Annotated[str | None, Field(description="The key in it, or the memory or pointer that was named.")]
    bytes: Annotated[int, Field(description="How many bytes of arguments were sent.")]
    request_id: Annotated[str, Field(description="By which the log of the process names the request.")]
    unrecorded: Annotated[
        Unrecorded | None, Field(exclude_if=_absent, description="The reads that this line stands for.")
    ] = None

    @classmethod
    def of(cls, record: AuditRecord) -> Self:
        """Return what is told of a call."""
        about, reads = record.subject, Unrecorded.of(record)
        return cls(
            id=record.id,
            at=record.at,
            tool=record.tool,
            outcome=record.outcome,
            ms=record.duration_ms,
            key=record.credential,
            project=about.project,
            session_id=about.session_id,
            turn_id=about.turn_id,
            user_id=about.user_id,
            namespace=about.namespace,
            key_name=about.key,
            bytes=sum(record.arguments.values()) if reads is None else 0,
            request_id=record.request_id,
            unrecorded=reads,
        )


class UnusualLine(BaseModel):
    """A key by which much was reached for in many places: over 10 calls in a minute, to over 5 of them."""

    key: Annotated[str, Field(description="The id of the key, or the hash of the token's subject.")]
    calls: Annotated[int, Field(description="How many of its calls were beyond that.")]
    first: Annotated[datetime, Field(description="When the first of them was, in UTC.")]
    last: Annotated[datetime, Field(description="When the last was, in UTC.")]
    most_calls: Annotated[int, Field(description="The most that it made within a minute.")]
    most_places: Annotated[int, Field(description="The most projects and namespaces within a minute.")]

    @classmethod
    def of(cls, found: Unusual) -> Self:
        """Return what is told of a credential."""
        return cls(
            key=found.credential,
            calls=found.calls,
            first=found.first,
            last=found.last,
            most_calls=found.accesses,
            most_places=found.places,
        )


class CallList(BaseModel):
    """Calls."""

    calls: Annotated[list[CallLine], Field(description="The newest first, each once.")]
    unusual: Annotated[
        list[UnusualLine],
        Field(
            description="Who made unusually many calls in the time of this page, whatever is listed of them: of each "
            "the minute before counts too, as far as its 500 records reach."
        ),
    ]
    cursor: Annotated[
        str | None,
        Field(description="Where the list goes on, null at its end. A page that read 2,000 records may list few."),
    ]

    @classmethod
    def of(cls, page: CallPage) -> Self:
        """Return a page as it is told."""
        return cls(
            calls=[CallLine.of(each) for each in page.calls],
            unusual=[UnusualLine.of(each) for each in page.unusual],
            cursor=None if page.rest is None else page.rest.cursor,
        )


class FindingLine(BaseModel):
    """Something in the audit log that is not as it was written and sealed."""

    kind: Annotated[str, Field(description="changed, missing, reordered or added.")]
    what: Annotated[str, Field(description="A record, a digest, a day's item, or a count of a writer's records.")]
    name: Annotated[str, Field(description="Which.")]


class CheckedCalls(BaseModel):
    """What was found in the audit log."""

    sound: Annotated[bool, Field(description="Nothing was found.")]
    records: Annotated[int, Field(description="How many records the digests name.")]
    digests: Annotated[int, Field(description="How many digests the chain has.")]
    unsealed: Annotated[int, Field(description="How many records no digest names yet.")]
    head: Annotated[str, Field(description="The newest digest, to be kept elsewhere; empty before the first.")]
    anchored: Annotated[bool, Field(description="Heads that are kept outside of the store were compared.")]
    findings: Annotated[list[FindingLine], Field(description="At most 1,000 of what is wrong.")]
    more: Annotated[int, Field(description="How many more findings there are.")]

    @classmethod
    def of(cls, found: Verification, *, anchored: bool) -> Self:
        """Return what is told of a verification."""
        listed = found.findings[:_MOST_FINDINGS]
        return cls(
            sound=not found.findings,
            records=found.records,
            digests=found.digests,
            unsealed=found.unsealed,
            head=found.head,
            anchored=anchored,
            findings=[FindingLine(kind=each.kind, what=each.what, name=each.name) for each in listed],
            more=len(found.findings) - len(listed),
        )


class Used(BaseModel):
    """What calls used."""

    calls: Annotated[int, Field(description="How many are on record, failed and refused ones too; no jobs.")]
    counted: Annotated[int, Field(description="How many calls and jobs the units and requests are of.")]
    read_units: Annotated[float, Field(description="DynamoDB's read units.")]
    write_units: Annotated[float, Field(description="DynamoDB's write units, those of the index among them.")]
    blob_reads: Annotated[int, Field(description="GET requests to S3.")]
    blob_writes: Annotated[int, Field(description="PUT requests to S3.")]
    blob_deletes: Annotated[int, Field(description="DELETE requests to S3, which cost nothing.")]


class CostByPart(BaseModel):
    """US dollars."""

    table_reads: Annotated[float, Field(description="The read units.")]
    table_writes: Annotated[float, Field(description="The write units.")]
    blob_reads: Annotated[float, Field(description="The GET requests.")]
    blob_writes: Annotated[float, Field(description="The PUT requests.")]
    requests: Annotated[
        float, Field(description="Of each call on record one request of the gateway and two of Lambda.")
    ]
    total: Annotated[float, Field(description="All of these.")]


class ToolCost(Used):
    """What the calls of a tool used, or the jobs of a kind."""

    tool: Annotated[str, Field(description="The tool, or the kind of job.")]
    dollars: Annotated[float, Field(description="What that costs, in US dollars.")]

    @classmethod
    def line(cls, tool: str, use: Use, dollars: float) -> Self:
        """Return what is told of a tool."""
        return cls(**_used(use), tool=tool, dollars=dollars)


class ProvisionedCost(BaseModel):
    """What provisioned capacity would cost for the same units, in place of units on demand."""

    read_units_per_second: Annotated[float, Field(description="How many a second were used on average.")]
    write_units_per_second: Annotated[float, Field(description="Likewise.")]
    dollars: Annotated[float, Field(description="US dollars, if exactly that were provisioned and always in use.")]
    cheaper_from_share: Annotated[
        float, Field(description="What share of capacity has to be in use on average for it to cost less; 0: no units.")
    ]


class DayCosts(Used):
    """What the tenant's calls of the last 24 hours used and cost, without jobs, which no record tells of."""

    since: Annotated[datetime, Field(description="From when on: a day before it was asked.")]
    until: Annotated[datetime, Field(description="Until when; earlier than now where there are over 10,000 records.")]
    dollars: Annotated[CostByPart, Field(description="What they cost by part, in US dollars.")]
    by_tool: Annotated[list[ToolCost], Field(description="The same of each tool, the most expensive first.")]

    @classmethod
    def of(cls, bill: Bill) -> Self:
        """Return what is told of a day."""
        return cls(**_spent(bill))


class BudgetTold(BaseModel):
    """What the tenant's calls of a month may cost, and how much of that they did."""

    monthly_dollars: Annotated[float, Field(description="US dollars.")]
    share: Annotated[float, Field(description="What share of it this month's calls cost, as counted until now.")]
    is_warned: Annotated[bool, Field(description="That is `budget.warning_share` or more.")]
    brake: Annotated[
        bool, Field(description="Calls that write are refused once all is spent; that is noticed after minutes.")
    ]

    @classmethod
    def of(cls, bill: Bill, budget: BudgetSettings) -> Self | None:
        """Return what is told of a budget, None where there is none."""
        if not budget.monthly_dollars:
            return None
        share = bill.share_of(budget)
        return cls(
            monthly_dollars=budget.monthly_dollars,
            share=round(share, 6),
            is_warned=share >= budget.warning_share,
            brake=budget.brake,
        )


class Costs(Used):
    """What the tenant's calls of a month used and cost."""

    month: Annotated[str, Field(description="The month in UTC, yyyy-mm.")]
    since: Annotated[datetime, Field(description="From when on they are counted: the month's begin, or an upgrade.")]
    until: Annotated[datetime, Field(description="Until when; earlier than now where much is not sealed yet.")]
    dollars: Annotated[CostByPart, Field(description="What they cost by part, in US dollars.")]
    by_tool: Annotated[list[ToolCost], Field(description="The same of each tool, the most expensive first.")]
    last_day: Annotated[DayCosts, Field(description="The same of the last 24 hours.")]
    provisioned: Annotated[ProvisionedCost, Field(description="Provisioned capacity for this month's units.")]
    budget: Annotated[BudgetTold | None, Field(description="The tenant's budget of a month; null where it has none.")]
    own_machine: Annotated[bool, Field(description="Nobody charges it: it is what the same calls would cost in AWS.")]
    prices: Annotated[list[str], Field(description="The list prices of us-east-1, each with source and date.")]
    left_out: Annotated[list[str], Field(description="What the sums do not have.")]

    @classmethod
    def of(cls, bill: Bill, day: Bill, budget: BudgetSettings, *, own_machine: bool) -> Self:
        """Return what is told of a month, of the last day, and of the budget."""
        return cls(
            **_spent(bill),
            month=bill.month,
            last_day=DayCosts.of(day),
            provisioned=ProvisionedCost(**bill.provisioned()),
            budget=BudgetTold.of(bill, budget),
            own_machine=own_machine,
            prices=list(bill.prices()),
            left_out=list(bill.left_out()),
        )


def _spent(bill: Bill) -> dict[str, Any]:
    """Return the fields of what was used and cost, from when to when."""
    return {
        **_used(bill.use),
        "since": bill.since,
        "until": bill.until,
        "dollars": CostByPart(**bill.dollars()),
        "by_tool": [ToolCost.line(*each) for each in bill.dearest_first()],
    }


def _used(use: Use) -> dict[str, Any]:
    """Return the fields of what was used."""
    return {**use.units._asdict(), "calls": use.calls, "counted": use.units.calls}
