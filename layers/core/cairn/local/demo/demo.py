"""`cairn demo`: replay a conversation through a real MCP client, and check what Cairn promises."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import anyio

from cairn.access.api_keys import Grant
from cairn.local.demo import locomo
from cairn.local.demo.client import Lost, MemoryClient, Refused, connected
from cairn.local.demo.conversation import Conversation, Scene, shipped
from cairn.local.demo.replay import ReplayTally, ask, digest, forge, obeyed, replay, send_again
from cairn.local.demo.screen import Screen
from cairn.local.demo.server_process import ServerProcess
from cairn.local.directory import prepare
from cairn.local.embedding_model import words_only
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn.settings.settings import read

_RESTART_BEFORE = 2
_RESENT = 3
_KEY_LIFETIME = timedelta(days=1)
_GO_ON = " Run this again and it goes on from what is stored."
_DATES = "The clock is the real one; the conversation's own dates stand in its texts only."


@dataclass(frozen=True, slots=True)
class DemoTarget:
    """The service to talk to: its address, its key and, if the demo started it, how to kill it."""

    url: Callable[[], str]
    key: str = field(repr=False)
    cut_power: Callable[[], None] | None = None


def demo(data: Path | None, store: Path | None, url: str | None, key: str | None) -> bool:
    """Replay the shipped conversation or a LoCoMo file; return whether every check held.

    Without `url` it starts a server of its own, on `store` or on a directory that is gone afterwards.
    """
    conversations = locomo.read(data) if data else (shipped(),)
    turns = sum(len(conversation.turns) for conversation in conversations)
    with Screen(turns) as screen, _target(store, url, key, screen) as target:
        screen.note(_DATES)
        if url is None and (warned := words_only(read(os.environ).embedding)):
            screen.note(warned, "bold yellow")
        run = _Run(target, "locomo" if data else "demo", screen)
        try:
            return anyio.run(run.benchmark, conversations) if data else anyio.run(run.story, conversations[0])
        except (Lost, Refused) as error:
            screen.note(f"{error}.{_GO_ON if store else ''}", "bold red")
            return False


@dataclass(frozen=True, slots=True)
class _Run:
    target: DemoTarget
    project: str
    screen: Screen
    tally: ReplayTally = field(default_factory=ReplayTally)

    async def story(self, conversation: Conversation) -> bool:
        """Replay the shipped conversation with a power cut in it, then try to store things twice."""
        self.screen.conversation(conversation)
        for number, session in enumerate(conversation.sessions):
            if number == _RESTART_BEFORE and self.target.cut_power:
                self.target.cut_power()
            await self._replay(conversation, session)
        user_id, turns = conversation.user_id, conversation.turns
        unknown = await self._ask_another_agent(conversation)
        async with self._connected() as memory:
            doubled = await send_again(memory, user_id, turns[:_RESENT])
            forged = await forge(memory, user_id, *turns[0])
            lost = await send_again(memory, user_id, turns)
            state = await digest(memory, (conversation,))
        self.tally.replays_ignored += _RESENT - len(doubled) + len(turns) - len(lost)
        self._end(state)
        return self.screen.verdicts(
            (
                ("Every question got what it needed from memory, and no fact that is out of date", self.tally.failures),
                ("A second agent, in a new conversation, knew what the first was told, and what is true now", unknown),
                ("Nothing that was said stood where a model takes orders, forged orders included", obeyed(self.tally)),
                (f"{_RESENT} turns were sent again: replays ignored", doubled),
                ("One came back with other words: refused with CONFLICT, as it must be", forged),
                ("Every turn is stored, exactly once", lost),
            )
        )

    async def benchmark(self, conversations: Sequence[Conversation]) -> bool:
        """Replay conversations one after the other; turns stored by an earlier run are ignored."""
        for conversation in conversations:
            self.screen.conversation(conversation)
            for session in conversation.sessions:
                await self._replay(conversation, session)
        async with self._connected() as memory:
            state = await digest(memory, conversations)
        self._end(state)
        return not self.tally.failures

    async def _replay(self, conversation: Conversation, session: Scene) -> None:
        self.screen.session(session)
        async with self._connected() as memory:
            await replay(memory, conversation.user_id, session, self.tally, self.screen)

    async def _ask_another_agent(self, conversation: Conversation) -> list[str]:
        scene = conversation.second_agent
        if scene is None:
            return []
        self.screen.session(scene)
        async with self._connected() as memory:
            return await ask(memory, conversation.user_id, scene, self.tally, self.screen)

    def _connected(self) -> AbstractAsyncContextManager[MemoryClient]:
        return connected(self.target.url(), self.target.key, self.project)

    def _end(self, state: str) -> None:
        self.screen.table(self.tally)
        self.screen.note(f"state {state}")


@contextmanager
def _target(store: Path | None, url: str | None, key: str | None, screen: Screen) -> Generator[DemoTarget]:
    if url:
        yield DemoTarget(lambda: url, key or "")
        return
    with _directory(store) as directory, _key_of_its_own(directory) as own_key, _server(directory) as server:

        def cut_power() -> None:
            pid = server.pid
            server.kill()
            server.start()
            screen.note(f"Server {pid} was killed with SIGKILL; server {server.pid} goes on with the same store.")

        screen.note(f"Server {server.pid} serves {directory}")
        yield DemoTarget(lambda: server.url, own_key, cut_power)


@contextmanager
def _directory(store: Path | None) -> Generator[Path]:
    if store:
        yield prepare(store)
        return
    with tempfile.TemporaryDirectory(prefix="cairn-demo-") as directory:
        yield Path(directory)


@contextmanager
def _key_of_its_own(directory: Path) -> Generator[str]:
    keys = operator_services(directory, os.environ).credentials
    issued = keys.create(LOCAL_TENANT, Grant(), _KEY_LIFETIME)
    try:
        yield issued.text
    finally:
        keys.revoke(issued.credential.id)


@contextmanager
def _server(directory: Path) -> Generator[ServerProcess]:
    server = ServerProcess(directory)
    server.start()
    try:
        yield server
    finally:
        server.stop()
