"""`cairn audit`: what it lists, that it verifies across processes, and how it names what was tampered with."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls import layout
from cairn.calls.record import day_of
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.table import Put, Query
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.services import services_over

Run = Callable[..., Result]


class EarlierClock:
    """The time of some hours ago, when all that was called has settled since."""

    def now(self) -> datetime:
        return datetime.now(UTC) - timedelta(hours=2)

    def sleep(self, seconds: float) -> None:
        raise AssertionError(seconds)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data directory in which two turns were stored two hours ago."""
    directory = tmp_path / "store"
    with open_store(directory, os.environ) as store:
        adapters: Adapters = replace(wiring.wiring_of(store.settings).adapters(), clock=EarlierClock())
        caller = Caller(
            LOCAL_TENANT, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,), credential="0123456789abcdef"
        )
        call = Call(caller, services_over(adapters, store.settings))
        for turn in ("turn-1", "turn 2"):
            memory_after_turn.execute({**EXAMPLE, "turn_id": turn}, call)
    return directory


@pytest.mark.req("R278")
def test_calls_are_listed_newest_first_with_who_and_what(run: Run) -> None:
    heading, *lines = run("audit", "list").stdout.splitlines()

    assert heading.split() == ["TIME", "TOOL", "OUTCOME", "KEY", "ABOUT"]
    assert [line.split()[1:] for line in lines] == [
        ["memory_after_turn", "admitted", "0123456789abcdef", "garden", "monday", "'turn", "2'", "ada"],
        ["memory_after_turn", "admitted", "0123456789abcdef", "garden", "monday", "turn-1", "ada"],
    ]
    assert len(run("audit", "list", "--limit", "1").stdout.splitlines()) == 2
    assert len(run("audit", "list", "--until", "2020-01-01").stdout.splitlines()) == 1
    assert len(run("audit", "list", "--tenant", "another").stdout.splitlines()) == 1
    assert run("audit", "list", "--limit", "1001").exit_code == 2


@pytest.mark.req("R278")
def test_what_maintain_has_sealed_verifies_until_someone_changes_it(run: Run, data: Path) -> None:
    assert "2 records sealed" in run("maintain").stdout
    clean = run("audit", "verify")
    assert (clean.exit_code, clean.stdout) == (0, "")
    assert "2 records in 1 digests, 0 not sealed yet\nnothing was changed, removed, moved or added" in clean.stderr
    head = clean.stderr.split("head ")[1].strip()
    assert run("audit", "verify", "--holds", head).exit_code == 0
    assert run("audit", "verify", "--holds", "0" * 64).exit_code == 1

    name = change(data)

    found = run("audit", "verify")
    assert (found.exit_code, found.stdout) == (1, f"changed record {name}\n")


@pytest.mark.req("R278")
@pytest.mark.parametrize(
    ("tampering", "findings"),
    [
        (["UPDATE items SET body = replace(body, 'garden', 'forest') WHERE sk = :one"], ["changed one"]),
        (["DELETE FROM items WHERE sk = :one"], ["missing one"]),
        (
            [
                "UPDATE items SET sk = 'aside' WHERE sk = :one",
                "UPDATE items SET sk = :one WHERE sk = :two",
                "UPDATE items SET sk = :two WHERE sk = 'aside'",
            ],
            ["reordered one", "reordered two"],
        ),
        (["INSERT INTO items (pk, sk, body) SELECT pk, :three, body FROM items WHERE sk = :one"], ["added three"]),
    ],
    ids=["changed", "missing", "reordered", "added"],
)
def test_each_way_to_tamper_with_the_database_itself_is_found(
    run: Run, data: Path, tampering: list[str], findings: list[str]
) -> None:
    run("maintain")
    with closing(sqlite3.connect(data / "table.sqlite3")) as database, database:
        select = "SELECT sk FROM items WHERE pk LIKE '%#audit#%' ORDER BY sk"
        one, two = (name for (name,) in database.execute(select).fetchall())
        names = {"one": one, "two": two, "three": one[:-1] + ("1" if one.endswith("0") else "0")}
        for statement in tampering:
            database.execute(statement, names)

    found = run("audit", "verify")

    wanted = {f"{kind} record {names[name]}" for kind, name in map(str.split, findings)}
    assert (found.exit_code, set(found.stdout.splitlines())) == (1, wanted)
    assert f"{len(wanted)} findings" in found.stderr


def change(data: Path) -> Any:
    """Change the outcome of a record and return its name."""
    table = SqliteTable(data / "table.sqlite3")
    pk = layout.audit_day_pk(LOCAL_TENANT, day_of(EarlierClock().now()))
    item = table.query(Query(pk, "0", "\U0010ffff")).items[0]
    table.put(Put({**item, "outcome": "PERMISSION_DENIED"}))
    table.close()
    return item["sk"]
