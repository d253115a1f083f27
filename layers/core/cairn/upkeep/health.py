"""Check whether the stores behind this process answer, and what it has met of damage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CairnError, NotFound
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Key, Put

if TYPE_CHECKING:
    from cairn.ground.ports import Embedder
    from cairn.ground.settings import EmbeddingSettings

LIFETIME = timedelta(seconds=15)
WRITES_FAIL = "writes_fail"
"""The store takes no writes: its disk is full, or another process holds it."""
DAMAGE_MET = "damage_met"
"""A call or a job has met a damaged record since this process began."""
Status: TypeAlias = Literal["ok", "degraded", "unavailable"]
RecalledBy: TypeAlias = Literal["hybrid", "text"]
"""What recall goes by: words and meaning, or words alone."""
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


def status_of(stores: Mapping[str, bool], reasons: Sequence[str]) -> Status:
    """Return how well a service is of which these stores answer, and with which this is wrong."""
    if not all(well for name, well in stores.items() if name != "writes"):
        return "unavailable"
    return "degraded" if reasons else "ok"


def recalled_by(chosen: EmbeddingSettings, embedder: Callable[[], Embedder | None], *, own_disk: bool) -> RecalledBy:
    """Return what recall goes by: by words alone where no embedding model is chosen, or found."""
    if chosen.embedder == "none":
        return "text"
    # In AWS the model is in the layer of the functions that recall, where the template has put it.
    return "text" if own_disk and embedder() is None else "hybrid"
