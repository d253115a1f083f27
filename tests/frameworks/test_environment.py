"""What the frameworks' environment shares with theirs: Cairn itself works beside the versions that they ask for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cairn.frameworks import __file__ as adapters
from support.frameworks import Place
from support.installed import ROOT


def test_cairn_is_the_checkout_s() -> None:
    assert Path(adapters).is_relative_to(ROOT)


@pytest.mark.slow
@pytest.mark.enable_socket
def test_the_demo_passes_with_the_mcp_sdk_that_frameworks_ask_for() -> None:
    command = [sys.executable, "-m", "cairn.local", "demo"]

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - our own

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every turn is stored, exactly once" in done.stdout


def test_what_is_kept_in_a_project_is_found_there(place: Place) -> None:
    place.memory(user="ada").add("I grow beans in Oslo.")

    assert "I grow beans in Oslo." in [each.content for each in place.memory(user="ada").search("beans")]


def test_a_lost_answer_is_asked_for_again(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.lose_next = 1

    stored = memory.add("I grow beans in Oslo.")

    assert stored.replayed
    assert door.calls == ["memory_after_turn", "memory_after_turn"]
