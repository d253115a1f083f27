"""A session's life through the tools, on every store: recalled, compacted, taken over, erased, on record."""

from __future__ import annotations

import io
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls import layout
from cairn.custody.earlier_import import EarlierImport
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Query
from cairn.local.commands.earlier_records import sessions
from cairn.process.system import in_turn
from cairn.sessions.layout import session_pk
from cairn.settings.settings import Settings
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.doubles import RecordingJobs
from support.earlier_layout import legacy
from support.services import services_over
from support.stores import each_store
from support.turns import SESSION

pytestmark = [pytest.mark.slow, pytest.mark.req("R134"), each_store]
ACME, MONTH = Tenant("acme"), 30
SECRET = "AKIA" + "IOSFODNN7EXAMPLE"
LARGE = "".join(sha256(str(number).encode()).hexdigest() for number in range(1200))
"""A text that stays over 32 KB when it is compressed, so that it becomes a blob."""
PLACE = {"project": SESSION.project, "session_id": SESSION.session_id}


@pytest.fixture
def adapters(*, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> Adapters:
    return Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())


def call(adapters: Adapters) -> Call:
    """Return a call of a process that has read nothing yet."""
    knobs = MemorySettings(recent_context_items=2, session_retention_days=MONTH)
    services = services_over(adapters, Settings(memory_enabled=True, memory=knobs))
    services.vault.establish(ACME)
    return Call(Caller(ACME, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,)), services)


def ask(adapters: Adapters, tool: str, **fields: Any) -> dict[str, Any]:
    return execute(CATALOG, tool, {**PLACE, **fields}, call(adapters))


def say(adapters: Adapters, turn_id: str, text: str) -> dict[str, Any]:
    return ask(adapters, "memory_after_turn", turn_id=turn_id, user_id="ada", input_items=text, output_items="Noted.")


def told(adapters: Adapters, question: str, **fields: Any) -> str:
    """Return what a model is given before a question, without the question."""
    prepared = ask(adapters, "memory_before_turn", user_id="ada", current_input=question, **fields)
    return str(prepared["input_items"][:-1])


def stored(adapters: Adapters, session: Session) -> list[str]:
    return [str(item["sk"]) for item in every(adapters.table, Query(session_pk(session), "\x01", "\U0010ffff"))]


def test_what_is_said_is_recalled_compacted_and_in_the_end_erased(adapters: Adapters, clock: Any) -> None:
    assert "amber" not in told(adapters, "What is the gate code?")
    for number, text in enumerate(("The gate code is amber.", f"Keep this. {LARGE}", "Third.", "Fourth.")):
        assert say(adapters, f"t{number}", text)["replayed"] is False
    assert say(adapters, "t0", "The gate code is amber.")["replayed"] is True
    assert "amber" in told(adapters, "What is the gate code?")

    clock.advance(days=2)
    report = ask(adapters, "memory_run_maintenance")
    assert (report["compacted_events"], report["archived_shards"]) == (6, 1)
    assert "amber" in told(adapters, "What is the gate code?")
    assert say(adapters, "t0", "The gate code is amber.")["replayed"] is True

    clock.advance(days=MONTH)
    ask(adapters, "memory_run_maintenance")
    assert stored(adapters, SESSION) == []
    assert "amber" not in told(adapters, "What is the gate code?", session_id="tuesday")


def test_a_session_of_the_earlier_layout_is_recalled_and_goes_on(adapters: Adapters, tmp_path: Path) -> None:
    (earlier,) = sessions(legacy(tmp_path, SESSION.session_id))
    EarlierImport(call(adapters).services).run(SESSION, earlier.history, None)

    assert "Bergen" in told(adapters, "Where is my home?")
    assert say(adapters, "t9", "The zucchini is watered.")["replayed"] is False
    after = told(adapters, "Is the zucchini watered?")
    assert [part for part in ("zucchini needs water", "zucchini is watered") if part not in after] == []


def test_the_record_of_calls_and_the_log_tell_no_content_and_no_secret(
    adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    say(adapters, SECRET, "The gate code is amber.")
    told(adapters, "What is the amber gate?")

    query = Query(layout.audit_day_pk(ACME, f"{clock.now():%Y-%m-%d}"), "0", "\U0010ffff")
    records = list(every(adapters.table, query))
    said = [line for line in log.getvalue().splitlines() if '"cairn' in line or '"tool"' in line]
    assert [record["tool"] for record in records] == ["memory_after_turn", "memory_before_turn"]
    assert said
    for word in (SECRET, "amber", "Noted."):
        assert word not in repr(records)
        assert [line for line in said if word in line] == []
