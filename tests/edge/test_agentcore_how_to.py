"""The programs that the page on AgentCore shows run as they stand, but for where boto3 sends what they ask."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest

from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.services import Services
from support.agentcore import Gateway, client, signing_at
from support.doubles import FakeClock

PAGE = (Path(__file__).parents[2] / "docs/how-to/move-from-agentcore.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _sent_here(services: Services, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made = client(services.credentials.create(Tenant("acme"), Grant(), derived=True), Gateway())
    monkeypatch.setattr(boto3, "client", partial(_same, made))
    with signing_at(clock):
        yield


def _same(made: Any, *_: object, **_named: object) -> Any:
    return made


def run(program: str) -> dict[str, Any]:
    known: dict[str, Any] = {}
    exec(compile(program, "move-from-agentcore.md", "exec"), known)  # noqa: S102 - a page of this repository
    return known


def test_the_first_program_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    run(PROGRAMS[0])

    (said,) = re.findall(r"This prints `([^`]+)`", PAGE)
    assert capsys.readouterr().out == f"{said}\n"


def test_the_second_program_saves_all_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(PROGRAMS[0])
    run(PROGRAMS[1])

    saved = json.loads((tmp_path / "events.json").read_text())
    assert [(each["actorId"], each["sessionId"]) for each in saved] == [("ada", "monday")]
    assert saved[0]["payload"][0]["conversational"]["role"] == "USER"
