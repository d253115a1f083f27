"""Compaction: replace turns that no longer fit by one summary. It is deterministic, and the turns stay stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cairn.conversation.highlights import Highlights, highlights
from cairn.facts.facts import Fact, subject
from cairn.ground.attributes import moment, number
from cairn.ground.codec import rfc3339
from cairn.ground.session import ResponseItem
from cairn.ground.table import Attributes, Key, Scalar
from cairn.ground.trust import Trust
from cairn.log.entries import Chunk
from cairn.recall import block
from cairn.recall.block import Sign
from cairn.vault.vault import sealed_content

MAX_OF_A_KIND = 12
MAX_FACT_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Sums up all turns up to number `through`, and is trusted as the least trusted text in it.

    Facts are no part of it: one that changed or lapsed since must not come back with an old summary.
    """

    through: int
    turns: int
    highlights: Highlights
    trust: Trust = Trust.OUTSIDE

    def to_record(self) -> dict[str, Any]:
        """Return JSON values."""
        return {**self._told(), "trust": self.trust.label}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Summary:
        """Return what to_record() wrote."""
        return cls(
            through=record["through"],
            turns=record["turns"],
            highlights=Highlights.from_record(record),
            trust=Trust.of(record.get("trust", Trust.OUTSIDE.label)),
        )

    def item(self, facts: Sequence[Fact], sign: Sign) -> ResponseItem:
        """Return the summary and these facts as an item of the context, marked as untrusted memory."""
        known = [f"{subject(fact)}: {fact.value[:MAX_FACT_CHARACTERS]}" for fact in facts]
        return block.signed({"kind": "compact_summary", "untrusted": True, "facts": known, **self._told()}, sign)

    def _told(self) -> dict[str, Any]:
        return {"through": self.through, "turns": self.turns, **self.highlights.to_record()}


@dataclass(frozen=True, slots=True)
class StoredSummary:
    """A stored summary: its last turn, when it was made, and the attributes that hold it, sealed."""

    key: Key
    through: int
    at: datetime
    content: Attributes

    @classmethod
    def of(cls, item: Attributes) -> StoredSummary:
        """Return the summary that an item holds; CorruptData where it holds none."""
        return cls(Key.of(item), number(item, "through"), moment(item, "at"), sealed_content(item))

    def to_item(self) -> dict[str, Scalar]:
        """Return the item that is stored."""
        at = rfc3339(self.at)
        return {"pk": self.key.pk, "sk": self.key.sk, "through": self.through, "at": at, **self.content}


def compact(previous: Summary | None, chunks: Sequence[Chunk], through: int) -> Summary:
    """Return the summary of everything up to turn `through`: the previous one and the session's chunks after it."""
    after = previous.through if previous else 0
    new = [chunk for chunk in chunks if after < chunk.seq <= through]
    fresh = highlights([chunk.text for chunk in new], MAX_OF_A_KIND)
    return Summary(
        through=through,
        turns=through,
        highlights=previous.highlights.then(fresh, MAX_OF_A_KIND) if previous else fresh,
        trust=min([previous.trust if previous else Trust.USER, *(chunk.trust for chunk in new)]),
    )
