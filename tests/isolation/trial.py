"""A trial: a drawn script of three tenants played on one service, and then of each of them on a service of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

from cairn.domain.ids import Tenant
from cairn.domain.settings import MemorySettings, Quotas, RateSettings
from cairn.edge.tool import Tool
from cairn.runtime import wiring
from cairn.runtime.settings import Settings
from cairn_tools.catalog import CATALOG
from isolation.arguments import UNGUESSABLE, Drawing, Harvest
from isolation.homes import Home, InMemory
from isolation.names import TENANTS, Names
from isolation.stage import OF_THE_DEPLOYMENT, START, Seen, Stage, Step, kept, owners

_PARTS: Final[Sequence[Literal["answer", "log", "store", "jobs"]]] = ("answer", "log", "store", "jobs")
_PAUSES: Final = (0, 0, 0, 0.001, 0.5, 1, 1, 3, 10, 60, 100)
"""Seconds between calls, at most."""
_FEWEST_TAKERS: Final = 3
_MOST_SHOWN: Final = 300
_ALL: Final = {"scopes": "read write", "projects": "*"}


@dataclass
class Verdict:
    """What a trial found, and what was called in it."""

    problems: list[str] = field(default_factory=list[str])
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How often each tool gave each code, OK included."""
    stolen: int = 0
    """How many calls were made with what only other tenants were given."""

    @property
    def calls(self) -> int:
        return self.outcomes.total()


def isolated(seed: int, calls: int, home: Callable[[], Home] = InMemory, tools: Sequence[Tool] = CATALOG) -> Verdict:
    """Play a drawn script of so many calls together and apart, and return how what a tenant sees differs."""
    draw = Random(seed)  # noqa: S311 - has to be repeatable
    tenants = [Tenant(name) for name in draw.sample(TENANTS, 3)]
    settings, verdict = _settings(draw), Verdict()
    try:
        together = Stage(home(), settings)
        played = list(_played(together, draw, tenants, calls, tools))
        _judge(together, played, tenants, verdict)
        for tenant in tenants:
            alone = Stage(home(), settings)
            own = [(step, seen) for step, seen in played if step.tenant == tenant]
            verdict.problems += _differences(alone, own)
            if kept(together.home, tenant) != kept(alone.home, tenant):
                verdict.problems.append(f"{tenant} has something else in the store than it would have alone")
    finally:
        wiring.provide(None)
    return verdict


def _settings(draw: Random) -> Settings:
    """Return settings under which rates and quotas are seldom or often reached."""
    often = draw.random() < 0.3
    rates = RateSettings(tenant_per_second=0.5, tenant_burst=100, tool_per_second=0.02, tool_burst=3)
    return Settings(
        memory_enabled=True,
        tool_switches={tool.name: True for tool in CATALOG if not tool.on_by_default},
        memory=MemorySettings(recent_context_items=4, compaction_min_age_hours=1),
        quotas=Quotas(namespace_items=2, tenant_items=4) if often else Quotas(),
        rate_limits=rates if often else RateSettings(),
    )


def _played(
    stage: Stage, draw: Random, tenants: Sequence[Tenant], calls: int, tools: Sequence[Tool]
) -> Iterator[tuple[Step, Seen]]:
    names, harvest, at = Names.drawn(draw), Harvest(), 0.0
    focus = _focus(draw, tools)
    for _ in range(calls):
        tenant = draw.choice(tenants)
        at += draw.choice(_PAUSES) * draw.random()
        if draw.random() < 0.06:
            work = Step(tenant=tenant, door="jobs", at=at)
            yield work, stage.play(work)
        drawn = draw.choice(focus if draw.random() < 0.6 else tools)
        step = _drawn(draw, Drawing(draw, names, harvest, tenant), drawn, at, tools)
        seen = stage.play(step)
        harvest.gather(tenant, answer_of(step, seen))
        yield step, seen
    for tenant in tenants:
        look = Step(tenant=tenant, door="audit", at=at + 1)
        yield look, stage.play(look)


def _focus(draw: Random, tools: Sequence[Tool]) -> Sequence[Tool]:
    """Return the tools that a trial calls most: those that take a field which is drawn."""
    takers: dict[str, list[Tool]] = {}
    for tool in tools:
        for name in tool.input_schema()["properties"]:
            takers.setdefault(name, []).append(tool)
    return draw.choice([each for each in takers.values() if len(each) >= _FEWEST_TAKERS])


def _drawn(draw: Random, drawing: Drawing, tool: Tool, at: float, tools: Sequence[Tool]) -> Step:
    arguments, headers = drawing.arguments(tool, tools)
    credential = {**_ALL, "credential": draw.choice(["k1", "k1", "k2"])}
    if draw.random() < 0.1:
        changed = {"scopes": "read", "projects": "p p1 keys", "policy": "narrow"}
        name = draw.choice(list(changed))
        credential[name] = changed[name]
    return Step(
        tenant=Tenant(drawing.tenant),
        door=draw.choice(["http", "mcp"]),
        at=at,
        tool=tool.name,
        arguments=arguments,
        headers=headers,
        credential=credential,
        stolen=frozenset(drawing.stolen),
    )


def _judge(stage: Stage, played: Iterable[tuple[Step, Seen]], tenants: Sequence[Tenant], verdict: Verdict) -> None:
    """Note what is wrong in the run of all three by itself."""
    verdict.problems += stage.trespasses
    for step, seen in played:
        if not step.tool:
            continue
        code = code_of(step, seen)
        verdict.outcomes[step.tool, code] += 1
        verdict.stolen += bool(step.stolen)
        if code == "INTERNAL_ERROR":
            verdict.problems.append(f"something failed inside: {_shown(step)}")
        if code == "OK" and step.stolen & UNGUESSABLE and step.tool != "mcp_pipe":
            verdict.problems.append(f"{step.tenant} opened what was given to another: {_shown(step)}")
    known = {*tenants, *(pk.partition("#")[0] for pk in OF_THE_DEPLOYMENT)}
    verdict.problems += [f"something in the store is nobody's: {owner}" for owner in {*owners(stage.home)} - known]


def _differences(alone: Stage, played: Iterable[tuple[Step, Seen]]) -> Iterator[str]:
    """Play a tenant's steps alone and yield the first difference: from there on others follow from it."""
    for step, seen in played:
        again = alone.play(step)
        for part in _PARTS:
            if getattr(again, part) != getattr(seen, part):
                yield f"{_shown(step)}: {part} alone {_cut(getattr(again, part))} together {_cut(getattr(seen, part))}"
                return


def answer_of(step: Step, seen: Seen) -> Any:
    """Return what the tool answered, past the door."""
    body = json.loads(json.loads(seen.answer)["body"])
    return body if step.door == "http" else body.get("result", body)


def code_of(step: Step, seen: Seen) -> str:
    """Return the code of an answer: OK, or its error's; a pipe's is that of the step that failed."""
    answer = answer_of(step, seen)
    answer = answer.get("structuredContent", answer)
    failed = answer.get("failed_step") or answer
    return str(failed["error"]["code"]) if "error" in failed else "OK"


def _shown(step: Step) -> str:
    return f"{step.tenant} {step.door} {step.tool} {_cut(step.arguments)} at {START} + {step.at:.3f} s"


def _cut(value: object) -> str:
    return str(value)[:_MOST_SHOWN]
