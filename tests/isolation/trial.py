"""A trial: a script drawn for three tenants, or projects, played on one service and, for each of them, on another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, Literal, TypeAlias

from cairn import wiring
from cairn.ground.ids import Tenant
from cairn.ground.settings import MemorySettings, Quotas, RateSettings
from cairn.settings.settings import Settings
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG
from isolation.arguments import UNGUESSABLE, Drawing, Harvest
from isolation.homes import Home, InMemory, kept, owners
from isolation.names import PROJECTS, TENANTS, Names
from isolation.stage import OF_THE_DEPLOYMENT, START, Party, Seen, Stage, Step

Among: TypeAlias = Literal["tenants", "projects"]
_PARTS: Final[Sequence[Literal["answer", "log", "store", "jobs"]]] = ("answer", "log", "store", "jobs")
_PAUSES: Final = (0, 0, 0, 0.001, 0.5, 1, 1, 3, 10, 60, 100)
"""Seconds between calls, at most."""
_FOCUS: Final = ("namespace", "namespace", "tags", "session_id", "user_id")
_MOST_SHOWN: Final = 300
_ALL: Final = {"scopes": "read write", "projects": "*"}


_UNLIMITED: Final = Settings(
    memory_enabled=True,
    tool_switches={tool.name: True for tool in CATALOG if not tool.on_by_default},
    memory=MemorySettings(recent_context_items=4, compaction_min_age_hours=1),
)
"""Settings whose rates and quotas a trial does not reach."""
_APART: Final = replace(_UNLIMITED, memory=replace(_UNLIMITED.memory, across_projects=False))
"""The same where users are not known across projects, so that these share nothing."""
_ABOUT_A_PROJECT: Final = tuple(
    tool for tool in CATALOG if tool.runs or "project" in tool.input_schema().get("required", ())
)


_POSITIONED: Final = frozenset({"mcp_pipe", *(tool.name for tool in CATALOG if tool.route is not None)})
"""The tools whose cursors are a name or a time, behind which everyone is told of their own; a pipe may run them."""


@dataclass
class Verdict:
    """What a trial found, and what was called in it."""

    problems: list[str] = field(default_factory=list[str])
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How often each tool gave each code, OK included."""
    stolen: int = 0
    """How many calls were made with what only other parties were given."""

    @property
    def calls(self) -> int:
        return self.outcomes.total()


def isolated(seed: int, calls: int, home: Callable[[], Home] = InMemory, among: Among = "tenants") -> Verdict:
    """Play a drawn script of so many calls together and apart, and return how what a party sees differs.

    Parties are three tenants, or three projects of one: these share rates, a key and the record of calls, so that only
    answers are compared, of the tools that are about a project.
    """
    draw = Random(seed)  # noqa: S311 - has to be repeatable
    parties, verdict = _parties(draw, among), Verdict()
    tools, settings = (CATALOG, _settings(draw)) if among == "tenants" else (_ABOUT_A_PROJECT, _APART)
    try:
        together = Stage(home(), settings)
        steps = list(played(together, draw, parties, calls, tools))
        _judge(together, steps, parties, verdict)
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
    return [Party(tenants[0], project) for project in draw.sample(PROJECTS, 3)]


def _settings(draw: Random) -> Settings:
    """Return settings under which rates and quotas are seldom or often reached."""
    if draw.random() < 0.7:
        return _UNLIMITED
    rates = RateSettings(tenant_per_second=0.5, tenant_burst=100, tool_per_second=0.02, tool_burst=3)
    return replace(_UNLIMITED, quotas=Quotas(namespace_items=2, tenant_items=4), rate_limits=rates)


def played(
    stage: Stage, draw: Random, parties: Sequence[Party], calls: int, tools: Sequence[Tool]
) -> Iterator[tuple[Step, Seen]]:
    """Draw so many calls, play each, and yield it with what was seen of it."""
    names, harvest, at = Names.drawn(draw), Harvest(), 0.0
    focus = _focus(draw, tools)
    for _ in range(calls):
        party = draw.choice(parties)
        at += draw.choice(_PAUSES) * draw.random()
        if draw.random() < 0.06:
            work = Step(party=party, door="jobs", at=at)
            yield work, stage.play(work)
        drawn = draw.choice(focus if draw.random() < 0.75 else tools)
        step = _drawn(draw, Drawing(draw, names, harvest, party), drawn, at, tools)
        seen = stage.play(step)
        harvest.gather(party, answer_of(step, seen))
        yield step, seen
        if step.tool == "memory_after_turn" and draw.random() < 0.3:
            back = _taken_back(step)
            yield back, stage.play(back)
        if step.tool == "store_session_to_cascade" and (pointer := _pointer(step, seen)):
            read = replace(
                step, tool="retrieve_session_from_cascade", arguments={"pointer": pointer}, stolen=frozenset()
            )
            yield read, stage.play(read)
    for party in parties:
        look = Step(party=party, door="audit", at=at + 1)
        yield look, stage.play(look)


def _taken_back(said: Step) -> Step:
    """Return the call that takes back what a call has said; drawn by itself it would hardly name a newest turn."""
    named = {name: value for name, value in said.arguments.items() if name in {"project", "session_id", "turn_id"}}
    return replace(said, tool="memory_take_back_turn", arguments=named, stolen=frozenset())


def _pointer(step: Step, seen: Seen) -> str | None:
    """Return where a call has archived something; drawn by itself, hardly a call would read it there."""
    answer = answer_of(step, seen)
    return answer.get("structuredContent", answer).get("pointer")


def _focus(draw: Random, tools: Sequence[Tool]) -> Sequence[Tool]:
    """Return the tools that a trial calls most: those that take a field which is drawn."""
    field_name = draw.choice(_FOCUS)
    return [tool for tool in tools if field_name in tool.input_schema()["properties"]] or tools


def _drawn(draw: Random, drawing: Drawing, tool: Tool, at: float, tools: Sequence[Tool]) -> Step:
    arguments, headers = drawing.arguments(tool, tools)
    credential = {**_ALL, "credential": draw.choice(["k1", "k1", "k2"])}
    if draw.random() < 0.1:
        changed = {"scopes": "read", "projects": "p p1 keys", "policy": "narrow"}
        name = draw.choice(list(changed))
        credential[name] = changed[name]
    return Step(
        party=drawing.party,
        door=draw.choice(["http", "mcp"]),
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
        if step.party.project and step.door == "audit":
            continue
        again = alone.play(step)
        for part in _PARTS[:1] if step.party.project else _PARTS:
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
    return f"{step.party} {step.door} {step.tool} {_cut(step.arguments)} at {START} + {step.at:.3f} s"


def _cut(value: object) -> str:
    return str(value)[:_MOST_SHOWN]
