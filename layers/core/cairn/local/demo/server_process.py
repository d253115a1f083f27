"""Start, kill and restart a `cairn serve` process on one store."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cairn.ground.errors import SettingsError

DEMO_SETTINGS = {"CAIRN_MEMORY_ENABLED": "true"}
_ENDPOINT = re.compile(r"http://\S+/mcp")
_STOP_SECONDS = 10


@dataclass(slots=True)
class ServerProcess:
    """A server on a free port; its log goes to `serve.log` in the store."""

    store: Path
    settings: Mapping[str, str] = field(default_factory=lambda: DEMO_SETTINGS)
    url: str = field(default="", init=False)
    _process: subprocess.Popen[str] | None = field(default=None, init=False)

    @property
    def pid(self) -> int:
        """The child's process id; 0 before it was started."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the child and wait until it listens; SettingsError with its own words if it does not."""
        command = [sys.executable, "-m", "cairn.local", "serve", "--port", "0", "--data", str(self.store)]
        log = self.store / "serve.log"
        with log.open("a", encoding="utf-8") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own program, with arguments of ours
                command, env={**os.environ, **self.settings}, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        for line in self._process.stdout or ():
            if match := _ENDPOINT.search(line):
                self.url = match[0]
                return
        self.kill()
        last_words = log.read_text(encoding="utf-8").strip().splitlines()[-1:]
        raise SettingsError(f"cairn serve did not start: {''.join(last_words)}")

    def kill(self) -> None:
        """End the child at once, as a power cut would."""
        if self._process:
            self._process.kill()
            self._reap(self._process)

    def stop(self) -> None:
        """Ask the child to end and wait for it."""
        if self._process:
            self._process.terminate()
            self._reap(self._process)

    def _reap(self, process: subprocess.Popen[str]) -> None:
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()
        self._process = None
