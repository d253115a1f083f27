"""What README and docs/how-to tell a reader to type exists: verbs, commands, options, outputs, parameters, files."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from cairn.local.cli import main
from cairn.settings.settings import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
VERBS = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
MOST_LINES = 80
MOST_VERBS = 20
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)


def blocks(path: Path, *kinds: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [body for kind, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if kind in kinds]


def commands(path: Path) -> Iterator[list[str]]:
    """Yield the words of each command that a page shows, one by one where several stand in a line."""
    for block in blocks(path, "console"):
        for typed in re.findall(r"^\$ (.*)", block.replace("\\\n", " "), re.MULTILINE):
            words: list[str] = []
            for word in shlex.split(typed, comments=True):
                if word in {"&&", "|"}:
                    yield words
                    words = []
                else:
                    words.append(word)
            yield words


def cairn_commands(path: Path) -> Iterator[list[str]]:
    """Yield what follows the command's name, as a checkout calls it and as an install does."""
    for words in commands(path):
        if ".venv/bin/cairn" in words:
            yield words[words.index(".venv/bin/cairn") + 1 :]
        elif words[:1] in (["cairn"], ["uvx"]):
            yield words[words.index("cairn") + 1 :]


def test_the_pages_of_docs_how_to_are_found_and_short() -> None:
    assert {path.stem for path in PAGES} >= {"deploy", "upgrade-and-roll-back", "roll-out", "tear-down"}
    assert [path.name for path in PAGES if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES] == []
    readme = PAGES[0].read_text(encoding="utf-8")
    assert [path.name for path in PAGES[1:] if f"(docs/how-to/{path.name})" not in readme] == []


def test_make_has_few_verbs_and_each_says_what_it_does() -> None:
    described = re.findall(r"^([a-z]+):.*## .", MAKEFILE, re.MULTILINE)
    assert len(described) <= MOST_VERBS
    assert set(described) == VERBS


@every_page
def test_every_verb_of_make_is_one(path: Path) -> None:
    used = {words[1] for words in commands(path) if words[:1] == ["make"]}

    assert used <= VERBS


@every_page
def test_every_cairn_command_takes_the_options_it_is_shown_with(path: Path) -> None:
    for words in cairn_commands(path):
        command: click.Command = main
        while isinstance(command, click.Group):
            if command.invoke_without_command and set(words[:1]).isdisjoint(command.commands):
                break
            command = command.commands[words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known


@every_page
def test_every_name_of_the_stack_is_in_the_template(path: Path, template: dict[str, Any]) -> None:
    parameters, resources, outputs = (set[str](template[part]) for part in ("Parameters", "Resources", "Outputs"))
    text = path.read_text(encoding="utf-8")
    overridden = {
        given
        for words in commands(path)
        for after, word in pairwise(words)
        if after == "--parameter-overrides"
        for given in re.findall(r"(\w+)=", word)
    }

    assert overridden <= parameters
    assert set(re.findall(r"\$([A-Z][a-z]\w+)", text)) <= outputs
    assert set(re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`", text)) <= parameters | resources
    assert {words[3] for words in commands(path) if words[:3] == ["sam", "local", "invoke"]} <= resources


@every_page
def test_every_file_and_link_is_there(path: Path) -> None:
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8"))
    named = {word for words in commands(path) for word in words if re.match(r"(docs|events)/", word)}

    assert [link for link in linked if not (path.parent / link).exists()] == []
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.req("R137")
def test_every_settings_document_that_is_shown_is_accepted_and_there_is_one_for_each_step() -> None:
    shown = [yaml.safe_load(text) for path in PAGES for text in blocks(path, "yaml", "json")]
    loaded = [load(document, {}) for document in shown]

    assert any(settings.memory_enabled for settings in loaded)
    assert any(not settings.memory_enabled for settings in loaded)
    assert any(settings.memory_switches for settings in loaded)


def test_each_environment_of_samconfig_sets_parameters_that_exist(template: dict[str, Any]) -> None:
    text = (ROOT / "samconfig.toml").read_text(encoding="utf-8")
    given = re.findall(r'parameter_overrides = "(.*)"', text)

    assert len(given) == len(re.findall(r"stack_name", text))
    assert {name for line in given for name in re.findall(r"(\w+)=", line)} <= set(template["Parameters"])


def test_the_template_s_own_settings_document_is_accepted(template: dict[str, Any]) -> None:
    default = template["Parameters"]["Settings"]["Default"]

    assert load(json.loads(default), {}).memory_enabled
