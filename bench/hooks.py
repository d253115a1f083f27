"""What a coding agent's hooks cost: the process that brings an event, and each event where there is much in memory."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import quantiles
from threading import Thread
from typing import Any, Final

from report import Table, options, publish

CAIRN: Final = Path(sys.executable).parent / "cairn"
TURNS: Final = 200
"""How many turns the server has before it is measured."""
_STARTS_WITHIN_SECONDS: Final = 30.0
_ASKED: Final = "Which of the beds did we give to the beans, and why?"
Event = Mapping[str, Any]


def main() -> int:
    """Print the tables."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        tables = [processes(Path(home) / "one", given.runs), events(Path(home) / "two", given.runs)]
    publish("hooks", tables, given)
    return 0


def processes(home: Path, runs: int) -> Table:
    """Return what a hook's process takes beside its call, at a server of one line, and what Python alone takes."""
    inside: list[float] = []
    with answering(inside) as url:
        connect(home, url, "cairn_x")
        event = prompted(0)
        hooks: list[float] = []
        for _ in range(runs):
            before = len(inside)
            hooks.append(hook(home, event) - sum(inside[before:]))
    python = [seconds([sys.executable, "-c", "pass"], b"", home) for _ in range(runs)]
    rows = [["cairn hook, beyond the HTTP call", *_ms(hooks)], ["python -c pass", *_ms(python)]]
    return Table("The process of a hook", ["process", "p50 ms", "p95 ms"], rows, f"{runs} runs each.")


def events(home: Path, runs: int) -> Table:
    """Return what each event takes, the process with it, where the user has so many turns."""
    home.mkdir()
    with serving(home) as (url, key):
        connect(home, url, key)
        for number in range(TURNS):
            for event in (prompted(number), answered(number)):
                tell(url, key, event)
        made: Mapping[str, Callable[[int], Event]] = {
            "SessionStart": started,
            "UserPromptSubmit": lambda number: prompted(TURNS + number),
            "Stop": lambda number: answered(TURNS + number),
        }
        rows = [[name, *_ms([hook(home, make(number)) for number in range(runs)])] for name, make in made.items()]
    note = f"`cairn hook claude-code` and `cairn serve` on one machine, {TURNS} turns in memory; {runs} runs each."
    return Table("The events of a turn", ["event", "p50 ms", "p95 ms"], rows, note)


def started(number: int) -> Event:
    """Return the event of a session's begin."""
    return {"hook_event_name": "SessionStart", "session_id": f"new-{number}", "source": "startup"}


def prompted(number: int) -> Event:
    """Return the event of a prompt."""
    said = f"{_ASKED} Bed {number} is {number % 7} metres long, and gets {number % 11} hours of sun."
    return {
        "hook_event_name": "UserPromptSubmit",
        "session_id": f"s{number // 20}",
        "prompt_id": str(number),
        "prompt": said,
    }


def answered(number: int) -> Event:
    """Return the event of its answer."""
    said = f"Then bed {number} suits beans, if the soil is loose."
    named = {"session_id": f"s{number // 20}", "prompt_id": str(number)}
    return {"hook_event_name": "Stop", **named, "last_assistant_message": said}


def connect(home: Path, url: str, key: str) -> None:
    """Write the client file."""
    path = home / ".config" / "cairn" / "client.json"
    path.parent.mkdir(parents=True)
    path.touch(mode=0o600)
    path.write_text(json.dumps({"url": url, "key": key, "project": "garden"}), "utf-8")


def hook(home: Path, event: Event) -> float:
    """Return how long the process of a hook takes with an event."""
    return seconds([str(CAIRN), "hook", "claude-code"], json.dumps(event).encode(), home)


def seconds(command: list[str], given: bytes, home: Path) -> float:
    """Return how long a process takes."""
    began = time.perf_counter()
    subprocess.run(  # noqa: S603 - Python, or the program that is measured
        command, input=given, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "HOME": str(home)}
    )
    return time.perf_counter() - began


def tell(url: str, key: str, event: Event) -> None:
    """Tell the server an event without a process of its own."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=30)
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json", "x-cairn-project": "garden"}
    connection.request("POST", "/v1/hooks/claude-code", json.dumps(event), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200 or answer.getheader("x-cairn-refused"):  # noqa: PLR2004 - HTTP
        raise RuntimeError(f"the server refused an event: {answer.status}")


@contextmanager
def answering(inside: list[float]) -> Generator[str]:
    """Serve one answer on this machine; note how long each call took inside, in seconds."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            began = time.perf_counter()
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
            inside.append(time.perf_counter() - began)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def serving(home: Path) -> Generator[tuple[str, str]]:
    """Run `cairn serve` and yield its address and its first key."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = ["--data", str(home / "data")]
    command = [str(CAIRN), "serve", "--port", str(port), "--project", "garden", "--quiet", *data]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - what is measured
        try:
            yield f"http://127.0.0.1:{port}", _key_of(server)
        finally:
            server.terminate()


def _key_of(server: subprocess.Popen[str]) -> str:
    """Return the key that a server prints, once it answers."""
    until = time.monotonic() + _STARTS_WITHIN_SECONDS
    key = ""
    while server.stdout is not None and time.monotonic() < until:
        line = server.stdout.readline()
        if "API key" in line:
            key = line.split()[2]
        if line.startswith("Stop with"):
            return key
    raise RuntimeError("cairn serve did not start")


def _ms(spent: list[float]) -> list[float]:
    twentieths = quantiles(spent, n=20)
    return [round(1000 * twentieths[9], 1), round(1000 * twentieths[18], 1)]


if __name__ == "__main__":
    sys.exit(main())
