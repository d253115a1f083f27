"""What each embedder finds of memories that are not English, and of memories in another language than the question.

Memories are Cairn's own conversations and, with ordinary turns between, the development stories of bench/truth that
are not in English; questions of a story ask for the turn that told a fact last. Those in another language than the
memories were written for this: six of each conversation in bench/data/recall/fit are put in German, Spanish, French,
Italian, Portuguese, Dutch or Polish, and those of the stories in English. The ranker was fitted on the former
conversations with their English questions, and on nothing else here.

any@k: some text that is needed is among the first k; the ranking is of texts alone. placed: some of it stands in what
before_turn prepares in a new conversation.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import report
from cairn.recall.filter import SearchMode
from context import placed_by
from recall_engine import StoredConversation, embedders, stored, text_id
from recall_metrics import measured
from recall_sets import Conversation, Question, Text, read
from report import Cell, Table
from truth_sets import Sitting, Story, fillers, stories

DATA = Path(__file__).parent / "data"
ACROSS = "cross-language"
ROWS: Mapping[str, tuple[str, SearchMode]] = {
    "words alone": ("minilm", "text"),
    "minilm": ("minilm", "hybrid"),
    "multilingual": ("multilingual", "hybrid"),
}
MEASURES = ("any@5", "any@10", "all@10", "MRR", "placed")
COLUMNS = ("memories and questions", "embedder", "n")
_FILLERS = 120
_MINUTE = timedelta(minutes=1)
_LATIN = {"de", "es", "fr", "it", "pt"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question: measures of the ranking, and whether evidence stands in the context."""

    group: str
    values: Mapping[str, float]


def main() -> None:
    """Print the table."""
    given = report.options(__doc__).parse_args()
    of_others = json.loads((DATA / "languages.json").read_text("utf-8"))
    conversations = [
        *(_asked_across(each, of_others["conversations"].get(each.name, ())) for each in read(DATA / "recall/fit")),
        *read(DATA / "recall/asked"),
        *(_told(each, of_others["stories"][each.name]) for each in stories(held_out=False) if each.language != "en"),
    ]
    found: dict[str, list[Answer]] = {}
    for embedder in dict.fromkeys(name for name, _ in ROWS.values()):
        with stored(conversations, embedders()[embedder]) as engines:
            for row, (name, mode) in ROWS.items():
                if name == embedder:
                    found[row] = list(answers(conversations, engines, mode))
    report.publish("languages", [table(found)], given, libraries=("numpy", "onnxruntime"))


def answers(
    conversations: Sequence[Conversation], engines: Mapping[str, StoredConversation], mode: SearchMode
) -> Iterator[Answer]:
    """Yield what came of every question; what is placed is found by words and meaning."""
    for conversation in conversations:
        engine = engines[conversation.name]
        for question in conversation.questions:
            ranked = [name for each in engine.ranked(question, mode) if ":" not in (name := text_id(each))]
            values = measured(ranked, question.evidence)
            if mode != "text":
                values["placed"] = float(not question.evidence.isdisjoint(placed_by(engine.prepared(question))))
            yield Answer(_group(conversation, question), values)


def table(found: Mapping[str, Sequence[Answer]]) -> Table:
    """Return how well each embedder does on each group of questions."""
    rows: list[Sequence[Cell]] = []
    for group in sorted({each.group for each in next(iter(found.values()))}):
        for name, answered in found.items():
            of = [each.values for each in answered if each.group == group]
            shares = [_percent([each[measure] for each in of if measure in each]) for measure in MEASURES]
            rows.append((group, name, len(of), *shares))
    return Table("Memories and questions in many languages", (*COLUMNS, *MEASURES), rows, "In percent.")


def _percent(values: Sequence[float]) -> float | None:
    return round(100 * fmean(values), 1) if values else None


def _group(conversation: Conversation, question: Question) -> str:
    of = "stories" if conversation.name.startswith("story-") else "conversations"
    if question.kind == ACROSS:
        return f"{of}, question in another language"
    if conversation.language == "en":
        return f"{of} in English"
    return f"{of} in {'another language' if conversation.language in _LATIN else 'another script'}"


def _asked_across(conversation: Conversation, asked: Sequence[Mapping[str, Any]]) -> Conversation:
    """Return a conversation with questions in other languages alone; "of" is the place of the English question."""
    across = [replace(conversation.questions[int(each["of"])], text=str(each["text"]), kind=ACROSS) for each in asked]
    return replace(conversation, questions=tuple(across))


def _told(story: Story, in_english: Sequence[str]) -> Conversation:
    """Return a story as a conversation, with ordinary turns after each sitting."""
    ordinary = fillers(story.language)
    random.Random(story.name).shuffle(ordinary)  # noqa: S311 - the same turns every time
    sittings = len(story.sittings)
    texts: list[Text] = []
    told_in: dict[str, str] = {}
    for number, sitting in enumerate(story.sittings):
        texts += _said(f"{2 * number + 1}", sitting, texts[-1].at if texts else sitting.at)
        told_in |= {turn.id: f"{2 * number + 1}.{2 * place + 1}" for place, turn in enumerate(sitting.turns)}
        some = Sitting(sitting.at + timedelta(days=1), tuple(ordinary[:_FILLERS][number::sittings]))
        texts += _said(f"{2 * number + 2}", some, texts[-1].at)
    last = {fact.id: frozenset({told_in[fact.states[-1].turn]}) for fact in story.facts}
    questions = [Question(each.ask, "", last[each.fact]) for each in story.queries]
    questions += [Question(ask, ACROSS, last[each.fact]) for each, ask in zip(story.queries, in_english, strict=True)]
    return Conversation(f"story-{story.name}", story.language, tuple(texts), tuple(questions))


def _said(session: str, sitting: Sitting, after: datetime) -> Iterator[Text]:
    at = max(sitting.at, after)
    for place, turn in enumerate(sitting.turns):
        for part, (speaker, said) in enumerate((("user", turn.user), ("assistant", turn.assistant)), 1):
            at += _MINUTE
            yield Text(f"{session}.{2 * place + part}", session, at, speaker, said)


if __name__ == "__main__":
    main()
