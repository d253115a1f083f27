from __future__ import annotations

from cairn.facts.facts import SAID
from cairn.facts.kinds import FACT_KINDS
from cairn.facts.markers import MARKERS
from cairn.statements.heads import KINDS


def test_every_kind_of_fact_that_can_be_stated_has_a_row_and_no_other() -> None:
    said = {f"{SAID}{kind}" for kind in (*KINDS, "project")}

    assert FACT_KINDS.keys() == {marker.fact_id for marker in MARKERS} | said
