"""Print a comparison: a table for people or one JSON object for programs, with values only on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cairn.local.demo.screen import printable
from cairn.local.shadow.comparison import Criterion, Figures, Overlap, ShadowSession, Thresholds, criteria

_SAID = {
    "failed": ("turns that Cairn refused", "none may be"),
    "facts": ("of the facts that the direct path recalled, Cairn gives too", "at least"),
    "tokens": ("times the direct path's tokens", "at most"),
    "files": ("of the directories that the direct path filled, Cairn lists too", "at least"),
}
_COUNTED = ("turns", "failed", "facts: both", "in context", "only direct", "only Cairn", "tokens: direct", "Cairn")
_COLUMNS = (*_COUNTED, "ratio", "files: both", "only direct", "only Cairn")
"""Facts in context are the direct path's whose values stand in the earlier messages that Cairn places."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of each session, and what is asked of all of them together."""

    sessions: Sequence[ShadowSession]
    asked: Thresholds

    @property
    def total(self) -> Figures:
        """Return what is counted of all sessions."""
        return Figures.of(self.sessions)

    @property
    def criteria(self) -> Sequence[Criterion]:
        """Return each condition with what it came to."""
        return criteria(self.total, self.asked)

    @property
    def passed(self) -> bool:
        """Return whether every condition is met."""
        return all(criterion.met for criterion in self.criteria)

    def document(self, *, values: bool) -> dict[str, Any]:
        """Return the report as JSON values; with `values` what only one path had stands in it too."""
        return {
            "passed": self.passed,
            "criteria": [asdict(criterion) for criterion in self.criteria],
            "total": _figures(self.total),
            "sessions": [_session(session, values=values) for session in self.sessions],
        }

    def show(self, console: Console, *, values: bool) -> None:
        """Print the report; with `values` what only one path had too."""
        console.print(_table(self.sessions, self.total))
        for session in self.sessions:
            for line in _details(session, values=values):
                console.print(line)
        more = self.total.tokens.difference()
        told = ", ".join(f"{name} {value:+,.0f}" for name, value in more.items())
        console.print(Text(f"\n  Cairn's tokens less the direct path's, by turn: {told}\n", "dim"))
        for criterion in self.criteria:
            console.print(_verdict(criterion))


def _figures(figures: Figures) -> dict[str, Any]:
    tokens, files = figures.tokens, figures.files
    return {
        "turns": figures.records,
        "failed_turns": figures.failed_turns,
        "facts": {**asdict(figures.facts), "share": figures.facts.share},
        "tokens": {
            "direct": sum(tokens.direct),
            "cairn": sum(tokens.cairn),
            "ratio": tokens.ratio,
            "difference": tokens.difference(),
        },
        "files": {
            "both": files.both,
            "only_direct": files.only_direct,
            "only_cairn": files.only_cairn,
            "share": files.share,
        },
    }


def _session(session: ShadowSession, *, values: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "project": session.project,
        "session_id": session.session_id,
        **_figures(Figures.of([session])),
        "failures": [asdict(failure) for failure in session.failures],
    }
    if values:
        shown["differing_facts"] = [
            {"turn_id": turn.turn_id, "only_direct": turn.facts.only_direct, "only_cairn": turn.facts.only_cairn}
            for turn in session.turns
            if turn.facts.only_direct or turn.facts.only_cairn
        ]
        shown["differing_files"] = {
            "only_direct": session.files.only_direct,
            "only_cairn": session.files.only_cairn,
        }
    return shown


def _table(sessions: Sequence[ShadowSession], total: Figures) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("session", overflow="fold", vertical="bottom")
    for heading in _COLUMNS:
        table.add_column("\n".join(heading.split()), justify="right", vertical="bottom")
    for session in sessions:
        table.add_row(Text(printable(session.session_id)), *_row(Figures.of([session])))
    table.add_section()
    table.add_row(Text("all", "bold"), *_row(total))
    return table


def _row(figures: Figures) -> tuple[str, ...]:
    facts, tokens, files = figures.facts, figures.tokens, figures.files
    counts = (facts.both, facts.in_context, facts.only_direct, facts.only_cairn, sum(tokens.direct), sum(tokens.cairn))
    return (
        *(f"{count:,}" for count in (figures.records, figures.failed_turns, *counts)),
        "-" if tokens.ratio is None else f"{tokens.ratio:.2f}",
        *(f"{count:,}" for count in (files.both, files.only_direct, files.only_cairn)),
    )


def _details(session: ShadowSession, *, values: bool) -> Iterator[Text]:
    name = printable(session.session_id)
    for failure in session.failures:
        yield Text(f"  {name} {printable(failure.turn_id)}: {failure.tool} answered {failure.code}", "red")
    if values:
        for turn in session.turns:
            yield from _differing(f"{name} {printable(turn.turn_id)}", turn.facts)
        yield from _differing(name, session.files)


def _differing(where: str, overlap: Overlap) -> Iterator[Text]:
    for side, values in (("only direct", overlap.only_direct), ("only Cairn", overlap.only_cairn)):
        for value in values:
            yield Text(f"  {where}, {side}: {printable(value)}", "dim")


def _verdict(criterion: Criterion) -> Text:
    what, bound = _SAID[criterion.name]
    if criterion.value is None:
        return Text(f"  - {criterion.name}: nothing to compare", "dim")
    shape = {"failed": ".0f", "tokens": ".2f"}.get(criterion.name, ".0%")
    value, threshold = (format(each, shape) for each in (criterion.value, criterion.threshold))
    limit = bound if criterion.name == "failed" else f"{bound} {threshold}"
    mark, style = ("✔", "green") if criterion.met else ("✘", "bold red")
    return Text(f"  {mark} ", style).append(f"{value} {what} ({limit})", "")
