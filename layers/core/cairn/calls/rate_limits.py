"""Limit the rate of calls with token buckets in the table, from which each process takes tokens in advance.

A bucket is written only if nobody else has written it since it was read, so that all processes together never take
more than its burst and what time has added. What a process has taken it spends without asking; it takes more beside
the call that spends the half of them. Tokens that a process does not spend are lost with it: limits err that way only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from cairn.calls import layout
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import ConditionFailed, CorruptData, KeyUnusable, RateLimited, Unavailable
from cairn.ground.rates import Bucket
from cairn.ground.table import ABSENT, Equals, Key, Put, key_of

MOST_BUCKETS = 4096
"""How many buckets a process keeps tokens of; the tokens of those used longest ago are given up."""
_ATTEMPTS = 40
_EPOCH = datetime.fromtimestamp(0, UTC)
_LINGERING_SECONDS = 60


class RateLimits:
    """Spends the tokens that this process has taken in advance, and takes more."""

    def __init__(self, adapters: Adapters) -> None:
        """Start without a token."""
        self._adapters = adapters
        self._left: BoundedCache[Bucket, int] = BoundedCache(entries=MOST_BUCKETS)
        self._full_at: BoundedCache[Bucket, int] = BoundedCache(entries=MOST_BUCKETS)

    def take(
        self, buckets: Sequence[Bucket], beside: Callable[[], None], *, brief: bool = False
    ) -> Sequence[Callable[[], None]]:
        """Take a token of each bucket or raise RateLimited; return what renews them, to be called beside the work.

        Where the table has to be asked for tokens, `beside` is called at the same time, and alone where there are no
        rates. A `brief` call, which only reads, is held to what this process knows of a bucket while the table takes no
        writes.
        """
        if not buckets:
            beside()
        while missing := self._spend(buckets):
            self._adapters.parallel([*(partial(self._lease, bucket, brief=brief) for bucket in missing), beside])
        return [partial(self._renew, bucket, brief=brief) for bucket in buckets if self._is_half_spent(bucket)]

    def _spend(self, buckets: Sequence[Bucket]) -> Sequence[Bucket]:
        """Spend a token of each, or none and return which lack one."""
        with self._left.lock:
            missing = [bucket for bucket in buckets if not self._left.peek(bucket)]
            if not missing:
                for bucket in buckets:
                    self._add(bucket, -1)
            return missing

    def _is_half_spent(self, bucket: Bucket) -> bool:
        lease = bucket.rate.lease
        return lease > 1 and self._left.peek(bucket) == lease // 2

    def _renew(self, bucket: Bucket, *, brief: bool) -> None:
        with suppress(RateLimited, Unavailable):
            self._lease(bucket, brief=brief)

    def _lease(self, bucket: Bucket, *, brief: bool) -> None:
        """Take tokens of the bucket in the table; RateLimited where it has none."""
        rate, full_at = bucket.rate, self._full_at.peek(bucket) or 0
        for _ in range(_ATTEMPTS):
            now = (self._adapters.clock.now() - _EPOCH) // timedelta(microseconds=1)
            tokens = min(rate.lease, rate.tokens(full_at, now))
            if tokens < 1:
                raise _refusal(bucket, rate.wait(full_at, now))
            wanted = rate.full_at(full_at, now, tokens)
            try:
                self._put(_written(bucket, full_at, wanted, brief=brief))
            except ConditionFailed as lost:
                full_at = int((lost.item or {}).get("full_at", 0))
                self._full_at.put(bucket, full_at)
            else:
                self._full_at.put(bucket, wanted)
                self._add(bucket, tokens)
                return
        raise _refusal(bucket, 1)

    def _put(self, write: Put) -> None:
        try:
            self._adapters.table.put(write)
        except ConditionFailed as lost:
            if type((lost.item or {}).get("full_at", 0)) is int:
                raise
            self._put_anew(write)
        except CorruptData:
            self._put_anew(write)
        except Unavailable as error:
            if not write.brief or isinstance(error, KeyUnusable):
                raise

    def _put_anew(self, write: Put) -> None:
        """Put a bucket in place of one that is damaged; all that is lost with that is how full it was."""
        self._adapters.tally.damaged(key_of(write))
        self._adapters.table.put(replace(write, condition=None))

    def _add(self, bucket: Bucket, tokens: int) -> None:
        with self._left.lock:
            self._left.put(bucket, (self._left.peek(bucket) or 0) + tokens)


def _written(bucket: Bucket, full_at: int, wanted: int, *, brief: bool) -> Put:
    """Return the write of a bucket that nobody has written since; once full, it is as good as none."""
    where = Key(layout.rates_pk(bucket.tenant), layout.rate_sk(bucket.limit, bucket.name))
    expires_at = wanted // 1_000_000 + _LINGERING_SECONDS
    item = {"pk": where.pk, "sk": where.sk, "full_at": wanted, "expires_at": expires_at}
    return Put(item, Equals("full_at", full_at) if full_at else ABSENT, brief=brief)


def _refusal(bucket: Bucket, microseconds: int) -> RateLimited:
    details = {"limit": bucket.limit, "retry_after_ms": max(1, -(-microseconds // 1000))}
    return RateLimited(f"Too many calls of this {bucket.limit}; wait before the next", details)
