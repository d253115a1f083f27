"""`cairn invoke`: every sample event runs through the handler that Lambda runs, offline, on a directory and on moto."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.local.cli import main
from cairn.local.server.doors import functions
from cairn_tools.catalog import CATALOG
from functions import functions as declared
from support.tool import http_status

ROOT = Path(__file__).resolve().parents[3]
EVENTS = ROOT / "events"
SAMPLES = sorted(path.relative_to(EVENTS).as_posix() for path in EVENTS.rglob("*.json") if path.name != "env.json")
ELSEWHERE = {
    "authorizer": "authorizer",
    "http/health": "health",
    "http/runtime_config": "health",
    "http/openapi": "health",
    "http/metadata": "metadata",
    "http/console": "console",
    "jobs/schedule": "schedule",
    **{f"http/{tool.name}": tool.function for tool in CATALOG},
}
HERE = {f"http/{tool.name}.json" for tool in CATALOG if tool.own_machine_only}
STATUS = {f"http/{tool.name}": http_status(tool) for tool in CATALOG} | {"http/metadata": 404, "http/console": 401}


def function_of(sample: str) -> str:
    """Return the function that a sample event is for, by where the event lies."""
    name = sample.removesuffix(".json")
    folder, _, own = name.rpartition("/")
    return ELSEWHERE.get(name) or {"mcp": "mcp", "jobs": "worker", "sandbox": "sandbox"}.get(folder, own)


def run(function: str, *samples: str, options: tuple[str, ...] = ()) -> Result:
    events = [word for sample in samples for word in ("--event", str(EVENTS / sample))]
    return CliRunner().invoke(main, ["invoke", function, *events, *options], catch_exceptions=False)


def answers(result: Result) -> list[Any]:
    """Return the JSON values that were printed, one after another."""
    decoder, text, found = json.JSONDecoder(), result.stdout.strip(), list[Any]()
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].lstrip()
    return found


def hold(sample: str, answer: dict[str, Any]) -> None:
    """Hold an answer to what an empty store says: nothing failed inside."""
    expected = 200 if sample.startswith("mcp/") else STATUS.get(sample.removesuffix(".json"))
    if "statusCode" in answer:
        assert answer["statusCode"] == (expected or 200), answer
    if sample != "http/openapi.json":  # which names every code there is
        assert "INTERNAL_ERROR" not in json.dumps(answer)
    assert answer.get("batchItemFailures", []) == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_event_runs_on_a_directory(sample: str, tmp_path: Path) -> None:
    result = run(function_of(sample), sample, options=("--data", str(tmp_path / "store")))

    assert result.exit_code == 0, result.output
    (answer,) = answers(result)
    hold(sample, answer)


@pytest.mark.slow
@pytest.mark.parametrize(
    "function", ["mcp", "memory_after_turn", *sorted(set(ELSEWHERE.values())), "worker", "sandbox"]
)
def test_the_samples_of_each_kind_of_function_run_on_moto_and_mcp_s_of_every_tool(
    function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    # What walks a whole store is off where that is not this machine's.
    samples = [sample for sample in SAMPLES if function_of(sample) == function and sample not in HERE]

    result = run(function, *samples, options=("--moto",))

    assert result.exit_code == 0, result.output
    for sample, answer in zip(samples, answers(result), strict=True):
        hold(sample, answer)


@pytest.mark.parametrize("place", ["checkout", "elsewhere"])
def test_what_one_command_stored_the_next_one_finds_and_a_folder_that_is_no_checkout_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    here = tmp_path / place
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if place == "checkout":
        (here / "template.yaml").touch()
    run("memory_after_turn", "http/memory_after_turn.json")

    (answer,) = answers(run("memory_before_turn", "http/memory_before_turn.json"))

    store = here / ".cache" / "invoke" if place == "checkout" else tmp_path / "cache" / "cairn" / "invoke"
    assert store.is_dir()
    assert (here / ".cache").exists() == (place == "checkout")
    assert json.loads(answer["body"])["recalled_by"] in {"text", "hybrid"}


def test_the_functions_are_those_of_the_template() -> None:
    assert functions() == {each.name: each.handler for each in declared(CATALOG)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("listmemory", "--event", str(EVENTS / "http/listMemory.json")), "listmemory is no function"),
        (("listMemory",), "--event"),
        (("listMemory", "--event", str(ROOT / "README.md")), "is no JSON"),
        (("listMemory", "--event", str(EVENTS / "http/listMemory.json"), "--moto", "--data", "x"), "two stores"),
    ],
)
def test_what_cannot_be_invoked_is_said(arguments: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(main, ["invoke", *arguments])

    assert result.exit_code == 2
    assert said in result.output


def test_moto_needs_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("health", "http/health.json", options=("--moto",))

    assert result.exit_code == 2
    assert "template.yaml is not here" in result.output


def test_a_tool_that_settings_switch_off_stays_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_SETTINGS", '{"settings": {"mcp": {"tools": {"recall": {"enabled": false}}}}}')
    (answer,) = answers(run("recall", "http/recall.json", options=("--data", str(tmp_path / "store"))))

    assert answer["statusCode"] == 404
    assert "switched off" in answer["body"]
