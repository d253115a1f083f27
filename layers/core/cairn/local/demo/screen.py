"""Print the demo: a few lines for each turn, a progress bar on a terminal, and a table at the end."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, quantiles
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cairn.language.terms import terms
from cairn.local.demo.client import CommitResult, RecalledContext
from cairn.local.demo.conversation import Conversation, Scene, SceneTurn
from cairn.local.demo.replay import ReplayTally

WIDTH = 100
_SHOWN_FACTS = 3
_SHOWN_CHUNKS = 2


class Screen:
    """The demo's terminal; also its audience. What it prints is cut to the width and freed of control characters."""

    def __init__(self, turns: int, console: Console | None = None) -> None:
        """Expect this many turns."""
        self._console = console or Console(width=None if Console().is_terminal else WIDTH, highlight=False)
        self._width = min(self._console.width, WIDTH)
        self._progress = Progress(
            TextColumn("  "),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("turns", total=turns)

    def __enter__(self) -> Self:
        """Show the progress bar."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the progress bar away."""
        self._progress.stop()

    def conversation(self, conversation: Conversation) -> None:
        """Announce a conversation."""
        self._console.print()
        self._line((conversation.title, "bold"), (f"  {len(conversation.turns)} turns", "dim"))

    def session(self, session: Scene) -> None:
        """Announce a session."""
        self._console.print()
        self._line((f"  {session.title}", "bold cyan"), (f"  {session.session_id}", "dim"))

    def turn(self, turn: SceneTurn, recalled: RecalledContext | None, stored: CommitResult) -> None:
        """Show what was said, what was recalled for it and what became of it."""
        said = " ".join(turn.user or turn.assistant)
        mark = ("  = ", "yellow") if stored.replayed else ("  > ", "green")
        self._line(mark, (said, "" if turn.user else "italic"))
        if recalled:
            self._recalled("knows", recalled.facts, _SHOWN_FACTS)
            self._recalled("heard", _nearest(said, recalled.chunks), _SHOWN_CHUNKS)
        self._progress.advance(self._task)

    def question(self, turn: SceneTurn, recalled: RecalledContext) -> None:
        """Show a question that nothing is stored of, and what memory held for it."""
        said = " ".join(turn.user)
        self._line(("  ? ", "cyan"), (said, ""))
        self._recalled("knows", recalled.facts, _SHOWN_FACTS)
        self._recalled("heard", _nearest(said, recalled.chunks), _SHOWN_CHUNKS)

    def note(self, text: str, style: str = "magenta") -> None:
        """Say something about the demo itself."""
        self._console.print(Text(f"\n  {text}", style))

    def verdicts(self, checks: Sequence[tuple[str, Sequence[str]]]) -> bool:
        """Show what was checked, with what spoke against it; return whether nothing did."""
        self._console.print()
        for promise, objections in checks:
            mark = ("  ✘ ", "bold red") if objections else ("  ✔ ", "green")
            self._line(mark, (promise, ""))
            for objection in objections:
                self._line(("      ", ""), (objection, "red"))
        return not any(objections for _, objections in checks)

    def table(self, tally: ReplayTally) -> None:
        """Show the counts and the latencies."""
        table = Table(box=None, show_header=False, padding=(0, 2))
        table.add_column(style="dim")
        table.add_column(justify="right")
        for name, value in figures(tally):
            table.add_row(name, value)
        self._console.print()
        self._console.print(table)

    def _recalled(self, label: str, texts: Sequence[str], limit: int) -> None:
        for text in texts[:limit]:
            self._line((f"      {label}  ", "dim blue"), (text, "dim"))
        if len(texts) > limit:
            self._line(("             ", ""), (f"and {len(texts) - limit} more", "dim italic"))

    def _line(self, *parts: tuple[str, str]) -> None:
        line = Text(no_wrap=True, overflow="ellipsis")
        for text, style in parts:
            line.append(printable(text), style)
        line.truncate(self._width, overflow="ellipsis")
        self._console.print(line)


def figures(tally: ReplayTally) -> tuple[tuple[str, str], ...]:
    """Return the table's rows: a name and its value."""
    return (
        ("turns", str(tally.turns)),
        ("sessions", str(tally.sessions)),
        ("facts written", f"{tally.facts_written} ({tally.facts_superseded} superseded)"),
        ("tokens in context", f"mean {mean(tally.tokens or [0]):,.0f}, max {max(tally.tokens, default=0):,}"),
        ("before a turn", _latency(tally.before_ms)),
        ("after a turn", _latency(tally.after_ms)),
        ("replays ignored", str(tally.replays_ignored)),
    )


def _nearest(said: str, texts: Sequence[str]) -> list[str]:
    """Return texts, those first that have most words in common with what was said: a context is in order of time."""
    asked = set(terms(said))
    return sorted(texts, key=lambda text: -len(asked & set(terms(text))))


def _latency(milliseconds: Sequence[float]) -> str:
    if len(milliseconds) < 2:  # noqa: PLR2004 - quantiles need two points
        return "-"
    cuts = quantiles(milliseconds, n=100, method="inclusive")
    return f"p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms"


def printable(text: str) -> str:
    """Return the text on one line, with nothing in it that could steer the terminal."""
    return "".join(character if character.isprintable() else " " for character in text)
