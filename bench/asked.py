"""Agents that ask memory by a seed, and an operator who replays their receipts, over one store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from cairn.access.api_keys import ALL_PROJECTS, Scope
from cairn.access.callers import Caller
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, Tenant
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG

ACME = Tenant("acme")
SCOPES: Final = frozenset[Scope]({"read", "write", "admin"})


@dataclass
class Scene:
    """Processes over one store; the answers that they gave, by receipt."""

    adapters: Adapters
    start: Callable[[], Services]
    tenant: Tenant = ACME
    given: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    _services: Services | None = None

    @property
    def services(self) -> Services:
        """Return the services of the process that runs."""
        if self._services is None:
            self._services = self.start()
        return self._services

    def restart(self) -> None:
        """Let a new process take over, which has read nothing."""
        self._services = None

    def ask(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and keep what it answers with a receipt."""
        self.adapters.clock.sleep(1)
        call = Call(Caller(self.tenant, SCOPES, "request-1", (ALL_PROJECTS,)), self.services)
        answer = execute(CATALOG, tool, arguments, call)
        if "receipt" in answer:
            self.given[answer["receipt"]] = answer
        return answer

    def say(self, *said: str, session: str = "monday", user: str = "ada", **more: Any) -> str:
        """Store a turn, and return its id."""
        turn = f"turn-{self.adapters.entropy.token(6).hex()}"
        items = [{"type": "message", "role": "user", "content": each} for each in said]
        stored = {"input_items": items, "output_items": "Noted.", **more}
        self.ask("memory_after_turn", **_place(session, user), turn_id=turn, **stored)
        return turn

    def recall(self, query: str, session: str = "monday", user: str = "ada", **more: Any) -> dict[str, Any]:
        """Recall something."""
        return self.ask("recall", **_place(session, user), query=query, **more)

    def prepare(self, said: str, session: str = "monday", user: str = "ada", **more: Any) -> dict[str, Any]:
        """Prepare a turn."""
        return self.ask("memory_before_turn", **_place(session, user), current_input=said, **more)

    def replay(self, receipt: str) -> dict[str, Any]:
        """Ask why, as an operator."""
        return self.ask("memory_replay", receipt=receipt)

    def differing(self, receipts: Sequence[str] | None = None) -> dict[str, Any]:
        """Return which of the receipts, or of all, are not answered as they were, with what they are answered."""
        found = {name: self.replay(name) for name in (self.given if receipts is None else receipts)}
        return {name: each for name, each in found.items() if not same(each, self.given[name])}


def same(replayed: dict[str, Any], given: dict[str, Any]) -> bool:
    """Tell whether a replay gives the same answer, and says that it does."""
    once = {name: value for name, value in given.items() if name not in {"receipt", "operation_token", "expires_at"}}
    return replayed["answer"] == once and replayed["proven"] and replayed["identical"]


def _place(session: str, user: str) -> dict[str, str]:
    return {"project": "garden", "session_id": session, "user_id": user}


_SAYINGS = (
    "I live in {place} now.",
    "My dog is called {name}.",
    "I prefer {thing} in the morning.",
    "We decided to plant {thing} next to the {other}.",
    "Remind me that {name} comes to {place} on Friday.",
    "Is there more {thing} than {other} in {place}?",
    "Actually, {name} has moved to {place}.",
)
_QUESTIONS = (
    "Where do I live?",
    "What is my dog called?",
    "What do I prefer in the morning?",
    "Who comes to {place}?",
    "Did we plant {thing}?",
    "What did we say of {name} and {thing}?",
)
_WORDS = {
    "place": ("Lisbon", "Porto", "Oslo", "Turin", "Graz"),
    "name": ("Biscuit", "Marta", "Otto", "Pippa", "Juno"),
    "thing": ("tea", "beans", "coffee", "roses", "kale"),
    "other": ("shed", "fence", "pond", "gate"),
}
_WRITES = ("say",) * 15 + ("remember",) * 4 + ("forget",)
_SCOPES = ("user", "project", "session", "user_everywhere")
_SELDOM = (True, False, False, False, False)
PLACES = (("monday", "ada"), ("monday", "bob"), ("tuesday", "ada"), ("wednesday", "bob"))


class Story:
    """Draws what people say and ask, and what is done to memory meanwhile, by a seed."""

    def __init__(self, scene: Scene, seed: int) -> None:
        """Begin to draw."""
        self.scene = scene
        self.random = Random(seed)  # noqa: S311 - drawn again by the same seed
        self._kept: list[tuple[str, dict[str, str]]] = []

    def write(self) -> None:
        """Store a turn, keep a memory or, now and then, forget one."""
        session, user = self.random.choice(PLACES)
        where = _place(session, user)
        match self.random.choice(_WRITES):
            case "say":
                self.scene.say(self._text(_SAYINGS), session=session, user=user)
            case "forget" if self._kept:
                name, there = self._kept.pop(self.random.randrange(len(self._kept)))
                self.scene.ask("forget", **there, memory_id=name)
            case _:
                scope, number = self.random.choice(_SCOPES), self.random.random()
                kept = self.scene.ask("remember", **where, content=f"{self._text(_SAYINGS)} ({number})", scope=scope)
                self._kept.append((kept["memory_id"], where))

    def question(self) -> None:
        """Recall something, or prepare a turn, with options."""
        session, user = self.random.choice(PLACES)
        scope = self.random.choice((None, "user", "session", "project"))
        explain = self.random.choice(_SELDOM)
        if self.random.choice((True, False)):
            more = {"limit": self.random.choice((3, 10)), "include_superseded": self.random.choice(_SELDOM)}
            query = None if self.random.choice(_SELDOM) else self._text(_QUESTIONS)
            self.scene.ask("recall", **_place(session, user), query=query, recall_scope=scope, explain=explain, **more)
        else:
            tokens = self.random.choice((600, 120_000))
            more = {"recall_scope": scope, "explain": explain, "max_input_tok": tokens}
            self.scene.prepare(self._text(_QUESTIONS), session=session, user=user, **more)

    def upkeep(self) -> None:
        """Index a log, tidy a session, let hours pass or another process take over."""
        session, user = self.random.choice(PLACES)
        match self.random.randrange(4):
            case 0:
                self.scene.adapters.clock.sleep(3600 * self.random.choice((1, 30)))
            case 1:
                self.scene.restart()
            case 2:
                for owner in (f"u:{user}", f"~u:{user}", "p:", f"s:{session}"):
                    self.scene.services.indexer.run(self.scene.tenant, Project("garden"), owner)
            case _:
                self.scene.ask("memory_run_maintenance", project="garden", session_id=session)

    def _text(self, texts: Sequence[str]) -> str:
        words = {name: self.random.choice(choice) for name, choice in _WORDS.items()}
        return self.random.choice(texts).format(**words)
