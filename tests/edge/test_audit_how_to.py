"""docs/how-to/check-the-record-of-calls.md: what it has curl ask is answered as it shows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cairn.services import Services
from cairn_tools.memory_tell_health import memory_tell_health
from support.access import EventOf, bearer, through
from support.bound import ACME, TOOLS, House
from support.calls import HOUR
from support.routes import routed

PAGE = Path(__file__).parents[2] / "docs/how-to/check-the-record-of-calls.md"


def shown() -> Iterator[tuple[str, dict[str, Any] | None, str]]:
    """Yield each request that the page shows: its path, its body, and the line that answers it."""
    for typed, line in re.findall(r"^\$ (curl .*)\n(.*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        words = shlex.split(typed)
        body = json.loads(words[words.index("-d") + 1]) if "-d" in words else None
        yield urlsplit(words[2].replace("$URL", "https://memory.example.com")).path, body, line


def told(house: House, key: str, path: str, body: dict[str, Any] | None) -> str:
    event = through(bearer(key), house.event_of(path, body or {}))
    if body is None:
        assert str(memory_tell_health.route) == f"GET {path}"
        return memory_tell_health.handler(routed(memory_tell_health, {}, event), None)["body"]
    return TOOLS[path.removeprefix("/v1/tools/")].handler(event, None)["body"]


def test_each_request_of_the_page_is_answered_as_it_shows(services: Services, event_of: EventOf, clock: Any) -> None:
    house = House(services, event_of)
    key = house.key()
    for name in ("absent", "other"):
        house.ask(key, "getMemory", {"namespace": "session.a", "key": name})
        clock.advance(minutes=10)
    services.sealer.seal(ACME, HOUR)
    requests = list(shown())
    assert len(requests) == 3

    for path, body, line in requests:
        answer = told(house, key, path, body)
        assert re.fullmatch(".*".join(map(re.escape, line.split("…"))), answer), (line, answer)
