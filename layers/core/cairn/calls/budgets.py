"""Hold tenants to what their calls may cost in a month, as far as that is counted.

Whoever seals a tenant's audit log adds up its month and stores the sum, for tenants that have a budget. A process that
is to refuse calls reads the sum when it first serves the tenant, and again beside a call's work when it is a minute
old. So a budget is found spent late: by the time until records are sealed, and until units are told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

from cairn.calls.bill import Bill, Dollars, share_of
from cairn.calls.billing import Billing
from cairn.calls.layout import spent_key
from cairn.calls.record import day_of, month_of
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.bounded import BoundedCache
from cairn.ground.damage import MALFORMED
from cairn.ground.errors import BudgetSpent, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.settings import BudgetSettings
from cairn.ground.table import Attributes, Put, Scalar
from cairn.telemetry.record import note_budget

LIFETIME = timedelta(minutes=1)
"""For how long a process goes by a sum before it reads it again."""
_MOST_TENANTS = 4096
_NANO = 10**9


@dataclass(frozen=True, slots=True)
class Spent:
    """What a tenant's calls of a month cost, as they were last added up."""

    month: str = ""
    dollars: Decimal = Decimal()

    @classmethod
    def of(cls, bill: Bill) -> Spent:
        """Return what a bill comes to."""
        return cls(bill.month, Dollars.of(bill.use).total)

    @classmethod
    def stored(cls, item: Attributes | None) -> Spent:
        """Return what an item says; nothing was spent where there is none, or it makes no sense."""
        if item is not None:
            with suppress(*MALFORMED):
                return cls(text(item, "month"), Decimal(number(item, "nanodollars")) / _NANO)
        return cls()

    def to_item(self, tenant: Tenant) -> dict[str, Scalar]:
        """Return the item that is stored for the tenant."""
        where = spent_key(tenant)
        return {"pk": where.pk, "sk": where.sk, "month": self.month, "nanodollars": int(self.dollars * _NANO)}

    def share_of(self, budget: BudgetSettings, now: datetime) -> float:
        """Return what share of the budget is spent; none of that of another month, or where there is no budget."""
        return share_of(self.dollars, budget) if self.month == month_of(day_of(now)) else 0.0


class Budgets:
    """Adds up what is spent, and refuses calls of tenants that spent their budget, where they are to be refused."""

    def __init__(
        self, adapters: Adapters, of: Callable[[Tenant], BudgetSettings], billing: Callable[[], Billing]
    ) -> None:
        """Hold each tenant to the budget that `of` says."""
        self._adapters = adapters
        self._of = of
        self._billing = billing
        self._known: BoundedCache[Tenant, tuple[datetime, Spent]] = BoundedCache(entries=_MOST_TENANTS)

    def reckon(self, tenant: Tenant) -> None:
        """Add up and store what the tenant has spent this month, if it has a budget; note what share of it that is."""
        budget = self._of(tenant)
        if not budget.monthly_dollars:
            return
        spent = Spent.of(self._billing().bill(tenant))
        self._adapters.table.put(Put(spent.to_item(tenant)))
        share = spent.share_of(budget, self._adapters.clock.now())
        note_budget(share, is_warning=share >= budget.warning_share)

    def hold(self, tenant: Tenant) -> Sequence[Callable[[], None]]:
        """Raise BudgetSpent for a tenant that is to spend no more; return what is to be done beside the call's work."""
        budget = self._of(tenant)
        if not budget.holds_back:
            return ()
        known = self._known.get(tenant)
        if known is None:
            with suppress(Unavailable):
                self._read(tenant)
            known = self._known.get(tenant) or (datetime.fromtimestamp(0, UTC), Spent())
        read_at, spent = known
        now = self._adapters.clock.now()
        if spent.share_of(budget, now) >= 1:
            raise _refusal(budget, now)
        return () if read_at <= now < read_at + LIFETIME else (partial(self._read_again, tenant),)

    def _read_again(self, tenant: Tenant) -> None:
        with suppress(Unavailable):
            self._read(tenant)

    def _read(self, tenant: Tenant) -> None:
        found = self._adapters.table.get(spent_key(tenant))
        self._known.put(tenant, (self._adapters.clock.now(), Spent.stored(found)))


def _refusal(budget: BudgetSettings, now: datetime) -> BudgetSpent:
    begin = now.astimezone(UTC).replace(day=1)
    until = (begin + timedelta(days=32)).replace(day=1).date().isoformat()
    return BudgetSpent(
        f"This month's budget of ${budget.monthly_dollars:g} is spent: calls that write are refused until {until}, UTC;"
        " reading, forgetting, erasing and exporting go on",
        {"reason": "budget", "monthly_dollars": budget.monthly_dollars, "until": until},
    )
