"""A trial: a script drawn for three tenants, or projects, played on one service and, for each of them, on another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, Literal, TypeAlias

from cairn import wiring
from cairn.ground.ids import Project, Tenant
from cairn.ground.settings import MemorySettings, Quotas, RateSettings
from cairn.log.layout import ACROSS, log_pk
from cairn.settings.settings import Settings
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG
from isolation.answers import answer_of, code_of
from isolation.arguments import UNGUESSABLE, Drawing, Harvest
from isolation.homes import Home, InMemory, kept, owners
from isolation.names import PROJECTS, TENANTS, USERS, Names
from isolation.sequels import keeping, letting_go, sequels
from isolation.stage import OF_THE_DEPLOYMENT, START, Door, Party, Seen, Stage, Step
from support.tool import FOR_AGENTS

Among: TypeAlias = Literal["tenants", "projects", "users"]
_PARTS: Final[Sequence[Literal["answer", "log", "store", "jobs"]]] = ("answer", "log", "store", "jobs")
_PAUSES: Final = (0, 0, 0, 0.001, 0.5, 1, 1, 3, 10, 60, 100)
"""Seconds between calls, at most."""
_FOCUS: Final = ("namespace", "namespace", "tags", "session_id", "user_id")
_MOST_SHOWN: Final = 300
_ALL: Final = {"scopes": "read write", "projects": "*"}
_OPERATOR: Final = {"scopes": "read write admin"}


_UNLIMITED: Final = Settings(
    memory_enabled=True,
    tool_switches={tool.name: True for tool in CATALOG if not tool.on_by_default},
    memory=MemorySettings(recent_context_items=4, compaction_min_age_hours=1),
)
"""Settings whose rates and quotas a trial does not reach."""
_APART: Final = replace(_UNLIMITED, memory=replace(_UNLIMITED.memory, across_projects=False))
"""The same where users are not known across projects, so that these share nothing."""
_ABOUT_A_PROJECT: Final = tuple(
    tool for tool in FOR_AGENTS if tool.runs or "project" in tool.input_schema().get("required", ())
)
_FOR_USERS: Final = tuple(
    tool for tool in FOR_AGENTS if tool.runs or tool.of_own_projects or '"project":' in json.dumps(tool.input_schema())
)
"""The tools that a key to some projects may call."""
_POSITIONED: Final = frozenset({"mcp_pipe", *(tool.name for tool in CATALOG if tool.for_people)})
"""The tools whose cursors are a name or a time, behind which everyone is told of their own; a pipe may run them."""


@dataclass
class Verdict:
    """What a trial found, and what was called in it."""

    problems: list[str] = field(default_factory=list[str])
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How often each tool gave each code, OK included."""
    stolen: int = 0
    """How many calls were made with what only other parties were given."""
    across: frozenset[str] = frozenset()
    """The logs across projects that were there in the end."""

    @property
    def calls(self) -> int:
        return self.outcomes.total()


def isolated(seed: int, calls: int, home: Callable[[], Home] = InMemory, among: Among = "tenants") -> Verdict:
    """Play a drawn script of so many calls together and apart, and return how what a party sees differs.

    Parties are three tenants, three projects of one, or three users of one, each with a key to two projects across
    which memory knows them. Those of one tenant share rates, a key and the record of calls, so that only answers are
    compared, of the tools that are about a project.
    """
    draw = Random(seed)  # noqa: S311 - has to be repeatable
    parties, verdict = _parties(draw, among), Verdict()
    tools, settings = _tools_and_settings(draw, among)
    try:
        together = Stage(home(), settings)
        steps = list(played(together, draw, parties, calls, tools))
        _judge(together, steps, parties, verdict)
        across = log_pk(parties[0].tenant, Project(ACROSS), "")
        verdict.across = frozenset(pk for item in together.home.items() if (pk := str(item["pk"])).startswith(across))
        for party in parties:
            alone = Stage(home(), settings)
            verdict.problems += _differences(alone, [(step, seen) for step, seen in steps if step.party == party])
            if among == "tenants" and kept(together.home, party.tenant) != kept(alone.home, party.tenant):
                verdict.problems.append(f"{party} has something else in the store than it would have alone")
    finally:
        wiring.provide(None)
    return verdict


def _parties(draw: Random, among: Among) -> Sequence[Party]:
    tenants = [Tenant(name) for name in draw.sample(TENANTS, 3)]
    if among == "tenants":
        return [Party(tenant) for tenant in tenants]
    if among == "projects":
        return [Party(tenants[0], (project,)) for project in draw.sample(PROJECTS, 3)]
    projects, users = draw.sample(PROJECTS, 6), draw.sample(USERS, 3)
    return [Party(tenants[0], (projects[at], projects[at + 3]), user) for at, user in enumerate(users)]


def _tools_and_settings(draw: Random, among: Among) -> tuple[Sequence[Tool], Settings]:
    match among:
        case "tenants":
            return CATALOG, _settings(draw)
        case "projects":
            return _ABOUT_A_PROJECT, _APART
        case "users":
            return _FOR_USERS, _UNLIMITED


def _settings(draw: Random) -> Settings:
    """Return settings under which rates and quotas are seldom or often reached."""
    if draw.random() < 0.7:
        return _UNLIMITED
    rates = RateSettings(tenant_per_second=0.5, tenant_burst=100, tool_per_second=0.02, tool_burst=3)
    return replace(_UNLIMITED, quotas=Quotas(namespace_items=2, tenant_items=4), rate_limits=rates)


def played(
    stage: Stage, draw: Random, parties: Sequence[Party], calls: int, tools: Sequence[Tool]
) -> Iterator[tuple[Step, Seen]]:
    """Draw so many calls, play each and what follows from it, and yield it with what was seen of it."""
    names, harvest, at = Names.drawn(draw), Harvest(), 0.0
    focus = _focus(draw, tools)

    def play(step: Step) -> tuple[Step, Seen]:
        seen = stage.play(step)
        if step.tool:
            harvest.gather(step.party, answer_of(step, seen))
        return step, seen

    def played_on(step: Step) -> Iterator[tuple[Step, Seen]]:
        step, seen = play(step)
        yield step, seen
        for each in sequels(draw, step, seen):
            yield from played_on(each)

    # Before any rate is reached, so that in each trial there is something to forget.
    kept = [play(step) for step in keeping(draw, names, parties, _ALL)]
    yield from kept
    yield from (play(each) for step, seen in kept for each in letting_go(step, seen))
    for _ in range(calls):
        party = draw.choice(parties)
        at += draw.choice(_PAUSES) * draw.random()
        if draw.random() < 0.06:
            work = Step(party=party, door="jobs", at=at)
            yield work, stage.play(work)
        drawn = draw.choice(focus if draw.random() < 0.75 else tools)
        yield from played_on(_drawn(draw, Drawing(draw, names, harvest, party), drawn, at, tools))
    for party in parties:
        look = Step(party=party, door="audit", at=at + 1)
        yield look, stage.play(look)


def _focus(draw: Random, tools: Sequence[Tool]) -> Sequence[Tool]:
    """Return the tools that a trial calls most: those that take a field which is drawn."""
    field_name = draw.choice(_FOCUS)
    return [tool for tool in tools if field_name in tool.input_schema()["properties"]] or tools


def _drawn(draw: Random, drawing: Drawing, tool: Tool, at: float, tools: Sequence[Tool]) -> Step:
    arguments, headers = drawing.arguments(tool, tools)
    bounds = drawing.party.bounds
    credential = {**_ALL, **bounds, "credential": draw.choice(["k1", "k1", "k2"])}
    credential |= _OPERATOR if tool.for_operators else {}
    if draw.random() < 0.1:
        projects = bounds["projects"].split()[0] if bounds else "p p1 keys"
        changed = {"scopes": "read", "projects": projects, "policy": "narrow"}
        name = draw.choice(list(changed))
        credential[name] = changed[name]
    doors: Sequence[Door] = ("http",) if tool.for_operators else ("http", "mcp")
    return Step(
        party=drawing.party,
        door=draw.choice(doors),
        at=at,
        tool=tool.name,
        arguments=arguments,
        headers=headers,
        credential=credential,
        stolen=frozenset(drawing.stolen),
    )


def _judge(stage: Stage, played: Iterable[tuple[Step, Seen]], parties: Sequence[Party], verdict: Verdict) -> None:
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
        if code == "OK" and step.stolen & UNGUESSABLE and step.tool not in _POSITIONED:
            verdict.problems.append(f"{step.party} opened what was given to another: {_shown(step)}")
    known = {*(party.tenant for party in parties), *(pk.partition("#")[0] for pk in OF_THE_DEPLOYMENT)}
    verdict.problems += [f"something in the store is nobody's: {owner}" for owner in {*owners(stage.home)} - known]


def _differences(alone: Stage, played: Iterable[tuple[Step, Seen]]) -> Iterator[str]:
    """Play a party's steps alone and yield the first difference: from there on others follow from it."""
    for step, seen in played:
        if step.party.projects and step.door == "audit":
            continue
        again = alone.play(step)
        for part in _PARTS[:1] if step.party.projects else _PARTS:
            if getattr(again, part) != getattr(seen, part):
                yield f"{_shown(step)}: {part} alone {_cut(getattr(again, part))} together {_cut(getattr(seen, part))}"
                return


def _shown(step: Step) -> str:
    return f"{step.party} {step.door} {step.tool} {_cut(step.arguments)} at {START} + {step.at:.3f} s"


def _cut(value: object) -> str:
    return str(value)[:_MOST_SHOWN]
