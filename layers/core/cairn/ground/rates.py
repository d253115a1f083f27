"""Token buckets as a single number: the time, in microseconds since 1970 UTC, at which a bucket is full again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Literal, TypeAlias

from cairn.ground.ids import Tenant
from cairn.ground.settings import SKEW, RateSettings

Limit: TypeAlias = Literal["tenant", "tool", "namespace"]
_LEASES_OF_A_BURST = 50


@dataclass(frozen=True, slots=True)
class Rate:
    """A number of tokens a second on average, and at most `burst` at once."""

    per_second: float
    burst: int

    @property
    def lease(self) -> int:
        """Return how many tokens a process takes at a time: few beside the burst, one where that is small."""
        return max(1, self.burst // _LEASES_OF_A_BURST)

    def tokens(self, full_at: int, now: int) -> int:
        """Return how many tokens there are now in a bucket that is full at that moment."""
        return (self.burst * self._interval - self._until_full(full_at, now)) // self._interval

    def full_at(self, full_at: int, now: int, taken: int) -> int:
        """Return when the bucket is full again after so many tokens were taken."""
        return now + self._until_full(full_at, now) + taken * self._interval

    def wait(self, full_at: int, now: int) -> int:
        """Return in how many microseconds there is a token, 0 where there is one now."""
        return max(self._until_full(full_at, now) - (self.burst - 1) * self._interval, 0)

    def _until_full(self, full_at: int, now: int) -> int:
        """Return the microseconds until then, none where they are more than a bucket takes that is quite empty.

        Such a moment was written by a clock that ran ahead, and would lock the tenant out for as long.
        """
        left = max(full_at - now, 0)
        return left if left <= self.burst * self._interval + SKEW // timedelta(microseconds=1) else 0

    @property
    def _interval(self) -> int:
        return ceil(1_000_000 / self.per_second)


@dataclass(frozen=True, slots=True)
class Bucket:
    """A tenant's bucket: the kind and the name of what it limits, and its rate."""

    tenant: Tenant
    limit: Limit
    name: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of a deployment; `tools` has those of tools with rates of their own."""

    settings: RateSettings
    tools: Mapping[str, Rate]

    def buckets(self, tenant: Tenant, tool: str, namespace: str | None) -> Sequence[Bucket]:
        """Return the buckets of which a call takes a token each; a rate of 0 has none."""
        given = self.settings
        common = Rate(given.tool_per_second, given.tool_burst)
        buckets = [
            Bucket(tenant, "tenant", "", Rate(given.tenant_per_second, given.tenant_burst)),
            Bucket(tenant, "tool", tool, self.tools.get(tool, common)),
        ]
        if namespace is not None:
            rate = Rate(given.namespace_per_second, given.namespace_burst)
            buckets.append(Bucket(tenant, "namespace", namespace, rate))
        return [each for each in buckets if each.rate.per_second]
