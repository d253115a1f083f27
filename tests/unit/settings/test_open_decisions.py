"""What the sources left open is decided, written down, and as it is written in a deployment that sets nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest

from cairn.ground.settings import MemorySettings
from cairn.local.cli import main
from cairn.settings.options import OPTIONS
from cairn_tools.catalog import CATALOG

DECISIONS = Path(__file__).resolve().parents[3] / "docs" / "decisions"
PAGE = DECISIONS / "0007-defaults-for-what-the-sources-leave-open.md"
PUT_OFF = DECISIONS / "0023-equal-sessions-share-a-pointer-inside-a-tenant.md"


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


def exists(name: str) -> bool:
    """Tell whether a name in a page is a module, a setting, a tool or a command with its options left out."""
    first, *path = name.split()
    if first != "cairn":
        known = name in OPTIONS or name in {tool.name for tool in CATALOG}
        return known or (name.startswith("cairn.") and find_spec(name) is not None)
    command: click.Command | None = main
    for word in path:
        command = command.commands.get(word) if isinstance(command, click.Group) else None
    return command is not None


@pytest.mark.req("R209")
def test_what_the_archive_put_off_is_tracked_as_built_where_it_is_or_as_not_built() -> None:
    rows = re.findall(
        r"^\| ([a-z ]+) \| (built|not built) \| (.+) \|$", PUT_OFF.read_text(encoding="utf-8"), re.MULTILINE
    )

    assert [item for item, _, _ in rows] == [
        "retries",
        "circuit breaker",
        "real cost",
        "user authentication",
        "roles",
        "encrypted shared pools",
        "compliance audit log",
    ]
    for item, state, told in rows:
        named = re.findall(r"`([^`]+)`", told)
        assert all(map(exists, named)), item
        assert named or state == "not built", item


def test_every_decision_is_listed_in_the_order_of_its_number() -> None:
    listed = re.findall(
        r"^(\d+)\. \[.+\]\((.+)\)$", (DECISIONS / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    pages = sorted(path.name for path in DECISIONS.glob("0*.md"))
    assert listed == [(str(int(name[:4])), name) for name in pages]
