"""Some days of a deployment on which every function does what it ever does, each in a process of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import urlsplit

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.ground.jobs import DUE_SHARDS, MaintainShard, SealAudit, encoded
from cairn.ground.session import Session
from cairn.ground.settings import AuthSettings, EnrichmentSettings, MemorySettings
from cairn.keyvalue import writing as keyvalue_writing
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_of
from cairn.settings.settings import Settings
from cairn_auth import authorizer, metadata
from cairn_health import door as health
from cairn_jobs import schedule, worker
from cairn_tools.catalog import CATALOG
from isolation.answers import answer_of, code_of
from isolation.homes import InMemory
from isolation.stage import START, Door, Party, Seen, Stage, Step
from isolation.trial import played
from simulation.stage import small
from support.access import RESOURCE, Issuer, asked, bearer
from support.doubles import InProcessSandbox
from support.services import services_over
from support.touches import Touches, WatchedSandbox

_SEEDS, _CALLS = 10, 560
_PARTIES: Final = (Party(Tenant("acme")), Party(Tenant("globex")))
_DAYS: Final = (1, 9, 60, 60)
"""After how many days each the schedule comes: facts end, turns are archived, sessions end, and so do what is left."""
_TIDY: Final = "memory_run_maintenance"
_PODS: Final = "oc_diagnostic_pod_health"
_DOORS: Final[tuple[Door, ...]] = ("http", "mcp")
_ALL: Final = {"scopes": "read write", "projects": "*", "credential": "k1"}
_SESSION: Final = {"project": "p", "session_id": "s1"}
_SESSION_HEADERS: Final = {"x-cairn-project": "p", "x-cairn-session": "s1"}
_NO_HEADERS: Final[Mapping[str, str]] = {}
_OF_DOORS: Final = {"mcp": "mcp", "jobs": "worker", "audit": "operator"}
_SOMETIMES: Final = 4
"""Of so many calls one is made with a credential that speaks for one user."""


@dataclass
class Deployment(Stage):
    """A stage on which each function has services of its own, whose calls are noted as the function's."""

    touches: Touches = field(default_factory=Touches)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    issuer: Issuer = field(default_factory=Issuer)
    binds: bool = True
    _processes: dict[str, Services] = field(default_factory=dict[str, Services])
    _number: int = 0

    @property
    def seconds(self) -> float:
        """Return how long it has been going on."""
        return (self.moment - START).total_seconds()

    def process(self, function: str) -> Services:
        """Let a function go on, and return its services."""
        self.touches.function = function
        if function not in self._processes:
            sandbox: Any = WatchedSandbox(InProcessSandbox(), self.touches)
            adapters = self.touches.watching(self.adapters)
            services = services_over(adapters, self.settings, sandbox=sandbox, http_get=self.issuer.get)
            self._processes[function] = services
        self._services = self._processes[function]
        wiring.provide(self._services)
        return self._services

    def play(self, step: Step) -> Seen:
        """Make the call in the process of its function, now and then for a credential of one user."""
        self._number += 1
        if self.binds and self._number % _SOMETIMES == 0:
            step = replace(step, credential={**step.credential, "users": json.dumps(["ada"])})
        self.process(_OF_DOORS.get(step.door, step.tool))
        seen = super().play(step)
        if step.tool:
            self.outcomes[step.tool, code_of(step, seen)] += 1
        return seen

    def pass_days(self, days: int) -> None:
        """Let days go by, and have done what is due then."""
        self.moment += timedelta(days=days)
        self.process("schedule")
        schedule.handler({"id": "request-1"}, None)
        self.process("worker")
        jobs = [*map(MaintainShard, range(DUE_SHARDS)), *(SealAudit(each.tenant) for each in _PARTIES)]
        bodies = [encoded(job) for job in jobs]
        messages = [{"messageId": str(number), "body": body} for number, body in enumerate(bodies)]
        worker.handler({"Records": messages}, _Invocation())

    def tidy(self, days: int) -> None:
        """Let days go by, and have each session tidied by a caller: over HTTP, over MCP and in a pipe in turn."""
        for number, session in enumerate(self._sessions()):
            at = self.seconds + (0 if number else days * 86_400)
            arguments = {"project": session.project, "session_id": session.session_id}
            step = Step(
                party=Party(session.tenant), door="http", at=at, tool=_TIDY, arguments=arguments, credential=_ALL
            )
            self.play((step, replace(step, door="mcp"), _piped(step))[number % 3])

    def _sessions(self) -> Sequence[Session]:
        heads = [str(item["pk"]) for item in self.home.items() if item["sk"] == HEAD]
        return [session_of(pk) for pk in sorted(heads)]

    def open_doors(self) -> None:
        """Call the functions that are no tools."""
        operator = self.process("operator")
        key, *_ = [operator.credentials.create(each.tenant, Grant()).text for each in _PARTIES]
        self.process("authorizer")
        for credential in (key, self.issuer.token(self.moment), "unknown"):
            authorizer.handler(asked(bearer(credential)), None)
        self.process("health")
        for path in ("/healthz", "/v1/runtime-config"):
            health.handler(_get(path), None)
        self.process("metadata")
        metadata.handler(_get("/.well-known/oauth-protected-resource"), None)


class _Invocation:
    def get_remaining_time_in_millis(self) -> int:
        return 900_000


def touched() -> Touches:
    """Return what each function touched in the course of some drawn days."""
    touches = Touches()
    with small(), patch.object(keyvalue_writing, "COLLECT_AT", 2):
        for seed in range(_SEEDS):
            _pass(seed, touches)
    wiring.provide(None)
    return touches


def _pass(seed: int, touches: Touches) -> None:
    issuer = Issuer()
    stage = Deployment(InMemory(), _settings(issuer, ends=seed % 2 == 0), touches=touches, issuer=issuer)
    stage.open_doors()
    draw = Random(seed)  # noqa: S311 - has to be repeatable
    for _ in played(stage, draw, _PARTIES, _CALLS, CATALOG):
        pass
    stage.binds = False
    for door in _DOORS:
        _converse(stage, draw, door)
    for days in _DAYS:
        if seed % 4 == 0:
            stage.tidy(days)
        stage.pass_days(days)


def _settings(issuer: Issuer, *, ends: bool) -> Settings:
    """Return settings under which everything is on; where sessions end, maintenance erases them."""
    return Settings(
        memory_enabled=True,
        tool_switches={tool.name: True for tool in CATALOG if not tool.on_by_default},
        memory=MemorySettings(
            recent_context_items=4, compaction_min_age_hours=1, session_retention_days=30 if ends else 0
        ),
        enrichment=EnrichmentSettings(enabled=True),
        auth=AuthSettings(oidc=issuer.settings(resource=RESOURCE)),
    )


def _converse(stage: Deployment, draw: Random, door: Door) -> None:
    """Call what is called too seldom by chance: a session that is long and large, which is diagnosed and archived."""
    say = partial(_say, stage, door)
    for number in range(8):
        turn = {"turn_id": f"{door}-{number}", "output_items": [{"role": "assistant", "content": "Well."}]}
        said = {"role": "user", "content": f"I like {number} figs. {draw.randbytes(900).hex()}"}
        say("memory_after_turn", _SESSION | turn | {"input_items": [said]})
    say("memory_before_turn", _SESSION | {"current_input": "Well?", "max_input_tok": 250})
    _run(say, draw.randbytes(900).hex(), f"{door}-run")
    _hook(say, draw.randbytes(900).hex(), f"{door}-hook")
    stage.play(Step(party=_PARTIES[0], door="jobs", at=stage.seconds + 300))
    known = say("memory_before_turn", _SESSION | {"current_input": "What do I like?"})["recall_fact_ids"]
    say("forget", _SESSION | {"memory_id": known[0]})
    _look(stage, say, draw.randbytes(900).hex(), f"{door}-run")
    say(_PODS, {"namespace": "shop", "pods": {"kind": "PodList", "items": []}}, _SESSION_HEADERS)
    say("store_session_to_cascade", {"session_id": "s1", "project": "p", "tags": [f"long-{door}"]})
    # What is archived already is not put again, and hexadecimal digits are refused: a pipe has a session of its own.
    plain = {"project": "p", "session_id": f"plain-{door}"}
    figs = {"turn_id": "figs", "input_items": "I like figs.", "output_items": "Noted."}
    stage.play(_step(stage, door, "memory_after_turn", plain | figs))
    stage.play(_piped(_step(stage, door, "store_session_to_cascade", plain | {"tags": ["plain"]})))
    large = {"namespace": "session.a", "key": f"large-{door}", "if_version": 0}
    value = draw.randbytes(2000).hex()
    for _ in range(2):
        say("putMemory", large | {"value": value})
    for key in ("kept", "other"):
        say("putMemory", {"namespace": "session.a", "key": key, "value": draw.randbytes(2000).hex()})
        say("putMemory", {"namespace": "session.a", "key": key, "value": 1})
    say("getMemory", {"namespace": "session.a", "key": f"large-{door}"})
    for tool, change in (("deleteMemory", {}), ("putMemory", {"value": 2}), ("mcp_pipe", {"value": 3})):
        say("putMemory", {"namespace": "session.a", "key": "large", "value": draw.randbytes(2000).hex()})
        say("putMemory", {"namespace": "session.a", "key": "large", "value": 1})
        stage.moment += timedelta(hours=2)
        small_value = {"namespace": "session.a", "key": "kept", **change}
        if tool == "mcp_pipe":
            stage.play(_piped(_step(stage, "http", "putMemory", small_value)))
        else:
            say(tool, small_value)


def _run(say: Callable[..., Any], text: str, turn: str) -> None:
    """Run a turn in two calls."""
    begun = say("memory_run_turn", _SESSION | {"phase": "begin", "turn_id": turn, "current_input": "And now?"})
    answer = [{"role": "assistant", "content": text}]
    told = {"phase": "commit", "operation_token": begun["operation_token"], "output_items": answer}
    say("memory_run_turn", told)


def _hook(say: Callable[..., Any], text: str, turn: str) -> None:
    """Have an agent's hooks tell of a turn with a tool in it, and of one whose end never comes."""
    of = {"agent": "claude-code", "user_id": "ada", "project": "p", "session_id": "hooked"}
    use = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}, "tool_response": text}
    for number in (1, 2):
        said = {"hook_event_name": "UserPromptSubmit", "prompt_id": f"{turn}-{number}", "prompt": f"Look: {text}"}
        say("memory_hook", {**of, "event": said})
    say(
        "memory_hook",
        {**of, "event": {"hook_event_name": "PostToolBatch", "prompt_id": f"{turn}-2", "tool_calls": [use]}},
    )
    said = {"hook_event_name": "Stop", "prompt_id": f"{turn}-2", "last_assistant_message": text}
    say("memory_hook", {**of, "event": said})
    say(
        "memory_hook",
        {**of, "event": {"hook_event_name": "UserPromptSubmit", "prompt_id": f"{turn}-3", "prompt": text}},
    )


def _look(stage: Deployment, say: Callable[..., Any], text: str, newest: str) -> None:
    """Ask for every list, and take the newest turn back, whose answer is a blob; what ada said is one in her log."""
    of_project, hers = {"project": "p"}, {"project": "p", "user_id": "ada"}
    said = {"turn_id": f"{newest}-hers", "input_items": [{"role": "user", "content": text}], "output_items": []}
    say("memory_after_turn", {**hers, "session_id": "hers", **said})
    for tool in ("memory_list_tools", "memory_list_projects"):
        bound = {**_ALL, "users": json.dumps(["ada"])}
        stage.play(replace(_step(stage, "http", tool, {}, _SESSION_HEADERS), credential=bound))
    for tool in ("memory_list_users", "memory_list_sessions"):
        say(tool, of_project)
    say("memory_list_known", hers)
    say("memory_list_dir_with_abstract", _SESSION)
    say("memory_list_items", _SESSION | {"order": "newest"})
    say("getContext", _SESSION)
    say("memory_take_back_turn", _SESSION | {"turn_id": newest})


def _step(
    stage: Deployment, door: Door, tool: str, arguments: Mapping[str, Any], headers: Mapping[str, str] = _NO_HEADERS
) -> Step:
    at, party = stage.seconds + 1, _PARTIES[0]
    return Step(party=party, door=door, at=at, tool=tool, arguments=arguments, headers=headers, credential=_ALL)


def _say(
    stage: Deployment, door: Door, tool: str, arguments: Mapping[str, Any], headers: Mapping[str, str] = _NO_HEADERS
) -> Any:
    """Make a call, through a pipe too, and return what the tool answers."""
    step = _step(stage, door, tool, arguments, headers)
    answer = answer_of(step, stage.play(step))
    stage.play(_piped(replace(step, arguments={**arguments, **_renamed(arguments)})))
    return answer.get("structuredContent", answer)


def _piped(step: Step) -> Step:
    """Return the same call as the only one of a pipe."""
    steps = [{"id": "one", "tool": step.tool, "arguments": step.arguments}]
    return replace(step, door="http", tool="mcp_pipe", arguments={"steps": steps})


def _renamed(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a second call says instead, so that it is none of the first."""
    return {"turn_id": f"{arguments['turn_id']}-again"} if "turn_id" in arguments else {}


def _get(path: str) -> dict[str, Any]:
    host = urlsplit(RESOURCE).netloc
    context = {"http": {"method": "GET", "path": path}, "requestId": "request-1", "domainName": host}
    return {"version": "2.0", "rawPath": path, "headers": {"host": host}, "requestContext": context}
