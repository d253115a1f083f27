"""A person's machine for tests of real agents: their agents, a repository, and `cairn serve`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from cairn.conversation.items import role_of, text_of
from support.agents import Agent, Model

CAIRN: Final = Path(sys.executable).parent / "cairn"
PROJECT: Final = "acme/widget"
_REMOTE: Final = '[remote "origin"]\n\turl = git@example.com:acme/widget.git\n'
_STARTS_WITHIN_SECONDS: Final = 30.0
_RUN_SECONDS: Final = 60


@dataclass
class Server:
    """`cairn serve` over one directory, at the same port whenever it runs."""

    data: Path
    port: int
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(CAIRN), "serve", "--port", str(self.port), "--data", str(self.data), "--quiet"]
        self._process = subprocess.Popen(  # noqa: S603 - the program under test
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + _STARTS_WITHIN_SECONDS
        while not self._answers():
            assert time.monotonic() < until, "cairn serve did not start"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in good order."""
        self._end(signal.SIGTERM)

    def get(self, key: str, path: str, **query: str) -> dict[str, Any]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            connection.request("GET", f"{path}?{urlencode(query)}", headers={"authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            body = answer.read()
        assert answer.status == 200, body
        return json.loads(body)

    def _answers(self) -> bool:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=1)) as connection, suppress(OSError):
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        return False

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(30)
            self._process = None


@dataclass
class Desk:
    """One person's home with their agents, a repository, and their server."""

    root: Path
    model: Model
    model_url: str
    server: Server
    programs: Mapping[str, Sequence[str]]
    _agents: dict[str, Agent] = field(default_factory=dict[str, Agent])

    def agent(self, name: str) -> Agent:
        """Return an agent that was connected as `cairn serve` says when it starts."""
        if name not in self._agents:
            agent = self.unconnected(name)
            self.cairn("connect", name, "--yes", "--port", str(self.server.port), "--data", str(self.server.data))
            self._agents[name] = agent
        return self._agents[name]

    def unconnected(self, name: str) -> Agent:
        """Return an agent as it is before it is told of any memory."""
        (self.repository / ".git").mkdir(parents=True, exist_ok=True)
        (self.repository / ".git" / "config").write_text(_REMOTE)
        agent = Agent(name, self.programs[name], self.home, self.repository, self.model_url)
        agent.prepare()
        return agent

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def repository(self) -> Path:
        return self.root / "widget"

    def cairn(self, *arguments: str, status: int = 0) -> str:
        """Run a command as the person does, and return what it prints."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        done = subprocess.run(  # noqa: S603 - the program under test
            [str(CAIRN), *arguments],
            env={**kept, "HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=_RUN_SECONDS,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def stored(self, project: str = PROJECT, key: str | None = None) -> list[tuple[str, str]]:
        """Return what is stored in a project, as role and text, in the order in which it was said.

        Without a key, it is asked with that of the client file.
        """
        if key is None:
            key = str(json.loads((self.home / ".config" / "cairn" / "client.json").read_text("utf-8"))["key"])
        listed = self.server.get(key, "/v1/sessions", project=project, limit="100")["sessions"]
        found: list[dict[str, Any]] = []
        for session in listed:
            path = f"/v1/sessions/{session['session_id']}/items"
            found += self.server.get(key, path, project=project, limit="100")["items"]
        return [(role_of(each["item"]), text_of(each["item"])) for each in sorted(found, key=_when)]


def _when(item: Mapping[str, Any]) -> tuple[str, str]:
    return str(item.get("at", item.get("ts"))), str(item.get("id"))
