"""`cairn shadow` from end to end: the shipped records, a fresh store, a running service, and what is printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner, Result

from cairn.access.api_keys import Grant, project_pattern
from cairn.local.cli import main
from cairn.local.demo.client import connected
from cairn.local.demo.server_process import ServerProcess
from cairn.local.store import LOCAL_TENANT, operator_services

pytestmark = pytest.mark.slow

SHIPPED = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "shadow-records.jsonl"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in SHIPPED.read_text(encoding="utf-8").splitlines()]


def shadow(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["shadow", *map(str, arguments)])


def report(*arguments: object) -> dict[str, Any]:
    return json.loads(shadow(*arguments, "--json").output.splitlines()[-1])


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the shipped records with one turn's fields, or its direct answer's, changed."""

    def write(index: int, *, direct: dict[str, Any] | None = None, **fields: Any) -> Path:
        records = [dict(record) for record in RECORDS]
        records[index] |= {**fields, "direct": records[index]["direct"] | (direct or {})}
        path = tmp_path / "changed.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    return write


@pytest.mark.req("R130")
def test_the_shipped_records_pass_and_the_report_counts_each_session_and_all_of_them() -> None:
    done = shadow(SHIPPED, "--json")
    found = json.loads(done.output)

    assert done.exit_code == 0
    assert found["passed"] is True
    assert [(each["session_id"], each["turns"]) for each in found["sessions"]] == [("monday", 4), ("thursday", 3)]
    assert found["total"]["turns"] == len(RECORDS)
    assert found["total"]["files"] == {"both": 12, "only_direct": 0, "only_cairn": 0, "share": 1.0}
    given = sum(len(record["direct"]["recall_facts"]) for record in RECORDS)
    facts = found["total"]["facts"]
    assert facts["both"] + facts["in_context"] + facts["only_direct"] == given
    assert found["total"]["tokens"]["direct"] == sum(record["direct"]["context_token_count"] for record in RECORDS)


@pytest.mark.req("R130")
def test_a_fact_that_cairn_does_not_give_is_found_and_counts_against_the_share(changed: Callable[..., Path]) -> None:
    path = changed(3, direct={"recall_facts": ["Ada", "a canary", "another canary"]})

    done = shadow(path, "--min-facts", "0.99", "--json", "--show-values")

    found = json.loads(done.output)
    (differing,) = [each for each in found["sessions"][0]["differing_facts"] if each["turn_id"] == "monday-4"]
    assert done.exit_code == 1
    assert [each["name"] for each in found["criteria"] if not each["met"]] == ["facts"]
    assert differing["only_direct"] == ["a canary", "another canary"]
    assert shadow(path, "--min-facts", "0.5").exit_code == 0


@pytest.mark.req("R130")
def test_a_file_that_has_no_counterpart_is_found(changed: Callable[..., Path]) -> None:
    path = changed(1, direct={"files": ["/memory/monday/events/archive/2026/03/02/log-20260302.jsonl.zst"]})

    assert [each["name"] for each in report(path)["criteria"] if not each["met"]] == ["files"]


def test_where_the_direct_path_names_no_files_none_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    bare: list[dict[str, Any]] = [{**record, "direct": {**record["direct"], "files": []}} for record in RECORDS]
    path.write_text("\n".join(map(json.dumps, bare)), encoding="utf-8")

    found = report(path)

    assert found["passed"] is True
    assert found["total"]["files"] == {"both": 0, "only_direct": 0, "only_cairn": 0, "share": None}


@pytest.mark.req("R130")
def test_the_replay_runs_at_the_times_of_the_records(changed: Callable[..., Path]) -> None:
    asked: dict[str, Any] = {
        "current_input": "What do I need to do today?",
        "direct": {"recall_facts": [], "context_token_count": 1},
    }

    same_day = report(changed(3, **asked), "--show-values")["sessions"][0]
    days_later = report(changed(3, at="2026-03-05T09:00:00Z", **asked), "--show-values")["sessions"][0]

    shown = [
        {value for turn in each["differing_facts"] for value in turn["only_cairn"]} for each in (same_day, days_later)
    ]
    assert "to order seeds" in shown[0]
    assert "to order seeds" not in shown[1]


def test_a_turn_that_cairn_refuses_fails_the_comparison_and_is_named(changed: Callable[..., Path]) -> None:
    done = shadow(changed(1, turn_id="a/b"))

    assert done.exit_code == 1
    assert "a/b: memory_before_turn answered INVALID_ARGUMENT" in done.output
    assert "✘ 1 turns that Cairn refused" in done.output


def test_nothing_that_was_said_or_learnt_is_printed_unless_asked_for(changed: Callable[..., Path]) -> None:
    path = changed(6, direct={"recall_facts": ["a canary"]})

    for output in (shadow(path).output, shadow(path, "--json").output):
        assert output
        for said in ("canary", "Ada", "Bergen", "beds", "events/raw"):
            assert said not in output
    assert "thursday thursday-3, only direct: a canary" in shadow(path, "--show-values").output


def test_what_a_record_holds_cannot_steer_the_terminal(changed: Callable[..., Path]) -> None:
    named = shadow(changed(6, session_id="[bold]\x1b]0;x"), "--show-values").output
    valued = shadow(changed(6, direct={"recall_facts": ["\x1b[2Jcanary\nsecond line"]}), "--show-values").output

    assert "\x1b" not in named + valued
    assert "[bold] ]0;x" in named
    assert "canary second line" in valued


def test_records_that_are_none_end_with_status_2(changed: Callable[..., Path]) -> None:
    done = shadow(changed(2, at="yesterday"))

    assert done.exit_code == 2
    assert "line 3: at" in done.output
    assert shadow(SHIPPED, "--url", "http://127.0.0.1:1/mcp").exit_code == 2


async def what_is_known_of_ada(server: ServerProcess, key: str) -> list[Any]:
    async with connected(server.url, key, "shadow.other") as memory:
        return list((await memory.call("recall", user_id="ada", query="Ada, home, preference"))["memories"])


@pytest.mark.req("R130")
@pytest.mark.enable_socket
def test_a_running_service_is_compared_in_projects_and_for_users_of_their_own(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    server = ServerProcess(tmp_path)
    server.start()
    try:
        key = (
            operator_services(tmp_path, {}).credentials.create(LOCAL_TENANT, Grant((project_pattern("shadow.*"),))).text
        )
        first, second = (report(SHIPPED, "--url", server.url, "--key", key) for _ in range(2))
        known = anyio.run(what_is_known_of_ada, server, key)
    finally:
        server.stop()
    lost = shadow(SHIPPED, "--url", server.url, "--key", key)

    for found in (first, second):
        assert found["passed"] is True
        assert found["total"]["failed_turns"] == 0
        assert found["total"]["files"]["both"] == 12
    assert first["total"]["facts"] == second["total"]["facts"]
    assert known == []
    assert lost.exit_code == 1
    assert "is gone, or refuses the key" in lost.output
