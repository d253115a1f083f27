"""A chain that was cut off is found by the heads that were kept outside of the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.calls import layout
from cairn.calls.audit import AuditLog
from cairn.calls.sealing import Sealer
from cairn.embedded.anchors import DirectoryAnchors
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.table import Delete, Key
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore, Settings
from cairn.tool.call import Call
from cairn.vault.vault import Vault
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.calls import ACME, HOUR, stored


class Failing(DirectoryAnchors):
    def put(self, tenant: Tenant, number: int, head: str) -> None:
        raise Unavailable(f"no answer for {tenant}, {number}, {head}")


def seal(call: Call, adapters: Adapters, clock: Any, anchors: DirectoryAnchors, turn: str) -> None:
    memory_after_turn.execute({**EXAMPLE, "turn_id": turn}, call)
    clock.advance(minutes=10)
    Sealer(adapters, Vault(adapters), anchors).seal(ACME, HOUR)


@pytest.mark.req("R309")
def test_digests_that_were_cut_off_with_their_records_are_found_by_the_anchored_heads(
    call: Call, adapters: Adapters, clock: Any, tmp_path: Path
) -> None:
    anchors = DirectoryAnchors(tmp_path / "anchors")
    log = AuditLog(adapters, Vault(adapters), anchors)
    for turn in ("t1", "t2"):
        seal(call, adapters, clock, anchors, turn)
    found = log.verify(ACME)
    assert (found.digests, list(found.findings)) == (2, [])

    adapters.table.delete(Delete(Key(layout.audit_pk(ACME), layout.digest_sk(2))))

    assert [(each.kind, each.what, each.name) for each in log.verify(ACME).findings] == [
        ("missing", "digest", found.head)
    ]
    assert len(log.verify(ACME, found.head).findings) == 1


@pytest.mark.req("R309")
def test_a_head_whose_sealer_could_not_keep_it_is_kept_by_the_next(
    call: Call, adapters: Adapters, clock: Any, tmp_path: Path
) -> None:
    anchors = DirectoryAnchors(tmp_path / "anchors")
    with pytest.raises(Unavailable):
        seal(call, adapters, clock, Failing(tmp_path), "t1")
    assert len(stored(adapters)) == 1

    Sealer(adapters, Vault(adapters), anchors).seal(ACME, HOUR)

    assert list(anchors.heads(ACME).values()) == [AuditLog(adapters, Vault(adapters)).verify(ACME).head]


def test_the_settings_say_where_heads_are_kept(tmp_path: Path) -> None:
    settings = Settings(memory_enabled=True, store=EmbeddedStore(directory=tmp_path))
    kept = replace(settings, anchors=str(tmp_path / "anchors"))

    assert Services(settings, EmbeddedWiring(EmbeddedStore(directory=tmp_path), settings)).anchors is None
    services = Services(kept, EmbeddedWiring(EmbeddedStore(directory=tmp_path), kept))
    assert isinstance(services.anchors, DirectoryAnchors)
