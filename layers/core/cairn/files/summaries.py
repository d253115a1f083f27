"""Describe a session's memory as directories, each with its `.abstract` and `.overview`.

The layout is the canonical one: events by day, facts by tier and period, the runtime context, metadata, indexes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cairn.conversation.highlights import Highlights, highlights
from cairn.conversation.roles import speaker
from cairn.facts.facts import Fact, subject
from cairn.files import periods as shards
from cairn.files.paths import directory_of
from cairn.log.entries import Chunk, TurnStamp

MAX_ABSTRACT_WORDS = 200
MAX_OVERVIEW_WORDS = 2000
_IN_AN_ABSTRACT = 5
_IN_AN_OVERVIEW = 40
_NEWEST_CHUNKS = 300
"""How many texts a summary looks at: a long session's summary is about its newest part, and says so."""
_QUOTED_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Contents:
    """Turns, texts, facts and compactions of a session."""

    turns: Sequence[TurnStamp]
    chunks: Sequence[Chunk]
    facts: Sequence[Fact]
    compactions: Sequence[datetime] = ()
    archived_through: int = 0


class _Texts:
    """The texts of a session; directories share them, so that their highlights are computed once."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._found: dict[tuple[str, ...], Highlights] = {}

    def of(self, turns: Container[int]) -> list[Chunk]:
        return [chunk for chunk in self._chunks if chunk.seq in turns]

    def highlights(self, chunks: Sequence[Chunk], limit: int) -> Highlights:
        texts = tuple(chunk.text for chunk in chunks)
        if texts not in self._found:
            self._found[texts] = highlights(texts, _IN_AN_OVERVIEW)
        return self._found[texts].first(limit)


@dataclass(slots=True)
class Directory:
    """One directory, with the turns, facts and compactions in it and below it, and the session's texts."""

    path: str
    updated_at: datetime
    texts: _Texts
    turns: dict[int, TurnStamp] = field(default_factory=dict[int, TurnStamp])
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    compactions: list[datetime] = field(default_factory=list[datetime])

    def hold(self, leaf: _Leaf) -> None:
        """Count what a leaf holds among what is here."""
        self.turns.update({turn.seq: turn for turn in leaf.turns})
        self.facts.update({fact.id: fact for fact in leaf.facts})
        self.compactions.extend(leaf.compactions)
        self.updated_at = max(self.updated_at, leaf.changed_at)

    def abstract(self) -> str:
        """Return at most 200 words on what is here; "" where nothing is."""
        return _cut(self._text(_IN_AN_ABSTRACT), MAX_ABSTRACT_WORDS)

    def overview(self) -> str:
        """Return at most 2000 words on what is here; "" where nothing is."""
        return _cut(self._text(_IN_AN_OVERVIEW), MAX_OVERVIEW_WORDS)

    def _text(self, count: int) -> str:
        here = self.texts.of(self.turns)
        newest = here[-_NEWEST_CHUNKS:]
        facts = sorted(self.facts.values(), key=lambda fact: (fact.recorded_at, fact.id), reverse=True)
        found = self.texts.highlights(newest, count)
        sentences = (
            _turns_text(list(self.turns.values())),
            _compactions_text(self.compactions),
            _facts_text(facts, count),
            f"The rest is about the newest {_NEWEST_CHUNKS} texts." if len(here) > len(newest) else "",
            _listed("Open tasks: ", [_quoted(task) for task in found.tasks]),
            _listed("Decisions: ", [_quoted(decision) for decision in found.decisions]),
            _listed("Named were ", found.names),
            _listed("The talk was mostly about ", found.topics),
            _listed("Figures: ", [_quoted(text) for text in found.numbers if text not in found.tasks]),
            _listed("Last said: ", [f"{speaker(chunk.role)} {_quoted(chunk.text)}" for chunk in newest[-count:]]),
        )
        return " ".join(sentence for sentence in sentences if sentence)


def directories(root: str, contents: Contents) -> list[Directory]:
    """Return every directory of a session, sorted by path; none for a session without turns."""
    found: dict[str, Directory] = {}
    texts = _Texts(contents.chunks)
    for leaf in _leaves(contents) if contents.turns else ():
        for path in _with_ancestors(root, leaf.path):
            found.setdefault(path, Directory(path, leaf.changed_at, texts)).hold(leaf)
    return [found[path] for path in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """The direct content of a directory."""

    path: str
    changed_at: datetime
    turns: Sequence[TurnStamp] = ()
    facts: Sequence[Fact] = ()
    compactions: Sequence[datetime] = ()


def _leaves(contents: Contents) -> Iterable[_Leaf]:
    newest = contents.turns[-1].at
    for turn in contents.turns:
        kind: shards.EventKind = "archive" if turn.seq <= contents.archived_through else "raw"
        yield _Leaf(directory_of(shards.events(kind, turn.at)), turn.at, turns=[turn])
    for moment in contents.compactions:
        yield _Leaf(directory_of(shards.events("compact", moment)), moment, compactions=[moment])
    for fact in contents.facts:
        yield _Leaf(directory_of(shards.facts(fact)), fact.recorded_at, facts=[fact])
    yield _Leaf("indexes", newest, facts=contents.facts)
    yield _Leaf("meta", newest, turns=contents.turns)
    yield _Leaf("runtime/context", newest, turns=contents.turns)


def _with_ancestors(root: str, leaf: str) -> Iterable[str]:
    path = root
    yield path
    for part in leaf.split("/"):
        path = f"{path}/{part}"
        yield path


def _turns_text(turns: Sequence[TurnStamp]) -> str:
    if not turns:
        return ""
    first, last = min(turn.at for turn in turns), max(turn.at for turn in turns)
    held = f"{_counted(len(turns), 'turn')} with {_counted(sum(turn.events for turn in turns), 'item')}"
    return f"{held}, from {_at(first)} to {_at(last)} UTC." if first != last else f"{held}, at {_at(first)} UTC."


def _compactions_text(compactions: Sequence[datetime]) -> str:
    if not compactions:
        return ""
    return (
        f"{_counted(len(compactions), 'summary', 'summaries')} of older turns, the last at {_at(max(compactions))} UTC."
    )


def _facts_text(facts: Sequence[Fact], count: int) -> str:
    values = [f"{subject(fact)}: {fact.value}" for fact in facts[:count]]
    return _listed(f"{_counted(len(facts), 'fact')} believed, newest first: ", values)


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _at(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M}"


def _quoted(text: str) -> str:
    said = " ".join(text.split())
    return f'"{said}"' if len(said) <= _QUOTED_CHARACTERS else f'"{said[:_QUOTED_CHARACTERS]}…"'


def _listed(opening: str, values: Sequence[str]) -> str:
    return f"{opening}{'; '.join(values)}." if values else ""


def _cut(text: str, words: int) -> str:
    said = text.split()
    return " ".join(said) if len(said) <= words else " ".join(said[: words - 1]) + " …"
