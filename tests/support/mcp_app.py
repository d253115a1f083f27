"""A chat client for tests of MCP Apps: the extension's own AppBridge in Chromium, and Cairn behind it.

The page stands in a sandbox of another origin. The host is `tests/browser/mcp_host`; its packages come from npm, in
exact versions, into `.cache/mcp-app`.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import urlencode

import httpx2
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from typing_extensions import override

from support.chromium import script, wait
from support.installed import ROOT, Started, environment

CACHE: Final = ROOT / ".cache" / "mcp-app"
HOST: Final = ROOT / "tests" / "browser" / "mcp_host"
PACKAGES: Final = {
    "@modelcontextprotocol/ext-apps": "2.0.4",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/core": "2.4.0",
    "zod": "4.6.7",
    "esbuild": "0.28.2",
}
CSP: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'; frame-src 'self'; object-src 'none'; base-uri 'self'"
)
"""What the specification has hosts allow a page that declares no domain; the sandbox frames the page itself."""
_INSTALL_SECONDS: Final = 300
_SECONDS: Final = 30
_NAME_OF: Final = "const it = arguments[0]; return it.ariaLabel || it.labels?.[0]?.textContent || it.textContent"
"""The name of a control; the driver itself computes none in a frame of another process."""


def packages() -> Path:
    """Return where the pinned packages lie, once npm has put them into the cache: one process at a time does so."""
    manifest = CACHE / "package.json"
    wanted = json.dumps({"private": True, "dependencies": PACKAGES}, indent=2)
    CACHE.parent.mkdir(exist_ok=True)
    with CACHE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not manifest.is_file() or manifest.read_text("utf-8") != wanted:
            shutil.rmtree(CACHE, ignore_errors=True)
            CACHE.mkdir()
            exact = [f"{name}@{version}" for name, version in PACKAGES.items()]
            quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
            _run(["npm", "install", "--prefix", str(CACHE), *quiet, *exact])
            manifest.write_text(wanted, "utf-8")
    return CACHE / "node_modules"


def bundle(directory: Path) -> None:
    """Put the host, with its packages in its script, into a directory."""
    modules = packages()
    shutil.copytree(HOST, directory, dirs_exist_ok=True)
    options = ["--bundle", "--format=esm", f"--outfile={directory / 'host.bundle.js'}"]
    _run([str(modules / ".bin" / "esbuild"), str(directory / "host.js"), *options], NODE_PATH=str(modules))


def _run(command: list[str], **told: str) -> None:
    environment = {**os.environ, **told}
    subprocess.run(command, env=environment, check=True, timeout=_INSTALL_SECONDS, capture_output=True)  # noqa: S603 - the programs above


class _Files(SimpleHTTPRequestHandler):
    @override
    def end_headers(self) -> None:
        if self.path.startswith("/sandbox.html"):
            self.send_header("content-security-policy", CSP)
        super().end_headers()

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def hosted(directory: Path) -> Generator[int]:
    """Serve the host from a directory, at 127.0.0.1 and at localhost, which are two origins, and yield the port."""
    bundle(directory)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(directory))) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True, slots=True)
class Cairn:
    """A running `cairn serve` as a key asks it, at first the one that its machine begins with, and that key's user."""

    origin: str
    key: str
    user: str

    @classmethod
    def of(cls, started: Started) -> Cairn:
        """Return it by what it said when it started."""
        key, user = (started.said.partition(f"{before} ")[2].split()[0] for before in ("API key", "and user"))
        return cls(started.origin, key, user.rstrip(","))

    def with_new_key(self, home: Path, *options: str) -> Cairn:
        """Return it as a key asks it that its machine, with this home, makes now."""
        command = [sys.executable, "-m", "cairn.local", "keys", "create", *options]
        done = subprocess.run(command, env=environment(home), check=True, capture_output=True, text=True)  # noqa: S603 - our own
        (key,) = re.findall(r"cairn_[0-9a-f]+_[\w-]+", done.stdout)
        return replace(self, key=key)

    def say(self, *turns: str) -> None:
        """Store a turn for each text that the user says."""
        for number, text in enumerate(turns):
            given = {"session_id": "monday", "turn_id": str(number), "output_items": [_message("assistant", "Noted.")]}
            self.call("memory_after_turn", **given, input_items=[_message("user", text)])

    def values(self) -> list[str]:
        """Return what is believed, in the order of the alphabet."""
        return sorted(fact["value"] for fact in self.call("memory_list_known")["facts"])

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """Return a tool's answer."""
        headers = {"authorization": f"Bearer {self.key}"}
        answer = httpx2.post(f"{self.origin}/v1/tools/{tool}", json=given, headers=headers, timeout=_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer.json()


def _message(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


@dataclass(frozen=True, slots=True)
class Chat:
    """The chat client with the page open in it."""

    driver: Chrome
    port: int

    def open(self, cairn: Cairn, *, theme: str = "light", era: str = "legacy", **given: str) -> None:
        """Ask what is known, with these arguments, and wait until the page shows it."""
        asked = {"mcp": f"{cairn.origin}/mcp", "key": cairn.key, "theme": theme, "era": era}
        asked |= {"sandbox": f"http://localhost:{self.port}/sandbox.html", "arguments": json.dumps(given)}
        self.driver.get(f"http://127.0.0.1:{self.port}/host.html?{urlencode(asked)}")
        wait(self.driver, lambda: self.record["errors"] or self.shows("#subjects:not([aria-busy])"))
        assert self.record["errors"] == []

    @property
    def record(self) -> Mapping[str, Any]:
        """Return what the host saw of the page."""
        self.driver.switch_to.default_content()
        return script(self.driver, "return window.record ?? {errors: []}")

    def set_theme(self, theme: str) -> None:
        """Have the host change its theme."""
        self.driver.switch_to.default_content()
        script(self.driver, "window.theme(arguments[0])", theme)

    def all(self, selector: str) -> list[WebElement]:
        """Return the elements of the page that a selector finds."""
        self.enter()
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the page that a selector finds."""
        return [each.text for each in self.all(selector)]

    def shows(self, selector: str) -> bool:
        """Tell whether the page shows what a selector finds."""
        return any(each.is_displayed() for each in self.all(selector))

    def press(self, label: str) -> None:
        """Press the button of this name: what a screen reader reads of it."""
        self.named(label).click()

    def named(self, label: str) -> WebElement:
        """Return the control of the page that a screen reader calls so."""
        controls = self.all("button, textarea, input, h1")
        return next(each for each in controls if script(self.driver, _NAME_OF, each) == label)

    @property
    def focused(self) -> str:
        """Return what a screen reader calls the page's control that has the focus."""
        self.enter()
        return script(self.driver, _NAME_OF, self.driver.switch_to.active_element)

    def enter(self) -> None:
        """Go into the page: the frame in the sandbox in the host."""
        self.driver.switch_to.default_content()
        self.driver.switch_to.frame("view")
        self.driver.switch_to.frame(0)
