"""Clients that prepare and store turns over HTTP as fast as they are answered, and what they see.

A turn is sent until it is acknowledged, under one turn_id, so that afterwards every turn can be looked for.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx2

from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.services import Services
from scenes import PROJECT, Place, preparation, turn

BEFORE, AFTER = "memory_before_turn", "memory_after_turn"
BUSY = "RESOURCE_BUSY"
_WAIT_SECONDS, _PATIENCE_SECONDS = 0.2, 30
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MEGABYTE = 1e6


@dataclass
class Seen:
    """What clients saw: seconds of answered calls by tool, error codes, and the turns of each session acknowledged."""

    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    errors: Counter[str] = field(default_factory=Counter[str])
    sent: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def turns(self) -> int:
        """Return how many turns were acknowledged."""
        return sum(map(len, self.sent.values()))

    def quantile(self, tool: str, percent: int) -> float | None:
        """Return how many milliseconds so many calls in a hundred took at most, None where none was answered."""
        seconds = self.seconds.get(tool, [])
        cuts = quantiles([*seconds, *seconds[:1]], n=100, method="inclusive") if seconds else []
        return round(1000 * cuts[percent - 1], 1) if cuts else None


@dataclass(frozen=True, slots=True)
class Door:
    """Where tools are called: the address before /v1/tools, and the headers that open it."""

    url: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, url: str, key: str, **headers: str) -> Door:
        """Return the door that an API key opens."""
        return cls(url, {"authorization": f"Bearer {key}", **headers})


async def talk(door: Door, places: Sequence[Place], seconds: float) -> Seen:
    """Have a client in each place prepare and store turns for so long."""
    seen, until = Seen(), time.perf_counter() + seconds
    async with _client(door, len(places)) as client:
        await asyncio.gather(*(_talk(client, place, seen, until) for place in places))
    return seen


async def once(door: Door, places: Sequence[Place], tool: str) -> Seen:
    """Have a client in each place call a tool once, all at the same time."""
    seen = Seen()
    async with _client(door, len(places)) as client:
        calls = [(place, preparation(place) if tool == BEFORE else turn(place)) for place in places]
        await asyncio.gather(*(_asked(client, tool, given, seen) for _, given in calls))
    return seen


def recounted(services: Services, tenant: Tenant, seen: Seen) -> tuple[int, int]:
    """Return how many acknowledged turns the store lacks, and how many it has more than once."""
    lost = doubled = 0
    for session, sent in seen.sent.items():
        turns = services.sessions.history(Session(tenant, Project(PROJECT), SessionId(session)))
        stored = Counter(str(events[0].turn_id) for _, events in turns)
        lost += len(set(sent) - stored.keys())
        doubled += sum(number > 1 for number in stored.values())
    return lost, doubled


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_megabytes(pid: int) -> float:
    """Return the memory that a process has now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1])
    return round(pages * _PAGE / _MEGABYTE, 1)


def _client(door: Door, connections: int) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=connections)
    return httpx2.AsyncClient(base_url=door.url, headers=door.headers, timeout=60, limits=limits)


async def _talk(client: httpx2.AsyncClient, place: Place, seen: Seen, until: float) -> None:
    while time.perf_counter() < until:
        prepared = preparation(place)
        await _asked(client, BEFORE, prepared, seen)
        given = _said(place, prepared["current_input"])
        while time.perf_counter() < until + _PATIENCE_SECONDS:
            if await _asked(client, AFTER, given, seen):
                seen.sent.setdefault(place.session, []).append(given["turn_id"])
                break
            await asyncio.sleep(_WAIT_SECONDS)


async def _asked(client: httpx2.AsyncClient, tool: str, arguments: Mapping[str, Any], seen: Seen) -> bool:
    started = time.perf_counter()
    try:
        answer = await client.post(f"/v1/tools/{tool}", content=json.dumps(arguments))
    except httpx2.HTTPError as error:
        seen.errors[type(error).__name__] += 1
        return False
    if answer.is_success:
        seen.seconds.setdefault(tool, []).append(time.perf_counter() - started)
    else:
        seen.errors[_code(answer)] += 1
    return answer.is_success


def _said(place: Place, text: str) -> dict[str, Any]:
    """Return a turn in which the user says this."""
    return {**turn(place), "input_items": [{"role": "user", "content": text}]}


def _code(answer: httpx2.Response) -> str:
    """Return the error's code, the status where what stands before Cairn answered."""
    try:
        return str(answer.json()["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {answer.status_code}"
