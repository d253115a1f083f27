"""How well recall finds what answers a question: shares of questions, with 95 % intervals over conversations.

The data sets are files of Cairn's own format or LoCoMo's (Maharana et al. 2024), or directories of such. Each text is
stored by after_turn as a turn of its own, the log is indexed, and each question is put to recall as an agent would put
it. Facts that Cairn has drawn from the texts are in the same ranking; they are left out of it but in the rows that say
otherwise.

any@k: some text that is needed is among the first k; all@k: all are. session R@5: one of the first five sessions in the
ranking is right.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

import numpy as np

import report
from cairn.memories.model import RecalledItem
from cairn.recall import ranker
from cairn.recall.filter import SearchMode
from cairn.recall.ranker import SIGNALS, Tier, Weights
from recall_engine import DEPTH, MODEL, CachingEmbedder, StoredConversation, stored, text_id
from recall_metrics import MEASURES, Answered, interval, measured
from recall_rivals import Rival, bm25, dense
from recall_sets import FITTED_ON, HELD_OUT, Conversation, Question, data_option, read
from report import Cell, Table

MODES: Mapping[str, SearchMode] = {"words": "text", "words and meaning": "hybrid"}
_COLUMNS = ("n", *MEASURES)
_KEY = "any@10"
_BM25 = "BM25, plain"

Rankings: TypeAlias = Sequence[tuple[Conversation, Question, Sequence[str]]]


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    data_option(parser, (FITTED_ON, HELD_OUT))
    parser.add_argument("--ablate", action="store_true", help="leave out one signal after the other")
    parser.add_argument("--explain", type=int, default=0, metavar="N", help="explain what N questions found first")
    given = parser.parse_args()
    tables = [table for path in given.data for table in of_data(path, given.ablate, given.explain)]
    report.publish("recall", tables, given, seeds=(0,), libraries=("numpy", "onnxruntime"))


def of_data(path: Path, ablate: bool, explain: int) -> Iterator[Table]:  # noqa: FBT001 - switches of the command
    """Yield the tables of a data set."""
    conversations = read(path)
    embedder = CachingEmbedder(MODEL)
    with stored(conversations, embedder) as services:
        cairn = {name: rankings(services, conversations, mode) for name, mode in MODES.items()}
        rivals: Mapping[str, Callable[[Conversation], Rival]] = {
            _BM25: lambda conversation: bm25(conversation.texts),
            "MiniLM, plain": lambda conversation: dense(conversation.texts, embedder),
        }
        systems = {name: marked(_of_rival(conversations, make)) for name, make in rivals.items()}
        systems |= {f"Cairn, {name}": marked(texts_only(ranked)) for name, ranked in cairn.items()}
        systems |= {f"Cairn, {name}, facts in place": marked(ranked) for name, ranked in cairn.items()}
        yield overall(path.name, systems)
        kept = {_BM25: systems[_BM25], **{name: systems[f"Cairn, {name}"] for name in MODES}}
        yield by_kind(path.name, kept)
        yield below(path.name, systems[_BM25], {name: kept[name] for name in MODES})
        if ablate:
            yield ablation(path.name, services, conversations)
        if explain:
            yield from explanations(services, conversations, explain)


def rankings(
    services: Mapping[str, StoredConversation], conversations: Sequence[Conversation], mode: SearchMode
) -> Rankings:
    """Return what recall finds for every question."""
    return [
        (conversation, question, [text_id(each) for each in services[conversation.name].ranked(question, mode)])
        for conversation in conversations
        for question in conversation.questions
    ]


def overall(data: str, systems: Mapping[str, Sequence[Answered]]) -> Table:
    """Return how well each system does, over all questions and over those that are not adversarial."""
    rows: list[Sequence[Cell]] = []
    for of, chosen in _groups(next(iter(systems.values()))).items():
        for name, answers in systems.items():
            kept = [each for each in answers if chosen(each.kind)]
            low, high = interval(kept, _KEY)
            rows.append((f"{name}; {of}", *_means(kept), f"{100 * low:.1f} to {100 * high:.1f}"))
    note = f"In percent; of the first {DEPTH} that recall gives. The interval is of {_KEY}, over conversations."
    if data == FITTED_ON.name:
        note += " The ranker was fitted on these: bench/fit_ranker.py prints what cross-validation says of them."
    return Table(f"Recall on {data}", ("ranking", *_COLUMNS, "95 %"), rows, note)


def by_kind(data: str, systems: Mapping[str, Sequence[Answered]]) -> Table:
    """Return how well each system does on each kind of question."""
    rows: list[Sequence[Cell]] = []
    for name, answers in systems.items():
        for kind in sorted({each.kind for each in answers}):
            kept = _of_kind(answers, kind)
            low, high = interval(kept, _KEY)
            rows.append((f"{name}; {kind}", *_means(kept), f"{100 * low:.1f} to {100 * high:.1f}"))
    return Table(f"By kind of question, on {data}", ("ranking", *_COLUMNS, "95 %"), rows)


def below(data: str, plain: Sequence[Answered], systems: Mapping[str, Sequence[Answered]]) -> Table:
    """Return each measure by which plain BM25 does better than one of the systems, on all questions or on a kind."""
    groups = {"all": plain} | {kind: _of_kind(plain, kind) for kind in sorted({each.kind for each in plain})}
    rows: list[Sequence[Cell]] = []
    for name, answers in systems.items():
        for group, theirs in groups.items():
            ours = answers if group == "all" else _of_kind(answers, group)
            pairs = zip(MEASURES, _means(theirs)[1:], _means(ours)[1:], strict=True)
            rows += ((f"{name}; {group}", len(theirs), what, b, c) for what, b, c in pairs if b > c)
    note = "" if rows else "Nowhere, by no measure."
    return Table(f"Where plain BM25 does better, on {data}", ("ranking", "n", "measure", "BM25", "Cairn"), rows, note)


def ablation(data: str, services: Mapping[str, StoredConversation], conversations: Sequence[Conversation]) -> Table:
    """Return how well recall does where one signal counts for nothing."""
    rows: list[Sequence[Cell]] = []
    for name, mode in MODES.items():
        for signal in ("nothing", *SIGNALS):
            with without(signal):
                answers = marked(texts_only(rankings(services, conversations, mode)))
            rows.append((f"{name}; without {signal}", *_means(answers)))
    note = "The weights of a signal are set to nothing; the others stay as they were fitted beside it."
    return Table(f"Signals left out, on {data}", ("ranking", *_COLUMNS), rows, note)


def explanations(
    services: Mapping[str, StoredConversation], conversations: Sequence[Conversation], count: int
) -> Iterator[Table]:
    """Yield why the first three of what was found stand where they do, for questions spread over the data."""
    asked = [(conversation, question) for conversation in conversations for question in conversation.questions]
    for conversation, question in asked[:: max(1, len(asked) // count)][:count]:
        found = services[conversation.name].ranked(question, explain=True)[:3]
        rows = [(_shortened(each), round(each.score, 3), *_signals(each)) for each in found]
        note = "What each signal adds to the score that is compared, and the rank without it."
        yield Table(f"{conversation.name}: {question.text}", ("found", "share", *SIGNALS), rows, note)


def _signals(found: RecalledItem) -> Iterator[Cell]:
    if found.why is not None:
        for signal in SIGNALS:
            yield f"{found.why.signals[signal]:+.1f} ({found.why.rank_without[signal]})"


def _shortened(found: RecalledItem) -> str:
    return found.content if len(found.content) <= 90 else f"{found.content[:87]}..."  # noqa: PLR2004 - fits a line


@contextmanager
def without(signal: str) -> Generator[None]:
    """Let the features of a signal weigh nothing."""
    fitted, dropped = ranker.fitted, SIGNALS.get(signal, ())

    @cache
    def lighter(tier: Tier) -> Weights:
        whole = fitted(tier)
        kept = np.array([name not in dropped for name in whole.names], np.float32)
        return replace(whole, values=whole.values * kept)

    ranker.fitted = lighter
    try:
        yield
    finally:
        ranker.fitted = fitted


def _of_rival(conversations: Sequence[Conversation], make: Callable[[Conversation], Rival]) -> Rankings:
    return [
        (conversation, question, ranked(question.text)[:DEPTH])
        for conversation in conversations
        for ranked in [make(conversation)]
        for question in conversation.questions
    ]


def texts_only(ranked: Rankings) -> Rankings:
    """Leave facts out."""
    return [
        (conversation, question, [each for each in found if ":" not in each])
        for conversation, question, found in ranked
    ]


def marked(ranked: Rankings) -> list[Answered]:
    """Return how well each question is answered."""
    return [
        Answered(conversation.name, question.kind, measured(found, question.evidence))
        for conversation, question, found in ranked
    ]


def _groups(answers: Sequence[Answered]) -> Mapping[str, Callable[[str], bool]]:
    groups: dict[str, Callable[[str], bool]] = {"all": lambda _: True}
    if any(each.kind == "adversarial" for each in answers):
        groups = {"but adversarial": lambda kind: kind != "adversarial", **groups}
    return groups


def _of_kind(answers: Sequence[Answered], kind: str) -> list[Answered]:
    return [each for each in answers if each.kind == kind]


def _means(answers: Sequence[Answered]) -> Sequence[int | float]:
    return len(answers), *(round(100 * fmean(each.values[name] for each in answers), 1) for name in MEASURES)


if __name__ == "__main__":
    main()
