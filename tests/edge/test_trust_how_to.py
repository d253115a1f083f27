"""docs/how-to/tell-whose-word-it-is.md: what it has curl ask is answered as it shows, one after the other."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from cairn.ground.trust import Trust
from cairn.services import Services
from support.access import EventOf, bearer, through
from support.bound import TOOLS, House

PAGE = (Path(__file__).parents[2] / "docs/how-to/tell-whose-word-it-is.md").read_text(encoding="utf-8")


def shown() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each request that the page shows: its tool, its body, and the line that answers it."""
    for typed, line in re.findall(r"^\$ (curl .*)\n(.*)", PAGE, re.MULTILINE):
        words = shlex.split(typed)
        yield urlsplit(words[2]).path.rpartition("/")[2], json.loads(words[words.index("-d") + 1]), line


@pytest.mark.req("R308")
def test_each_request_of_the_page_is_answered_as_it_shows(services: Services, event_of: EventOf) -> None:
    house = House(services, event_of)
    key = house.key()
    requests = list(shown())
    assert len(requests) == 6

    for tool, body, line in requests:
        event = through(bearer(key), house.event_of(f"/v1/tools/{tool}", body))
        answer = TOOLS[tool].handler(event, None)["body"]
        assert re.fullmatch(".*".join(map(re.escape, line.split("…"))), answer), (line, answer)


def test_the_page_names_each_word_in_the_order_of_trust() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == [each.told for each in list(Trust)[:0:-1]]
