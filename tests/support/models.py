"""A language model that says what a test wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cairn.facts.proposals import FactQuestion, Proposals
from cairn.ground.errors import ModelFailed
from cairn.ground.settings import HeuristicSettings

Deletes = Callable[[FactQuestion], list[Any]]


def upsert(said: str, **fields: Any) -> dict[str, Any]:
    return {
        "fact_id": "user_pet",
        "key": "cat",
        "value": "Tom",
        "tier": "L0",
        "confidence": 0.7,
        "quote": said,
    } | fields


class FakeModel:
    """A model that proposes what a test says, keeps what it was asked, and lets the test look around meanwhile."""

    def __init__(self, *upserts: Mapping[str, Any], deletes: Deletes = lambda _: [], fails: bool = False) -> None:
        self.upserts = list(upserts)
        self.deletes = deletes
        self.fails = fails
        self.asked: list[FactQuestion] = []
        self.settings: list[HeuristicSettings] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        self.asked.append(question)
        self.settings.append(settings)
        self.meanwhile()
        if self.fails:
            raise ModelFailed("no answer: TimeoutError")
        return question.accepted({"upserts": self.upserts, "deletes": self.deletes(question)})
