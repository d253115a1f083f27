"""Check whether the stores behind this process answer, and what it has met of damage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CairnError, NotFound
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Key, Put

LIFETIME = timedelta(seconds=15)
WRITES_FAIL = "writes_fail"
"""The store takes no writes: its disk is full, or another process holds it."""
DAMAGE_MET = "damage_met"
"""A call or a job has met a damaged record since this process began."""
_PROBE = Tenant("healthz")
_ABSENT_BLOB = Digest("0" * 64)


@dataclass(frozen=True, slots=True)
class _Seen:
    stores: Mapping[str, bool]
    until: datetime


class Health:
    """Checks table, bucket and key; caches the result for 15 seconds: anyone may ask, and the key costs per use.

    Where the disk is this machine's, it also checks that something can be written.
    """

    def __init__(self, adapters: Adapters) -> None:
        """Ask these adapters."""
        self._adapters = adapters
        self._seen: _Seen | None = None

    def stores(self) -> Mapping[str, bool]:
        """Return whether "table", "blobs" and "key" answer, and on one machine whether any "writes" are taken."""
        now = self._adapters.clock.now()
        if self._seen is None or not self._seen.until - LIFETIME <= now < self._seen.until:
            probes = {"table": Pending(self._table), "blobs": Pending(self._blobs), "key": Pending(self._key)}
            if self._adapters.own_disk:
                probes["writes"] = Pending(self._writes)
            self._adapters.parallel(list(probes.values()))
            self._seen = _Seen({name: probe.result for name, probe in probes.items()}, now + LIFETIME)
        return self._seen.stores

    def reasons(self) -> list[str]:
        """Return why the service is not as well as it should be, although it answers."""
        stores, met = self.stores(), self._adapters.tally.damage_met
        found = {WRITES_FAIL: not stores.get("writes", True), DAMAGE_MET: bool(met)}
        return [name for name, is_so in found.items() if is_so]

    def _writes(self) -> bool:
        probe = Put({"pk": f"{_PROBE}#{_PROBE}", "sk": _PROBE}, brief=True)
        return _answers(lambda: self._adapters.table.put(probe)) and _answers(
            lambda: self._adapters.blobs.put(_PROBE, _PROBE.encode())
        )

    def _table(self) -> bool:
        return _answers(lambda: self._adapters.table.get(Key(_PROBE, _PROBE)))

    def _blobs(self) -> bool:
        return _answers(lambda: self._adapters.blobs.get(_PROBE, _ABSENT_BLOB))

    def _key(self) -> bool:
        return _answers(lambda: self._adapters.keys.generate(_PROBE))


def _answers(call: Callable[[], object]) -> bool:
    try:
        call()
    except CairnError as error:
        return isinstance(error, NotFound)  # which is an answer, and of an absent blob the one to expect
    return True
