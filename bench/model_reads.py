"""What it costs to have a language model read turns: one call a turn, or one call for many that are stored.

No model is asked. The stories of data/talk are told to a memory, in sessions of a hundred turns, and in the model's
place stands what answers with the labels: for each labelled statement that it is shown, a fact with the sentence as
quote and value, so that the believed facts that later requests show grow as they would. The tokens are those of the
real requests and of these answers, by Cairn's own estimate.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from cairn.conversation.items import message
from cairn.conversation.token_count import count
from cairn.conversation.turns import Completion
from cairn.facts.proposals import FactQuestion, Proposals, request
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.settings import HeuristicSettings, MemorySettings
from cairn.turns.after_turn import commit
from cairn.turns.batches import MOST_TURNS
from over_adapters import services_over
from prices import PRICES, dollars
from recall_engine import TENANT, StoryClock, open_adapters
from report import Cell, Table
from talk_sets import CHATS, DATA

TURNS = 1000
LENGTH = 100
WAITING = (5, 20, MOST_TURNS)
"""How many turns wait when maintenance comes."""
_A_MINUTE, _AN_HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn of a story, and what it states that lasts, each as (kind, name, sentence)."""

    said: str
    states: tuple[tuple[str, str, str], ...]


class LabelReader:
    """Answers as one who finds each labelled statement, and counts what it is asked and says."""

    def __init__(self, turns: Sequence[Spoken]) -> None:
        """Know what these turns state."""
        self._states = {state for turn in turns for state in turn.states}
        self.calls = self.input_tokens = self.output_tokens = 0

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        """Return what is stated in what is shown, and not believed yet."""
        known = {fact.key for fact in question.believed}
        found = [
            {"fact_id": kind, "key": name, "value": said, "tier": "L0", "confidence": 0.9, "quote": said}
            for kind, name, said in sorted(self._states)
            if name not in known and any(said in text for text in question.said)
        ]
        answer = {"upserts": found, "deletes": []}
        self.calls += 1
        self.input_tokens += _asked_tokens(question, settings)
        self.output_tokens += count(json.dumps(answer, ensure_ascii=False))
        return question.accepted(answer)


def table(turns: int = TURNS) -> Table:
    """Return calls, tokens and dollars of reading so many turns in each way."""
    told = list(islice(_spoken(), turns))
    ways = [("turns", 1), *(("batches", waiting) for waiting in WAITING)]
    rows = [_row(f"{reads}, {waiting} waiting" if waiting > 1 else reads, told, waiting) for reads, waiting in ways]
    columns = (
        "heuristic.reads",
        "calls",
        "tokens in",
        "tokens out",
        "facts kept",
        "dollars",
        "dollars a million turns",
    )
    into, out = PRICES["model_input_token"], PRICES["model_output_token"]
    note = (
        f"{turns:,} turns of {sum(len(each.said) for each in told) // turns} characters on the mean, in sessions of "
        f"{LENGTH}; {sum(len(each.states) for each in told)} labelled statements. At ${into.dollars} a million tokens "
        f"in and ${out.dollars} out ({into.source}, {into.dated}), without prices for cached tokens. The answers are "
        "the labels, not a model's: what a model thinks before it answers comes on top."
    )
    return Table(f"What it costs to have a language model read {turns:,} turns", columns, rows, note)


def _row(name: str, told: Sequence[Spoken], waiting: int) -> Sequence[Cell]:
    clock, reader = StoryClock(), LabelReader(told)
    with (
        tempfile.TemporaryDirectory() as directory,
        open_adapters(Path(directory), clock, Path(":memory:")) as adapters,
    ):
        facts = sum(_tell(adapters, number, those, reader, waiting) for number, those in enumerate(_sessions(told)))
    spent = dollars({"model_input_token": reader.input_tokens, "model_output_token": reader.output_tokens})
    of_million = round(spent * 1_000_000 / len(told))
    return (name, reader.calls, reader.input_tokens, reader.output_tokens, facts, round(spent, 4), of_million)


def _sessions(told: Sequence[Spoken]) -> list[Sequence[Spoken]]:
    return [told[start : start + LENGTH] for start in range(0, len(told), LENGTH)]


def _tell(adapters: Adapters, number: int, turns: Sequence[Spoken], reader: LabelReader, waiting: int) -> int:
    """Tell turns in a session of a user of its own, and return how many facts of the reader were kept."""
    reads = "turns" if waiting == 1 else "batches"
    heuristic = HeuristicSettings(enabled=True, reads=reads, base_url="https://models.example.com")
    services = services_over(adapters, MemorySettings(heuristic=heuristic))
    vars(services).update(fact_model=reader)
    session, user = Session(TENANT, Project("reads"), SessionId(f"session-{number}")), UserId(f"user-{number}")
    for place, turn in enumerate(turns, 1):
        adapters.clock.sleep(_A_MINUTE.total_seconds())
        said, answered = message("user", turn.said), message("assistant", "Noted.", "output_text")
        name = TurnId(f"turn-{place}")
        commit(services, session, Completion(turn_id=name, inputs=(said,), outputs=(answered,), user_id=user))
        if waiting > 1 and (place % waiting == 0 or place == len(turns)):
            adapters.clock.sleep(_AN_HOUR.total_seconds())
            services.maintenance.run(session)
    with services.log.view(TENANT, session.project, f"u:{user}") as view:
        return sum(":" in fact.key for fact in view.facts(adapters.clock.now(), None))


def _spoken() -> Iterator[Spoken]:
    """Yield the turns of English stories told to an assistant, one story after the other."""
    for path in sorted(DATA.glob("*/*.json")):
        record: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if record["language"] != "en" or path.parent.name in CHATS:
            continue
        for number, said in enumerate(record["turns"]):
            labels = [each for each in record["statements"] if each["turn"] == number]
            name = f"{path.parent.name}/{path.stem}"
            yield Spoken(
                said, tuple((f"told_{each['kind']}", f"{name}:{each['id']}", each["quote"]) for each in labels)
            )


def _asked_tokens(question: FactQuestion, settings: HeuristicSettings) -> int:
    """Return how many tokens a request's instructions, data and tool have."""
    body = json.loads(request(question, settings))
    [part] = body["input"][0]["content"]
    return count(body["instructions"]) + count(part["text"]) + count(json.dumps(body["tools"], ensure_ascii=False))
