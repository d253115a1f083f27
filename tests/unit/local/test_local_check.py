"""`cairn check`, as a person runs it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.local.store import LOCAL_TENANT, services
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn

Run = Callable[..., Result]


@pytest.fixture
def damaged(data: Path) -> Path:
    """Return a data directory in which a turn is damaged."""
    with services(data, {}) as opened:
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request", (ALL_PROJECTS,)), opened)
        memory_after_turn.execute(EXAMPLE, call)
    with closing(sqlite3.connect(data / "table.sqlite3")) as table, table:
        table.execute("UPDATE items SET body = 'x' WHERE sk LIKE 'e#0%'")
    return data


@pytest.mark.req("R302")
@pytest.mark.usefixtures("damaged")
def test_a_person_finds_damage_repairs_it_and_finds_none_any_more(run: Run) -> None:
    found = run("check")
    assert found.exit_code == 1
    assert found.stdout.startswith("record    local#s#garden#monday e#000000000001: it cannot be read at all")
    assert "1 findings" in found.stderr

    repaired = run("check", "--repair")
    assert repaired.exit_code == 0, repaired.output
    assert "mended" in repaired.stdout

    clean = run("check")
    assert (clean.exit_code, clean.stdout) == (0, "")
    assert "nothing is wrong" in clean.stderr
    assert "cairn check --repair" in run("audit", "list").stdout


@pytest.mark.req("R302")
@pytest.mark.usefixtures("damaged")
def test_a_program_reads_what_was_found_as_json(run: Run) -> None:
    found = json.loads(run("check", "--json").stdout)

    assert [each["kind"] for each in found["findings"]] == ["record"]
    assert found["findings"][0]["mendable"]
    assert found["mended"] == []


def test_a_tenant_that_never_was_is_no_sound_one(run: Run, data: Path) -> None:
    with services(data, {}):
        pass

    assert run("check", "--tenant", "typo").exit_code == 1
