"""A short session through every tool (tests/conformance/session.yml), played over any way to call them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeAlias, cast

import yaml

from cairn.tool.pipe_references import resolved
from cairn_tools.catalog import CATALOG

SESSION = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "session.yml"
MOST_BYTES = 100_000
MOST_SHOWN = 400

Call: TypeAlias = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Calls a tool and returns its structured content, an error's too."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call, and what of its answer is known beforehand."""

    id: str
    about: str
    tool: str
    arguments: Mapping[str, Any]
    gives: Mapping[str, Any]
    says: Sequence[str] = ()
    hides: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """A step as it went; no problems where it was answered as it had to be."""

    step: Step
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    problems: Sequence[str]

    def told(self) -> str:
        """Return the step as Markdown: what was called, with what, and what was answered."""
        call = f"{self.step.tool} {_shown(self.arguments)}"
        answer = [_shown(self.answer), *(f"WRONG: {problem}" for problem in self.problems)]
        return "\n".join([f"**{self.step.about}.**", "", "```", call, *(f"→ {line}" for line in answer), "```", ""])


def steps() -> tuple[Step, ...]:
    """Return the session's steps, and the example of each tool that it leaves out."""
    read: list[dict[str, Any]] = yaml.safe_load(SESSION.read_text(encoding="utf-8"))
    told = [Step(arguments=each.pop("with"), gives=each.pop("gives", {}), **each) for each in read]
    called = {step.tool for step in told}
    left_out = [tool for tool in CATALOG if tool.name not in called and not tool.for_operators]
    return (*told, *(Step(tool.name, tool.title, tool.name, tool.example, {}) for tool in left_out))


def play(call: Call) -> Iterator[Played]:
    """Call the tools one after another."""
    answers: dict[str, Mapping[str, Any]] = {}
    for step in steps():
        arguments = resolved(step.arguments, answers, MOST_BYTES)
        answer = answers[step.id] = call(step.tool, arguments)
        yield Played(step, arguments, answer, list(_problems(step, resolved(step.gives, answers, MOST_BYTES), answer)))


def _problems(step: Step, gives: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    yield from _lacks(gives, answer, "answer")
    if "error" in answer and "error" not in gives:
        yield "the call failed"
    text = json.dumps(answer, ensure_ascii=False)
    yield from (f"does not say {each!r}" for each in step.says if each not in text)
    yield from (f"says {each!r}" for each in step.hides if each in text)


def _lacks(wanted: object, found: object, where: str) -> Iterator[str]:
    """Yield where what was found differs from what is wanted; mappings may hold more, lists that hold any go on."""
    parts = _parts(wanted, found)
    if parts is not None:
        for name, part, there in parts:
            yield from _lacks(part, there, f"{where}{name}")
    elif wanted != found or type(wanted) is not type(found):
        yield f"{where} is {'missing' if found is ... else _shown(found)}, not {_shown(wanted)}"


def _parts(wanted: object, found: object) -> list[tuple[str, object, object]] | None:
    """Return the parts of what is wanted, each with its name and what was found there; None for what has no parts."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        named, there = cast("dict[str, object]", wanted), cast("dict[str, object]", found)
        return [(f".{name}", part, there.get(name, ...)) for name, part in named.items()]
    if isinstance(wanted, list) and isinstance(found, list) and wanted:
        pairs = zip(cast("list[object]", wanted), chain(cast("list[object]", found), repeat(...)), strict=False)
        return [(f"[{at}]", part, there) for at, (part, there) in enumerate(pairs)]
    return None


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text):,} characters)"
