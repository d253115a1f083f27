"""Key-value memory, as many change it."""

from __future__ import annotations

from cairn.ground.errors import NotFound
from cairn.ground.ids import Tenant
from cairn.keyvalue.model import Place
from cairn.keyvalue.store import KeyValue


def confirm(memory: KeyValue, tenant: Tenant) -> None:
    for each in memory.collection.recount(tenant):
        assert each.kept == each.counted, each.namespace


def removed(memory: KeyValue, place: Place) -> bool:
    try:
        memory.delete(place)
    except NotFound:
        return False
    return True
