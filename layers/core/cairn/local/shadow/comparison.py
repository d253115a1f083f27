"""Compare what Cairn and the direct path gave, and decide whether it is good enough to cut over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import PurePosixPath
from statistics import median
from string import punctuation

from cairn.facts.facts import normalise

_NUMBER = re.compile(r"(?<![^/])\d+(?![^/])")


@dataclass(frozen=True, slots=True)
class Overlap:
    """What both paths have, what only the direct one has and what only Cairn has.

    `in_context` are facts that the direct path recalled and Cairn did not, but whose values stand in the earlier
    messages that Cairn places: the model is told them all the same.
    """

    both: tuple[str, ...] = ()
    in_context: tuple[str, ...] = ()
    only_direct: tuple[str, ...] = ()
    only_cairn: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """The sizes of an overlap, or the sums of several."""

    both: int
    in_context: int
    only_direct: int
    only_cairn: int

    @classmethod
    def of(cls, overlaps: Iterable[Overlap]) -> Counts:
        """Count."""
        every = list(overlaps)
        return cls(
            both=sum(len(each.both) for each in every),
            in_context=sum(len(each.in_context) for each in every),
            only_direct=sum(len(each.only_direct) for each in every),
            only_cairn=sum(len(each.only_cairn) for each in every),
        )

    @property
    def share(self) -> float | None:
        """Return which share of what the direct path has Cairn gives too; None where it has nothing."""
        given = self.both + self.in_context
        direct = given + self.only_direct
        return given / direct if direct else None


@dataclass(frozen=True, slots=True)
class Tokens:
    """The direct path's and Cairn's token counts, turn by turn."""

    direct: Sequence[int]
    cairn: Sequence[int]

    @property
    def ratio(self) -> float | None:
        """Return Cairn's sum over the direct path's; None where that is 0."""
        return sum(self.cairn) / sum(self.direct) if any(self.direct) else None

    def difference(self) -> dict[str, float]:
        """Return by how many tokens Cairn's turns are larger: the median, the 95th percentile, the maximum."""
        more = sorted(ours - theirs for ours, theirs in zip(self.cairn, self.direct, strict=True)) or [0]
        return {"median": median(more), "p95": more[ceil(len(more) * 0.95) - 1], "max": more[-1]}


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that Cairn refused: the turn, the tool and the error's code."""

    turn_id: str
    tool: str
    code: str


@dataclass(frozen=True, slots=True)
class ShadowTurn:
    """A turn that was prepared by both."""

    turn_id: str
    facts: Overlap
    direct_tokens: int
    cairn_tokens: int


@dataclass(slots=True)
class ShadowSession:
    """A conversation as both have it; `files` compares the directories that hold its files."""

    project: str
    session_id: str
    records: int = 0
    turns: list[ShadowTurn] = field(default_factory=list[ShadowTurn])
    failures: list[Failure] = field(default_factory=list[Failure])
    files: Overlap = field(default_factory=Overlap)


@dataclass(frozen=True, slots=True)
class Figures:
    """The counts of one session or of several."""

    records: int
    failed_turns: int
    facts: Counts
    tokens: Tokens
    files: Counts

    @classmethod
    def of(cls, sessions: Sequence[ShadowSession]) -> Figures:
        """Count."""
        turns = [turn for session in sessions for turn in session.turns]
        return cls(
            records=sum(session.records for session in sessions),
            failed_turns=sum(len({failure.turn_id for failure in session.failures}) for session in sessions),
            facts=Counts.of(turn.facts for turn in turns),
            tokens=Tokens([turn.direct_tokens for turn in turns], [turn.cairn_tokens for turn in turns]),
            files=Counts.of(session.files for session in sessions),
        )


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of a cut-over: at least this share of facts and files, at most this ratio of tokens."""

    facts: float
    tokens: float
    files: float


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition of a cut-over; where there was nothing to compare its value is None, and it does not speak."""

    name: str
    value: float | None
    threshold: float
    met: bool


def criteria(figures: Figures, asked: Thresholds) -> tuple[Criterion, ...]:
    """Hold the figures to the thresholds; a turn that failed is never good enough."""
    facts, ratio, files = figures.facts.share, figures.tokens.ratio, figures.files.share
    return (
        Criterion("failed", figures.failed_turns, 0, figures.failed_turns == 0),
        Criterion("facts", facts, asked.facts, facts is None or facts >= asked.facts),
        Criterion("tokens", ratio, asked.tokens, ratio is None or ratio <= asked.tokens),
        Criterion("files", files, asked.files, files is None or files >= asked.files),
    )


def compare_facts(direct: Iterable[str], cairn: Iterable[str], context: str) -> Overlap:
    """Compare facts by their values, whatever their case, spacing and outer punctuation.

    `context` is the text that Cairn places before the current input.
    """
    theirs, ours = ({_plain(value): value for value in side} for side in (direct, cairn))
    found, told = _overlap(theirs, ours), normalise(context)
    elsewhere = [value for value in found.only_direct if _stands_in(told, _plain(value))]
    missing = [value for value in found.only_direct if value not in elsewhere]
    return replace(found, in_context=tuple(elsewhere), only_direct=tuple(missing))


def compare_files(session_id: str, files: Iterable[str], listed: Iterable[str], *, dated: bool) -> Overlap:
    """Compare the directories of the direct path's files with those that Cairn lists for the session.

    Both are named as /memory/{session_id}/…; unless `dated`, numbers in them count as equal. The session's own
    directory is left out: a file right in it is of the legacy layout. Of Cairn's directories that the direct path has
    not, those without further ones in them count.
    """
    root = f"/memory/{session_id}"
    ours = {_within(root, path, dated=dated) for path in listed if path != root}
    theirs = {_within(root, str(PurePosixPath(path).parent), dated=dated) for path in files}
    above = {str(parent) for path in ours for parent in PurePosixPath(path).parents}
    ours = {path for path in ours if path in theirs or path not in above}
    return _overlap({path: path for path in theirs}, {path: path for path in ours})


def _within(root: str, path: str, *, dated: bool) -> str:
    relative = path.removeprefix(f"{root}/")
    return relative if dated else _NUMBER.sub("#", relative)


def _plain(value: str) -> str:
    return normalise(value).strip(punctuation + " ")


def _stands_in(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def _overlap(direct: Mapping[str, str], cairn: Mapping[str, str]) -> Overlap:
    return Overlap(
        both=tuple(direct[each] for each in sorted(direct.keys() & cairn.keys())),
        only_direct=tuple(direct[each] for each in sorted(direct.keys() - cairn.keys())),
        only_cairn=tuple(cairn[each] for each in sorted(cairn.keys() - direct.keys())),
    )
