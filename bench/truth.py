"""What Cairn believes at the end of stories that people tell over months, and what it places for later questions.

Each turn is stored by after_turn, with ordinary turns between the conversations; then what is believed of the user is
held against the story's labels, and each question is asked in a new conversation. right: the words of what is true are
believed and none that are outdated; stale: outdated words are believed; a change is noticed where the new value is
believed and the old one, which was believed before, is not. Contexts: whether what is true is placed, and whether
something outdated stands above it. junk: what is believed from turns that tell nothing lasting, on 100 turns.
What tells the last change may name what it ends ("Rosa and I have parted"), and is not outdated by that.

Half of the stories are held out: only their sums are printed.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import report
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.facts.facts import is_said, subject
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import Session
from cairn.overview.known import known
from cairn.overview.model import BelievedFact, Place
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from recall_engine import MODEL, TENANT, USER, CachingEmbedder, StoryClock, open_adapters, recalling
from recall_rivals import bm25_scores
from recall_sets import Text
from report import Cell, Table
from truth_sets import Labelled, Query, Sitting, Story, Turn, fillers, place_of, stories, tells

_MINUTE = timedelta(minutes=1)
_FILLERS = 240
"""How many ordinary turns stand between the conversations of a story."""
_BM25_TEXTS = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one story: how often each thing happened, what is believed at the end, and what went wrong."""

    counts: Counter[str]
    believed: tuple[str, ...]
    wrong: tuple[str, ...]


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    parser.add_argument("--show", action="store_true", help="print beliefs and errors of the development half")
    parser.add_argument("--fillers", type=int, default=_FILLERS, help="how many ordinary turns a story has")
    given = parser.parse_args()
    embedder = CachingEmbedder(MODEL)
    found = {held: [told(story, embedder, given.fillers) for story in stories(held_out=held)] for held in (False, True)}
    if given.show:
        for story, outcome in zip(stories(held_out=False), found[False], strict=True):
            print(story.name, *outcome.believed, "what went wrong:", *outcome.wrong, sep="\n  ")
    halves = {"development": found[False], "held out": found[True], "all": [*found[False], *found[True]]}
    sums = {name: sum((each.counts for each in outcomes), Counter[str]()) for name, outcomes in halves.items()}
    tables = [beliefs(sums), contexts(sums)]
    report.publish("truth", tables, given, seeds=(18,), libraries=("numpy", "onnxruntime"))


def beliefs(sums: dict[str, Counter[str]]) -> Table:
    """Return what is believed at the end."""
    rows: list[Sequence[Cell]] = []
    for name, of in sums.items():
        holding, changes = max(1, of["holding"]), max(1, of["changes"])
        shares = (_percent(of[each], holding) for each in ("right", "wrong", "stale", "missed"))
        junk = _percent(of["junk"], max(1, of["turns"]))
        rows.append((name, of["stories"], of["holding"], *shares, changes, _percent(of["noticed"], changes), junk))
    columns = ("half", "stories", "facts", "right", "wrong", "stale", "missed", "changes", "noticed", "junk")
    return Table("What is believed at the end", columns, rows, "In percent; junk on 100 turns.")


def contexts(sums: dict[str, Counter[str]]) -> Table:
    """Return what is placed for later questions."""
    rows: list[Sequence[Cell]] = []
    for name, of in sums.items():
        for way in ("Cairn", "BM25, 10 whole texts"):
            asked, changed = max(1, of["asked"]), max(1, of["asked of changes"])
            shares = [_percent(of[f"{way}: {each}"], asked) for each in ("right", "stale above")]
            gone = _percent(of[f"{way}: right and nothing outdated"], changed)
            rows.append((name, way, asked, *shares, changed, gone))
    columns = ("half", "context", "questions", "right", "stale above", "of changes", "right, nothing outdated")
    return Table("What is placed for later questions", columns, rows, "In percent.")


def _percent(count: int, of: int) -> float:
    return round(100 * count / of, 1)


def told(story: Story, embedder: CachingEmbedder, count: int) -> Outcome:
    """Tell a story to a memory of its own, and return what became of it."""
    clock = StoryClock()
    with (
        tempfile.TemporaryDirectory() as directory,
        open_adapters(Path(directory), clock, Path(":memory:")) as adapters,
    ):
        return _Telling(story, clock, partial(recalling, adapters, embedder)).outcome(count)


class _Telling:
    """A story in a memory of its own."""

    def __init__(self, story: Story, clock: StoryClock, start: Callable[[], Services]) -> None:
        self._story = story
        self._clock = clock
        self._start = start
        self._services = start()
        self._texts: list[Text] = []
        self._once: set[str] = set()
        self._counts = Counter[str](stories=1)
        self._wrong: list[str] = []

    def outcome(self, count: int) -> Outcome:
        ordinary = fillers(self._story.language)
        random.Random(self._story.name).shuffle(ordinary)  # noqa: S311 - the same turns every time
        places = len(self._story.sittings)
        for number, sitting in enumerate(self._story.sittings):
            self._store(f"story-{number}", sitting)
            self._once |= {fact.id for fact in self._story.facts if any(map(self._believes, fact.outdated))}
            some = tuple(ordinary[:count][number::places])
            self._store(f"ordinary-{number}", Sitting(sitting.at + timedelta(days=1), some))
        self._index()
        self._judge_beliefs()
        for query in self._story.queries:
            self._judge(query)
        return Outcome(self._counts, tuple(map(_line, self._believed())), tuple(self._wrong))

    def _store(self, name: str, sitting: Sitting) -> None:
        self._clock.turn_to(max(sitting.at, self._clock.now() + _MINUTE))
        session = self._session(name)
        for turn in sitting.turns:
            items = message("user", turn.user), message("assistant", turn.assistant, "output_text")
            commit(
                self._services,
                session,
                Completion(turn_id=TurnId(turn.id), inputs=items[:1], outputs=items[1:], user_id=USER),
            )
            self._texts += list(_texts(name, turn, self._clock.now()))
            self._counts["turns"] += 1
            self._clock.sleep(_MINUTE.total_seconds())

    def _index(self) -> None:
        self._services.indexer.run(TENANT, self._session("asking").project, f"u:{USER}")
        self._services = self._start()

    def _session(self, name: str) -> Session:
        return Session(TENANT, Project(self._story.name), SessionId(name))

    def _believed(self) -> tuple[BelievedFact, ...]:
        return known(self._services, Place(TENANT, Project(self._story.name)), USER, 10_000).facts

    def _believes(self, words: Sequence[str]) -> bool:
        return any(tells(_line(each), words) for each in self._believed())

    def _judge_beliefs(self) -> None:
        for fact in self._story.facts:
            how = self._how(fact)
            if fact.true_words:
                self._counts.update(["holding", how])
            elif how == "stale":
                self._counts["stale"] += 1
            if fact.changed:
                noticed = how == "right" if fact.true_words else fact.id in self._once and how != "stale"
                self._counts.update(["changes", *(["noticed"] if noticed else [])])
            if how != "right":
                self._wrong.append(f"{how}: {fact.id}: {fact.states[-1].quote}")
        junk = [each for each in self._believed() if self._is_junk(each)]
        self._counts["junk"] += len(junk)
        self._wrong += [f"junk: {_line(each)} | {each.fact.source.quote}" for each in junk]

    def _is_junk(self, each: BelievedFact) -> bool:
        tells_nothing = each.fact.source.turn_id not in self._story.telling
        return tells_nothing or any(_overlap(each, trap) for trap in self._story.traps)

    def _how(self, fact: Labelled) -> str:
        """Return right, stale, wrong (believed from these very words, with another value) or missed."""
        last = fact.states[-1]
        lines = [each for each in self._believed() if not tells(_line(each), fact.true_words)]
        others = [each for each in lines if not (is_said(each.fact) and _overlap(each, last.quote))]
        if any(tells(_line(each), words) for each in others for words in fact.outdated):
            return "stale"
        if not fact.true_words or self._believes(fact.true_words):
            return "right"
        overlaps = (each.fact.source.turn_id == last.turn and _overlap(each, last.quote) for each in lines)
        return "wrong" if any(overlaps) else "missed"

    def _judge(self, query: Query) -> None:
        fact = next(each for each in self._story.facts if each.id == query.fact)
        changed = bool(fact.changed and query.stale)
        self._counts.update(["asked", *(["asked of changes"] if changed else [])])
        last = fact.states[-1].quote
        for way, text in (("Cairn", self._context(query)), ("BM25, 10 whole texts", self._best(query))):
            others = text.replace(last, " " * len(last))
            stale = [place for word in query.stale if (place := place_of(others, word)) is not None]
            # Of what has ended nothing is to be said.
            right = tells(text, query.right) if query.right else not stale
            at = max((place_of(text, word) or 0 for word in query.right), default=0)
            above = any(place < at or not right for place in stale)
            happened = {
                "right": right,
                "stale above": above,
                "right and nothing outdated": changed and right and not stale,
            }
            self._counts.update(f"{way}: {name}" for name, is_so in happened.items() if is_so)
            if way == "Cairn" and (above or not right):
                self._wrong.append(f"{'stale above' if above else 'not placed'}: {query.ask} -> {query.right}")

    def _context(self, query: Query) -> str:
        request = Preparation(current=(message("user", query.ask),), user_id=USER, format="text")
        return prepare(self._services, self._session("asking"), request).text or ""

    def _best(self, query: Query) -> str:
        said = {text.id: text.said for text in self._texts}
        best = sorted(bm25_scores(self._texts)(query.ask), key=lambda each: -each[1])[:_BM25_TEXTS]
        return "\n".join(said[name] for name, _ in best)


def _texts(session: str, turn: Turn, at: datetime) -> Iterator[Text]:
    yield Text(f"{session}.{turn.id}.user", session, at, "user", turn.user)
    yield Text(f"{session}.{turn.id}.assistant", session, at, "assistant", turn.assistant)


def _line(each: BelievedFact) -> str:
    return f"{subject(each.fact)}: {each.fact.value}"


def _overlap(each: BelievedFact, quote: str) -> bool:
    said = each.fact.source.quote
    return said in quote or quote in said


if __name__ == "__main__":
    main()
