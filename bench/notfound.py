"""How well Cairn knows that memory holds no answer, on conversations in Cairn's own format or LoCoMo's.

Each log is asked its own questions and those of other conversations: as they are put, and with this log's names in
them. The likelihood of recall's answer is held against the best score of plain BM25, and against the raw score of the
best result alone. Calibration: of as many questions with an answer as without, what is called so likely has one so
often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

import report
from cairn.recall.filter import SearchMode
from cairn.recall.likelihood import Likelihood
from notfound_metrics import Numbers, area, rejected
from recall_engine import MODEL, CachingEmbedder, stored
from recall_rivals import best_bm25
from recall_sets import HELD_OUT, data_option, read
from report import Cell, Table
from unanswerable import Put, merged, put, sessions, whole

MODES: tuple[tuple[str, SearchMode], ...] = (("words", "text"), ("words and meaning", "hybrid"))
GROUPS = ("another's", "another's, renamed", "wrong person", "adversarial")
MOST = 60
KEPT = 0.95
_BINS = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.001)


class Asked:
    """A question, what the log says of it by each mode, and what plain BM25 does."""

    def __init__(self, asked: Put, said: Sequence[tuple[Likelihood, float]], bm25: float) -> None:
        """Hold the likelihood and the best raw score of each mode."""
        self.put = asked
        self.said = [each for each, _ in said]
        self.raw = [score for _, score in said]
        self.bm25 = bm25


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    data_option(parser, (HELD_OUT,))
    parser.add_argument("--most", type=int, default=MOST, help="how many questions of others each log is asked")
    given = parser.parse_args()
    tables = [table for path in given.data for table in of_data(path, given.most)]
    report.publish("notfound", tables, given, seeds=(0,), libraries=("numpy", "onnxruntime"))


def of_data(path: Path, most: int) -> Iterator[Table]:
    """Yield the tables of a data set."""
    asked = list(measured(path, most))
    yield from (told(path.name, asked), by_size(path.name, asked), calibration(path.name, asked))


def measured(path: Path, most: int) -> Iterator[Asked]:
    """Ask each conversation, some of their sessions, and half of them together."""
    conversations = read(path)
    logs = [*whole(conversations), *sessions(conversations, 4)]
    if len(conversations) > 1:
        logs.append(merged(conversations[::2], "together", "many conversations"))
    with stored([each.conversation for each in logs], CachingEmbedder(MODEL)) as engine:
        for log in logs:
            bm25 = best_bm25(log.conversation.texts)
            for each in put(log, conversations, max(1, most // 4) if log.size == "a session" else most):
                said: list[tuple[Likelihood, float]] = []
                for _, mode in MODES:
                    with engine[log.conversation.name].answering(each.question, mode) as answer:
                        said.append((answer.likelihood, max(hit.score for hit in answer.scored())))
                yield Asked(each, said, bm25(each.question.text))


def told(data: str, asked: Sequence[Asked]) -> Table:
    """Return how many unanswerable questions are told from those that whole conversations can answer."""
    asked = [each for each in asked if each.put.log.size == "a conversation"]
    rows: list[Sequence[Cell]] = []
    for place, (mode, _) in enumerate(MODES):
        for name, numbers in (
            ("BM25, its best score", [each.bm25 for each in asked]),
            (f"raw score, {mode}", [each.raw[place] for each in asked]),
            (f"likelihood, {mode}", [each.said[place].value for each in asked]),
        ):
            if place == 0 or not name.startswith("BM25"):
                rows += ((name, *cells) for cells in _against(asked, np.array(numbers)))
        rows += ((f"as recall says it, {mode}", *cells) for cells in _said(asked, place))
    note = (
        f"In percent: told where {100 * KEPT:.0f} % of the answerable are kept; as recall says it: what is kept then."
    )
    return Table(
        f"Unanswerable questions told, on {data}", ("by", "unanswerable", "n", "AUC", "told", "kept"), rows, note
    )


def _against(asked: Sequence[Asked], numbers: Numbers) -> Iterator[Sequence[Cell]]:
    right = numbers[[each.put.group == "answerable" for each in asked]]
    for group in GROUPS:
        wrong = numbers[[each.put.group == group for each in asked]]
        if len(wrong):
            yield group, len(wrong), round(area(right, wrong), 3), round(100 * rejected(right, wrong, KEPT), 1), 95.0


def _said(asked: Sequence[Asked], place: int) -> Iterator[Sequence[Cell]]:
    answerable = [each.said[place] for each in asked if each.put.group == "answerable"]
    kept = round(100 * float(np.mean([each.is_likely for each in answerable])), 1)
    fitting = [each.is_likely and not each.by_another for each in answerable]
    for group in GROUPS:
        said = [each.said[place] for each in asked if each.put.group == group]
        if said:
            yield group, len(said), "", round(100 * float(np.mean([not each.is_likely for each in said])), 1), kept
            of_another = [not each.is_likely or each.by_another for each in said]
            shares = (round(100 * float(np.mean(each)), 1) for each in (of_another, fitting))
            yield f"{group}; or who said it", len(said), "", *shares


def by_size(data: str, asked: Sequence[Asked]) -> Table:
    """Return the same by the size of the log, as likelihood tells it."""
    rows: list[Sequence[Cell]] = []
    for size in dict.fromkeys(each.put.log.size for each in asked):
        for place, (mode, _) in enumerate(MODES):
            here = [each for each in asked if each.put.log.size == size]
            texts = np.mean([len(each.put.log.conversation.texts) for each in here])
            numbers = np.array([each.said[place].value for each in here])
            for group, count, area_, share, _kept in _against(here, numbers):
                if group == GROUPS[0]:
                    own = np.mean([each.said[place].is_likely for each in here if each.put.group == "answerable"])
                    rows.append(
                        (f"{size}; {mode}", round(float(texts)), count, area_, share, round(100 * float(own), 1))
                    )
    columns = ("log", "texts", "n", "AUC", "told at 95 % kept", "kept as recall says it")
    return Table(f"Questions of other conversations, by size of the log, on {data}", columns, rows)


def calibration(data: str, asked: Sequence[Asked]) -> Table:
    """Return how often what is called so likely has an answer, both sides counted alike in logs of each size."""
    rows: list[Sequence[Cell]] = []
    for place, (mode, _) in enumerate(MODES):
        for size in dict.fromkeys(each.put.log.size for each in asked):
            here = [each for each in asked if each.put.log.size == size and each.put.group in {"answerable", GROUPS[0]}]
            own = np.array([each.put.group == "answerable" for each in here])
            value = np.array([each.said[place].value for each in here])
            worth = np.where(own, 0.5 / max(1, own.sum()), 0.5 / max(1, (~own).sum()))
            for low, high in pairwise(_BINS):
                within = (value >= low) & (value < high)
                if worth[within].sum() > 0:
                    called, was = (float(np.average(each[within], weights=worth[within])) for each in (value, own))
                    rows.append(
                        (
                            f"{size}; {mode}",
                            f"{low:.1f} to {min(high, 1):.1f}",
                            int(within.sum()),
                            round(called, 2),
                            round(was, 2),
                        )
                    )
    return Table(f"Calibration of the likelihood, on {data}", ("log", "called", "n", "mean", "answerable"), rows)


if __name__ == "__main__":
    main()
