"""Sessions as an earlier memory left them, in JSON lines."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cairn.conversation.items import message

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def stamp(when: datetime) -> str:
    return when.isoformat().replace("+00:00", "Z")


def event(turn: str, number: int, text: str, when: datetime, kind: str = "input_item") -> dict[str, Any]:
    role, side = ("user", "in") if kind == "input_item" else ("assistant", "out")
    return {
        "id": f"{turn}-{side}-{number}",
        "ts": stamp(when),
        "type": kind,
        "turn_id": turn,
        "item": {**message(role, text), "x": 1},
    }


def fact(name: str, value: str, when: datetime, tier: str = "L0", **more: Any) -> dict[str, Any]:
    return {
        "id": f"{name}-{value}",
        "ts": stamp(when),
        "type": "fact_upsert",
        "fact_id": f"user_{name}",
        "key": name,
        "value": value,
        "confidence": 0.9,
        "tier": tier,
        "source_turn_id": "t1",
        **more,
    }


def day(number: int) -> datetime:
    return NOW - timedelta(days=10 - number)


LOG = [
    event("t1", 0, "My name is Ada.", day(1)),
    event("t1", 0, "Hello Ada.", day(1), "output_item"),
    event("t2", 0, "The zucchini needs water.", day(2)),
    event("t2", 0, "Every evening.", day(2), "output_item"),
]
FACTS = [
    fact("name", "Ada", day(1)),
    fact("home", "Oslo", day(1)),
    fact("home", "Bergen", day(3)),
    fact("task", "buy stamps", day(1), "L1", expires_at=stamp(day(2))),
    fact("like", "tea", NOW - timedelta(days=1), "L2"),
    fact("pet", "a cat", day(1)),
    {**fact("pet", "a cat", day(4)), "id": "t9-fact_delete", "type": "fact_delete"},
]
META = {"version": 1, "latest_turn_id": "t2", "processed_turn_ids": ["t0", "t1", "t2"]}


def put(directory: Path, name: str, *values: object) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / name).write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")


def legacy(root: Path, session: str = "monday") -> Path:
    put(root / session, "log.jsonl", *LOG)
    put(root / session, "context.jsonl", *LOG[2:])
    put(root / session, "memory_facts.jsonl", *FACTS)
    put(root / session, "meta.json", META)
    return root
