"""What a log keeps of memories and of their ends, and how a memory is told among facts."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.facts.facts import subject
from cairn.ground.errors import CorruptData
from cairn.ground.ids import SessionId
from cairn.log.memories import Ending, Memory, ending_of
from support.log import NOW

ENDED: dict[str, Any] = {
    "id": "m1",
    "at": "2026-03-01T12:00:00Z",
    "session": "monday",
    "reason": None,
    "replacement": None,
}


def test_a_memory_among_facts_is_of_its_type_in_words() -> None:
    memory = Memory(
        id="m1",
        type="coding_standard",
        content="Indent with tabs.",
        confidence=1,
        rationale=None,
        scope="project",
        session_id=SessionId("monday"),
        user_id=None,
        recorded_at=NOW,
    )
    assert (subject(memory.as_fact()), memory.as_fact().value) == ("coding standard", "Indent with tabs.")


def test_an_ending_is_read_as_it_was_stored() -> None:
    assert ending_of(ENDED) == Ending(id="m1", at=NOW, session_id=SessionId("monday"))


@pytest.mark.parametrize("damage", [{"at": "yesterday"}, {"at": None}])
def test_a_malformed_ending_is_damage(damage: dict[str, Any]) -> None:
    with pytest.raises(CorruptData):
        ending_of({**ENDED, **damage})
    with pytest.raises(CorruptData):
        ending_of({name: value for name, value in ENDED.items() if name not in damage})
