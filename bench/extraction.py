"""How well facts are found by rule: precision and recall on the labelled statements of data/statements.jsonl.

A line of the set is a text, what is hard about it (`trait`), its half and its facts, most often none; a profile
attribute says what it is `about`, and `retracts` marks what no longer holds. The rules are changed by what the
development half shows; nobody reads the held-out one.

A fact is right if its kind, what it is about and its value are the label's; of values, case counts, but outer
punctuation and a leading "a", "the" or "to" do not. What a text says twice of one thing counts as it says it last.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import model_reads
import report
from cairn.facts.extraction import extract
from cairn.facts.facts import Candidate, identity
from report import Table

STATEMENTS = Path(__file__).parent / "data/statements.jsonl"
HALVES = ("development", "held-out")
_LEADING = re.compile(r"\A(?:an?|the|to) ", re.IGNORECASE)


class Stated(NamedTuple):
    """What a text states, in the form in which it is compared; `about` tells profile attributes apart."""

    kind: str
    about: str
    value: str
    retracts: bool

    def __str__(self) -> str:
        """Return it as one reads it: "not" is said of what no longer holds."""
        about = f" ({self.about})" if self.about else ""
        return f"{'not ' if self.retracts else ''}{self.kind}{about}: {self.value}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A labelled text; `trait` says what is hard about it."""

    half: str
    trait: str
    text: str
    facts: frozenset[Stated]


@dataclass(frozen=True, slots=True)
class Score:
    """How many facts were found rightly, found at all, and labelled."""

    right: int = 0
    found: int = 0
    labelled: int = 0

    def __add__(self, other: Score) -> Score:
        """Return the score of both together."""
        return Score(self.right + other.right, self.found + other.found, self.labelled + other.labelled)

    @property
    def precision(self) -> float:
        """The share of what was found that is right, 1 if nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of the labels that was found, 1 if there are none."""
        return self.right / self.labelled if self.labelled else 1.0


def main() -> None:
    """Print a table for each half and, beside both, what a language model would cost."""
    options = report.options(__doc__)
    options.add_argument("--half", choices=HALVES, help="measure this half only")
    options.add_argument("-v", "--verbose", action="store_true", help="list what is wrong")
    chosen = options.parse_args()
    halves = {half: [s for s in statements() if s.half == half] for half in ([chosen.half] if chosen.half else HALVES)}
    if chosen.verbose:
        for labelled in halves.values():
            _print_wrong(labelled)
    tables = [_table(half, labelled) for half, labelled in halves.items()]
    report.publish("extraction", tables if chosen.half else [*tables, model_reads.table()], chosen)


def statements() -> list[Statement]:
    """Return the labelled set."""
    return [_statement(json.loads(line)) for line in STATEMENTS.read_text("utf-8").splitlines()]


def found(text: str) -> frozenset[Stated]:
    """Return what the rules find in a text."""
    candidates = extract([("event", text)])
    last = {identity(candidate): candidate for candidate in candidates if not candidate.retracts}
    return frozenset(map(_stated, [*last.values(), *(c for c in candidates if c.retracts)]))


def scores(labelled: Iterable[Statement]) -> dict[str, Score]:
    """Return the score of each kind, by name."""
    right, got, wanted = Counter[str](), Counter[str](), Counter[str]()
    for statement in labelled:
        facts = found(statement.text)
        right.update(fact.kind for fact in facts & statement.facts)
        got.update(fact.kind for fact in facts)
        wanted.update(fact.kind for fact in statement.facts)
    return {kind: Score(right[kind], got[kind], wanted[kind]) for kind in sorted(got | wanted)}


def _table(half: str, labelled: Sequence[Statement]) -> Table:
    by_kind = scores(labelled)
    rows = [
        (kind, score.labelled, score.found, score.right, round(score.precision, 4), round(score.recall, 4))
        for kind, score in {**by_kind, "all": sum(by_kind.values(), Score())}.items()
    ]
    columns = ("kind", "labelled", "found", "right", "precision", "recall")
    return Table(f"Facts found by rule, {half} half, {len(labelled)} texts", columns, rows)


def _print_wrong(labelled: Iterable[Statement]) -> None:
    for statement in labelled:
        facts = found(statement.text)
        if facts != statement.facts:
            print(f"{statement.trait}: {statement.text!r}")
            for fact in sorted(facts - statement.facts):
                print(f"    found  {fact}")
            for fact in sorted(statement.facts - facts):
                print(f"    missed {fact}")
    print()


def _statement(record: Mapping[str, Any]) -> Statement:
    facts = frozenset(
        Stated(fact["kind"], fact.get("about", "").casefold(), _comparable(fact["value"]), fact.get("retracts", False))
        for fact in record["facts"]
    )
    return Statement(record["half"], record["trait"], record["text"], facts)


def _stated(fact: Candidate) -> Stated:
    about = fact.key if fact.fact_id == "user_profile" else ""
    return Stated(fact.fact_id, about, _comparable(fact.value), fact.retracts)


def _comparable(value: str) -> str:
    return _LEADING.sub("", " ".join(normalize("NFC", value).split()).strip(" .,;:!?'\"\u2019"), count=1)


if __name__ == "__main__":
    main()
