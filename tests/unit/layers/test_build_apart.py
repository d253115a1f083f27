"""The embedding model is built by tools of its own, so that neither the person's packages nor their paths matter."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build_apart
import reviewed
from cairn.models.embedders import BUILT

RECIPE = Path(build_apart.__file__).parent


def test_each_step_has_a_command_and_every_tool_is_pinned_by_hash(tmp_path: Path) -> None:
    made, tools, model = build_apart.commands(tmp_path, tmp_path / "model")

    assert len(build_apart.STEPS) == 3
    assert list(made) == [sys.executable, "-m", "venv", str(tmp_path)]
    assert {"--require-hashes", ":all:", str(RECIPE / "requirements.txt")} <= set(tools)
    assert list(model[1:]) == [str(RECIPE / "build_model.py"), str(tmp_path / "model")]
    assert {Path(each[0]).parent for each in (tools, model)} == {tmp_path / "bin"}


@pytest.mark.parametrize(
    ("inherited", "index"),
    [
        ({}, None),
        ({"UV_DEFAULT_INDEX": "file:///own"}, "file:///own"),
        ({"UV_INDEX_URL": "file:///old"}, "file:///old"),
        ({"UV_DEFAULT_INDEX": "file:///own", "PIP_INDEX_URL": "file:///pip"}, "file:///pip"),
    ],
)
def test_pip_is_told_of_uv_s_index_where_it_has_none_of_its_own(inherited: dict[str, str], index: str | None) -> None:
    told = build_apart.environment({**inherited, "PATH": "/bin", "PYTHONPATH": "/elsewhere"})

    assert told.get("PIP_INDEX_URL") == index
    assert told["PATH"] == "/bin"
    assert "PYTHONPATH" not in told


@pytest.mark.slow
def test_a_model_that_is_there_is_not_built_again() -> None:
    command = [sys.executable, str(RECIPE / "build_apart.py"), str(BUILT)]

    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own

    assert done.stdout == ""


@pytest.mark.slow
def test_where_nothing_can_be_fetched_it_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, str(RECIPE / "build_apart.py"), str(tmp_path / "model")]
    offline = {"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "HOME": str(tmp_path)}

    done = subprocess.run(command, capture_output=True, text=True, check=False, env=offline)  # noqa: S603 - our own

    assert done.returncode == 1
    assert done.stdout.splitlines() == ["1/3 making an environment", "2/3 fetching the tools, about 60 MB"]
    assert "the embedding model could not be built" in done.stderr
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", [reviewed.MODEL, reviewed.READER, reviewed.VOCABULARY])
def test_a_torn_model_is_not_whole(tmp_path: Path, name: str) -> None:
    assert reviewed.is_whole(BUILT)
    assert not reviewed.is_whole(tmp_path)

    shutil.copytree(BUILT, tmp_path, dirs_exist_ok=True)
    (tmp_path / name).write_bytes(b"torn")

    assert not reviewed.is_whole(tmp_path)


@pytest.mark.slow
def test_a_file_of_the_model_appears_whole_and_readable_to_others(tmp_path: Path) -> None:
    build_model = importlib.import_module("build_model")

    build_model.put(tmp_path / "file", b"whole")

    assert [(each.name, each.read_bytes(), each.stat().st_mode & 0o777) for each in tmp_path.iterdir()] == [
        ("file", b"whole", 0o644)
    ]
