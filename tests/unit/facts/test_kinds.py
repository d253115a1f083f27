from __future__ import annotations

from cairn.facts.kinds import FACT_KINDS
from cairn.facts.markers import MARKERS


def test_every_kind_of_fact_that_can_be_stated_has_a_row_and_no_other() -> None:
    assert FACT_KINDS.keys() == {marker.fact_id for marker in MARKERS}
