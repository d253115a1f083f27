"""What the sources left open is decided, written down, and as it is written in a deployment that sets nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.domain.settings import MemorySettings
from cairn_tools.catalog import CATALOG

PAGE = Path(__file__).resolve().parents[2] / "docs" / "decisions" / "0007-defaults-for-what-the-sources-leave-open.md"


@pytest.mark.req("R136")
@pytest.mark.parametrize("subject", ["memory_run_turn", "language model", "Maintenance", "Retention"])
def test_each_open_decision_is_recorded(subject: str) -> None:
    assert subject in PAGE.read_text(encoding="utf-8")


@pytest.mark.req("R136")
def test_run_turn_and_a_language_model_are_opt_in_and_retention_is_the_reference_s() -> None:
    settings = MemorySettings()

    assert [tool.name for tool in CATALOG if not tool.on_by_default] == ["memory_run_turn"]
    assert settings.heuristic.enabled is False
    assert (settings.l1_retention_days, settings.l2_retention_days) == (1, 7)


@pytest.mark.req("R136")
def test_maintenance_runs_when_the_tool_is_called_and_not_by_itself(start: Callable[..., Any], clock: Any) -> None:
    conversation = start(recent_context_items=1)
    conversation.say("Today I need to order seeds.")
    clock.advance(days=3)
    conversation.say("Hello again.")
    conversation.ask("What is there to do?")

    assert not any("/archive" in each.path for each in conversation.list())
    report = conversation.maintain()
    assert (report.archived_shards, report.expired_facts) == (1, 1)
    assert any("/archive" in each.path for each in conversation.list())
