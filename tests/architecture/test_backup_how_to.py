"""What docs/how-to/back-up-and-restore.md tells a reader to type on one machine does what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from cairn.local.cli import main
from cairn.settings.settings import load

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "back-up-and-restore.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture
def typed(tmp_path: Path) -> list[list[str]]:
    """Return the page's commands for one machine but those that serve, with places of this machine."""
    text = TEXT.partition("## In AWS")[0].replace("/mnt/disk2", str(tmp_path))
    lines = re.findall(r"^\$ \.venv/bin/cairn (.*)$", text, re.MULTILINE)
    words = [shlex.split(line, comments=True) for line in lines if "s3://" not in line]
    return [[str(tmp_path / each) if each == "new-directory" else each for each in line] for line in words]


def run(tmp_path: Path, *words: str) -> Result:
    return CliRunner().invoke(main, words, env={"CAIRN_DATA": str(tmp_path / "store")})


def test_each_command_of_the_page_does_what_it_says(typed: list[list[str]], tmp_path: Path) -> None:
    assert run(tmp_path, "remember", "Ada grows beans", "--user", "ada").exit_code == 0

    assert [line[0] for line in typed] == ["backup", "restore", "restore", "serve", "drill", "drill"]
    made, restored, before, drilled, again = (run(tmp_path, *line) for line in typed if line[0] != "serve")

    assert made.exit_code == 0
    assert "The master key is not in it, and without that key nobody can read the backup: keep a copy of" in made.output
    assert restored.exit_code == 0, restored.output
    assert "There is no backup of that time" in before.output or "not an empty directory" in before.output
    assert (drilled.exit_code, again.exit_code) == (0, 0), drilled.output
    assert drilled.output.rstrip().endswith("The backup is good.")


def test_the_settings_of_the_page_name_a_place(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)

    assert load(yaml.safe_load(shown), {}).backup.to == "/mnt/disk2/cairn"
    assert not (tmp_path / "store").exists()
