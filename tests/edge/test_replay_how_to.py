"""docs/how-to/ask-why-an-agent-said-it.md: what it has typed is answered as it shows, by the tool and the command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cairn.access.api_keys import ALL_PROJECTS, SCOPES
from cairn.access.callers import Caller
from cairn.local.cli import main
from cairn.local.store import LOCAL_TENANT
from cairn.local.store import services as services_of
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_replay import memory_replay
from support.access import EventOf, bearer, through
from support.bound import House
from support.hooks import SESSION, answered, prompted

PAGE = Path(__file__).parents[2] / "docs/how-to/ask-why-an-agent-said-it.md"
ASKS = "Which package manager does this project use?"
ASKED = {"project": "garden", "session_id": "monday", "user_id": "ada"}


def test_the_request_of_the_page_is_answered_as_it_shows(services: Services, event_of: EventOf) -> None:
    house = House(services, event_of)
    key = house.key()
    house.ask(key, "remember", {**ASKED, "content": "Beans go north."})
    receipt = house.ask(key, "recall", {**ASKED, "query": "beans"})["receipt"]
    ((body, line),) = re.findall(r"^\$ curl .* -d '(.*)'\n(.*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    event = through(bearer(key), house.event_of("/v1/tools/memory_replay", {**json.loads(body), "receipt": receipt}))
    answer = memory_replay.handler(event, None)["body"]

    assert re.fullmatch(".*".join(map(re.escape, line.split("…"))), answer), answer


def test_the_command_shows_it_and_ends_with_0_for_the_same_answer(tmp_path: Path) -> None:
    ask = ["--data", str(tmp_path)]
    run = CliRunner()
    for command in (["remember", "Beans", "go", "north.", *ask], ["recall", "beans", "--json", *ask]):
        done = run.invoke(main, command)
        assert done.exit_code == 0, done.output
    receipt = json.loads(done.stdout)["receipt"]

    shown = run.invoke(main, ["replay", receipt, *ask])
    as_json = run.invoke(main, ["replay", receipt, "--json", *ask])
    by_call = run.invoke(main, ["replay", receipt.partition(".")[0], *ask])

    assert (shown.exit_code, as_json.exit_code, by_call.exit_code) == (0, 0, 1)
    assert "Beans go north." in shown.stdout
    assert "The answer is the one given then." in shown.stderr
    assert json.loads(as_json.stdout)["identical"] is True
    assert "the whole receipt would prove it" in by_call.stderr


def test_the_command_lists_what_an_agent_was_told_as_the_page_shows(tmp_path: Path) -> None:
    with services_of(tmp_path, {}) as opened:
        call = Call(Caller(LOCAL_TENANT, frozenset(SCOPES), "r", (ALL_PROJECTS,)), opened)
        for event in (prompted("turn-6", "We use pnpm here."), answered("turn-6", "Noted."), prompted("turn-7", ASKS)):
            told = {"agent": "claude-code", "event": event, "user_id": "ada", "project": "acme/widget"}
            execute(CATALOG, "memory_hook", told, call)
    ask = ["--data", str(tmp_path), "--project", "acme/widget"]
    run = CliRunner()

    listed = run.invoke(main, ["replay", "--session", SESSION, "--at", "2030-01-01T00:00:00Z", *ask])
    before = run.invoke(main, ["replay", "--session", SESSION, "--at", "2026-01-01T00:00:00Z", *ask])
    receipt, _, turn, words = listed.stdout.splitlines()[0].split("\t")

    assert (turn, words) == ("turn-7", ASKS)
    assert run.invoke(main, ["replay", receipt, *ask]).exit_code == 0
    assert (before.exit_code, before.stdout) == (0, "")


@pytest.mark.parametrize("given", [[], ["x", "--session", "y"], ["x", "--at", "2030-01-01T00:00:00Z"]])
def test_the_command_takes_a_receipt_or_a_conversation(tmp_path: Path, given: list[str]) -> None:
    assert CliRunner().invoke(main, ["replay", *given, "--data", str(tmp_path)]).exit_code == 2


def test_every_field_that_the_page_names_is_one_of_the_answer() -> None:
    fields = memory_replay.output_schema()["properties"]
    named = re.findall(r"^\| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for row in named for name in re.findall(r"`(\w+)`", row)} <= fields.keys()
