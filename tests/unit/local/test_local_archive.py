"""`cairn archive`: what it prints, where its sessions come from, and how it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.archive.model import RAW_ACKNOWLEDGEMENT
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG

Run = Callable[..., Result]
SAID = "I prefer raised beds. Write to ada.lovelace@garden.org."
CM = {"session_id": "s1", "summary": "Fixed the gate.\nIt closes again.", "transcript": ["dropped"]}


@pytest.fixture
def run(run: Run) -> Run:
    """Return a function that runs `cairn archive` with these arguments on one data directory."""
    return partial(run, "archive")


@pytest.fixture
def recorded(data: Path) -> None:
    """Record a session as the turn tools do."""
    turn = {
        "project": "garden",
        "session_id": "monday",
        "turn_id": "t1",
        "input_items": [{"role": "user", "content": SAID}],
        "output_items": [],
    }
    with open_store(data, {}):
        caller = Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,))
        execute(CATALOG, "memory_after_turn", turn, Call(caller, wiring.services()))


@pytest.fixture
def cm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that puts a `cm` on the path which prints this, ends so, and notes what it was asked."""

    def install(printed: str = json.dumps(CM), status: int = 0) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "printed").write_text(printed, encoding="utf-8")
        command = folder / "cm"
        script = f'#!/bin/sh\necho "$@" > {folder}/asked\necho "canary" >&2\ncat {folder}/printed\nexit {status}\n'
        command.write_text(script, encoding="utf-8")
        command.chmod(0o700)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        return folder / "asked"

    return install


@pytest.fixture(autouse=True)
def _no_cm_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


@pytest.mark.req("R204")
def test_with_cm_on_the_path_its_session_is_archived_listed_printed_and_deleted(run: Run, cm: Any) -> None:
    asked = cm()

    stored = run("store", "s1", "--tag", "gate")

    assert stored.exit_code == 0, stored.output
    pointer = stored.stdout.strip()
    assert asked.read_text(encoding="utf-8").strip() == "context s1 --json"
    assert "Fixed the gate." in stored.stderr
    assert pointer in run("list", "gat").stdout
    assert run("list", "--tag", "fence").stdout == ""
    assert json.loads(run("get", pointer).stdout) == {"session_id": "s1", "summary": CM["summary"]}
    assert run("delete", pointer).exit_code == 0
    assert run("list").stdout == ""
    assert "No such session" in run("get", pointer).output


@pytest.mark.req("R204")
@pytest.mark.parametrize(
    ("printed", "status", "told"),
    [
        ("{}", 3, "status 3"),
        ("no JSON", 0, "not JSON"),
        ("[]", 0, "no JSON object"),
        ('{"n": NaN}', 0, "session.n"),
        ('{"session_id": "another"}', 0, "session.session_id"),
        ('{"summary": "mail ada.lovelace@garden.org"}', 0, "secrets or personal data"),
    ],
)
def test_a_cm_that_fails_or_says_what_cannot_be_kept_is_told_plainly(
    *, run: Run, cm: Any, printed: str, status: int, told: str
) -> None:
    cm(printed, status)

    result = run("store", "s1")

    assert result.exit_code in {1, 2}
    assert told in result.output
    assert "Traceback" not in result.output
    assert "canary" not in result.output
    assert "lovelace" not in result.output
    assert run("list").stdout == ""


@pytest.mark.req("R204")
def test_a_session_id_is_never_taken_by_cm_for_an_option(run: Run, cm: Any) -> None:
    asked = cm()

    assert run("store", "--", "--all").exit_code == 1
    assert not asked.exists()


@pytest.mark.req("R204")
@pytest.mark.usefixtures("recorded")
def test_without_cm_the_recorded_session_is_meant_and_its_project_needed(run: Run) -> None:
    assert "project is required" in run("store", "monday").output
    assert "No turn" in run("store", "tuesday", "--project", "garden").output
    assert "secrets or personal data" in run("store", "monday", "--project", "garden").output


@pytest.mark.req("R275")
def test_a_dry_run_prints_the_card_and_stores_nothing(run: Run, cm: Any) -> None:
    cm()

    shown = json.loads(run("store", "s1", "--tag", "gate", "--dry-run").stdout)

    assert (shown["title"], shown["tags"]) == ("Fixed the gate.", ["gate"])
    assert run("list").stdout == ""


@pytest.mark.req("R275")
@pytest.mark.usefixtures("recorded")
def test_an_export_is_masked_and_raw_only_for_who_says_so_in_both_ways(run: Run) -> None:
    named = ("monday", "--project", "garden")

    masked, raw = run("export", *named), run("export", *named, "--raw", "--acknowledge", RAW_ACKNOWLEDGEMENT)

    assert "raised beds" in masked.stdout
    assert "lovelace" not in masked.stdout
    assert "[redacted:email]" in masked.stdout
    assert json.loads(raw.stdout)["items"][0]["content"] == SAID
    for attempt in (
        ("--raw",),
        ("--acknowledge", RAW_ACKNOWLEDGEMENT),
        ("--raw", "--acknowledge", "yes"),
        ("--raw", "--acknowledge", RAW_ACKNOWLEDGEMENT.lower()),
        ("--raw", "--acknowledge", f"{RAW_ACKNOWLEDGEMENT}."),
        ("--raw", "--acknowledge", ""),
    ):
        refused = run("export", *named, *attempt)
        assert refused.exit_code == 2
        assert "raised beds" not in refused.output


@pytest.mark.req("R185")
def test_cost_prints_dollars_and_what_they_rest_on(run: Run) -> None:
    result = run("cost", str(2**30), "--redundancy", "1")

    assert result.stdout.startswith("$0.023000 a month")
    assert "not a quote" in result.stderr
    assert run("cost", "-1").exit_code == 2


@pytest.mark.parametrize("pointer", ["cascade://x", "x"])
def test_what_is_no_pointer_is_refused(run: Run, pointer: str) -> None:
    for command in ("get", "delete"):
        result = run(command, pointer)
        assert result.exit_code == 2
        assert "pointer must be" in result.output
