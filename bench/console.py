"""How long the console's pages take where there is much: each asked again and again of a warm `cairn serve`.

Beside each page stands the slowest tool that it asks, by itself over HTTP with the same arguments. `--kept` names a
folder in which the store is kept for another run.
"""

from __future__ import annotations

import http.client
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from unittest import mock
from urllib.parse import urlencode, urlsplit

import report
from cairn.access.api_keys import ALL_PROJECTS, Grant
from cairn.access.callers import Caller
from cairn.local.demo.server_process import ServerProcess
from cairn.local.store import LOCAL_TENANT, SWITCH, operator_services
from cairn.tool.call import Call, execute
from cairn_console import visit
from cairn_console.catalog import PAGES
from cairn_console.page import Page
from cairn_console.rendering import address
from cairn_console.visit import Visit
from console_store import PROJECT, Size, fill
from report import Cell, Table
from scenes import SEED

USERS: Final = 100
TIMES: Final = 50
MOST_MS: Final = 200
"""How many milliseconds 95 of a hundred requests for a page may take."""
_SETTINGS: Final = {SWITCH: "true"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool that a page asks, with the arguments."""

    tool: str
    arguments: Mapping[str, Any]


def main() -> None:
    """Print the table."""
    parser = report.options(__doc__)
    parser.add_argument("--sessions", type=int, default=10_000, help="how many conversations there are")
    parser.add_argument("--memories", type=int, default=100_000, help="how many memories they keep")
    parser.add_argument("--users", type=int, default=USERS, help="how many users have them")
    parser.add_argument("--times", type=int, default=TIMES, help="how often each page is asked for")
    parser.add_argument("--kept", type=Path, help="a folder in which the store is kept")
    given = parser.parse_args()
    size = Size(given.sessions, given.memories, min(given.users, given.sessions))
    with tempfile.TemporaryDirectory() if given.kept is None else nullcontext(given.kept) as name:
        store = Path(name)
        if not (store / "table.sqlite3").exists():
            fill(store, size, SEED)
        table = _measured(store, size, given.times)
    report.publish("console", [table], given, seeds=(SEED,), libraries=("uvicorn", "jinja2"))


def _measured(store: Path, size: Size, times: int) -> Table:
    key = operator_services(store, {}).credentials.create(LOCAL_TENANT, Grant(scopes=("read", "write", "admin"))).text
    server = ServerProcess(store, _SETTINGS)
    server.start()
    try:
        rows = list(_rows(store, server.url.removesuffix("/mcp"), key, size, times))
    finally:
        server.stop()
    columns = ("page", "p50 ms", "p95 ms", "at most", "", "KB", "its slowest tool", "p50 ms", "p95 ms")
    says = (
        f"{size.sessions:,} conversations and {size.memories:,} memories in one project, of {size.users} users; each "
        f"asked for {times} times, one after another, after two that warm up. Bench and server share the cores."
    )
    return Table("Pages of the console", columns, rows, says)


def _rows(store: Path, origin: str, key: str, size: Size, times: int) -> Iterator[Sequence[Cell]]:
    connection = http.client.HTTPConnection(urlsplit(origin).netloc)
    cookie = _signed_in(connection, key)
    for page in PAGES:
        path = address(page.path, **_query(store, page, size))
        kilobytes = len(_answer(connection, "GET", path, {"cookie": cookie})) / 1000
        took = _times(lambda path=path: _answer(connection, "GET", path, {"cookie": cookie}), times)
        tools = [
            (each.tool, *_times(lambda each=each: _tool(connection, key, each), times))
            for each in _asks(store, page, size)
        ]
        slowest = max(tools, key=lambda each: each[2], default=("", None, None))
        met = "met" if took[1] <= MOST_MS else "NOT MET"
        yield (page.title, *took, MOST_MS, met, round(kilobytes, 1), *slowest)


def _query(store: Path, page: Page, size: Size) -> Mapping[str, str]:
    """Return a query with which a page has much to show."""
    place = {"project": str(PROJECT), "user": str(size.user(0))}
    more = {
        "search": lambda: {"q": "Where do they live now?"},
        "statement": lambda: {"id": _fact(store, size)},
        "session": lambda: {"session": str(size.session(0))},
        "values": lambda: {"namespace": "agent.notes"},
        "replay": lambda: {"receipt": _receipt(store, size)},
    }
    return {**place, **(more[page.name]() if page.name in more else {})}


def _fact(store: Path, size: Size) -> str:
    asked = {"project": PROJECT, "user_id": size.user(0), "limit": 1}
    return execute(visit.CATALOG, "memory_list_known", asked, _call(store))["facts"][0]["id"]


def _receipt(store: Path, size: Size) -> str:
    asked = {"project": PROJECT, "session_id": size.session(0), "user_id": size.user(0), "query": "Where do they live?"}
    return execute(visit.CATALOG, "recall", asked, _call(store))["receipt"]


def _call(store: Path) -> Call:
    caller = Caller(LOCAL_TENANT, frozenset({"read", "write", "admin"}), "bench", (ALL_PROJECTS,))
    return Call(caller, operator_services(store, _SETTINGS))


def _asks(store: Path, page: Page, size: Size) -> list[Asked]:
    """Return what a page asks, which is noted while it is shown in this process."""
    asked: list[Asked] = []

    def noted(catalog: Any, tool: str, given: Mapping[str, Any], call: Call) -> dict[str, Any]:
        asked.append(Asked(tool, given))
        return execute(catalog, tool, given, call)

    with mock.patch.object(visit, "execute", noted):
        page.show(Visit(_call(store), page.tools, _query(store, page, size)))
    return asked


def _signed_in(connection: http.client.HTTPConnection, key: str) -> str:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/console/sign-in", urlencode({"key": key}), headers)
    answer = connection.getresponse()
    answer.read()
    return str(answer.headers["set-cookie"]).partition(";")[0]


def _tool(connection: http.client.HTTPConnection, key: str, asked: Asked) -> bytes:
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    return _answer(connection, "POST", f"/v1/tools/{asked.tool}", headers, json.dumps(asked.arguments))


def _answer(
    connection: http.client.HTTPConnection, method: str, path: str, headers: Mapping[str, str], body: str | None = None
) -> bytes:
    """Return what is answered; ValueError for anything but what was asked for."""
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != HTTPStatus.OK:
        raise ValueError(f"{method} {path} was answered with {answer.status}: {content[:500]!r}")
    return content


def _times(request: Callable[[], object], times: int) -> tuple[float, float]:
    """Return the median and the 95th percentile in milliseconds."""
    took: list[float] = []
    for number in range(-2, times):
        started = time.perf_counter()
        request()
        if number >= 0:
            took.append(1000 * (time.perf_counter() - started))
    took.sort()
    return round(took[len(took) // 2], 1), round(took[math.ceil(0.95 * len(took)) - 1], 1)


if __name__ == "__main__":
    main()
