"""Check whether the stores behind this process answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CairnError, NotFound
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Key

LIFETIME = timedelta(seconds=15)
_PROBE = Tenant("healthz")
_ABSENT_BLOB = Digest("0" * 64)


@dataclass(frozen=True, slots=True)
class _Seen:
    stores: Mapping[str, bool]
    until: datetime


class Health:
    """Checks table, bucket and key; caches the result for 15 seconds: anyone may ask, and the key costs per use."""

    def __init__(self, adapters: Adapters) -> None:
        """Ask these adapters."""
        self._adapters = adapters
        self._seen: _Seen | None = None

    def stores(self) -> Mapping[str, bool]:
        """Return for "table", "blobs" and "key" whether it answers."""
        now = self._adapters.clock.now()
        if self._seen is None or self._seen.until <= now:
            probes = {"table": Pending(self._table), "blobs": Pending(self._blobs), "key": Pending(self._key)}
            self._adapters.parallel(list(probes.values()))
            self._seen = _Seen({name: probe.result for name, probe in probes.items()}, now + LIFETIME)
        return self._seen.stores

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
