"""What a function has in /opt: no more than it needs, within Lambda's limit, and an embedding model that runs."""

from __future__ import annotations

import json
import subprocess
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from lambda_runtime import PROGRAMS, Function

MEGABYTE = 1_000_000
LAMBDA_S_UNPACKED = 250 * 2**20
MOST_OF_LAYERS = 150 * MEGABYTE
MOST_ZIPPED = 80 * MEGABYTE
EMBEDS = """
import json, sys
from cairn.settings import settings
from cairn.models.embedders import embedder
import os
chosen = embedder(settings.read(os.environ).embedding)
vector = None if chosen is None else chosen.embed("I feed my cat Tom.")
print(json.dumps(None if vector is None else [len(vector), float(vector @ chosen.embed("Tom is a cat."))]))
"""


@pytest.fixture
def packages(deployed: dict[str, Function]) -> list[Path]:
    """Return what of /opt is on the path of Python; functions that embed have more there."""
    return [Path(layers) / "python" for layers in {str(function.layers) for function in deployed.values()}]


@cache
def sizes(directory: str) -> tuple[int, int]:
    """Return the bytes of a directory's files, as they are and compressed in haste, one by one."""
    contents = [path.read_bytes() for path in Path(directory).rglob("*") if path.is_file()]
    return sum(map(len, contents)), sum(len(zlib.compress(each, 1)) for each in contents)


def test_code_and_layers_of_a_function_fit_into_lambda_and_are_small_when_zipped(function: Function) -> None:
    unpacked, zipped = map(sum, zip(sizes(function.code), sizes(str(function.layers)), strict=True))

    assert unpacked <= LAMBDA_S_UNPACKED
    assert zipped <= MOST_ZIPPED


def test_a_function_that_has_the_model_embeds_with_it(function: Function) -> None:
    run = [str(PROGRAMS / "python3"), "-c", EMBEDS]
    printed = subprocess.run(run, env=function.variables(), capture_output=True, text=True, check=True).stdout  # noqa: S603 - ours

    if (Path(str(function.layers)) / "python" / "cairn_model").exists():
        length, cosine = json.loads(printed)
        assert (length, cosine) == (384, pytest.approx(0.7, abs=0.2))
    else:
        assert json.loads(printed) is None


def test_the_layers_hold_no_service_description_that_nothing_uses(packages: Iterable[Path]) -> None:
    for package in packages:
        described = {path.name for path in (package / "botocore/data").iterdir() if path.is_dir()}

        assert {"dynamodb", "kms", "lambda", "s3", "secretsmanager", "sqs"} <= described
        assert len(described) < 10


def test_every_module_of_the_layers_has_bytecode(packages: Iterable[Path]) -> None:
    sources = [path for package in packages for path in package.rglob("*.py")]

    assert len(sources) > 200
    for source in sources:
        assert list((source.parent / "__pycache__").glob(f"{source.stem}.cpython-*.pyc")), source


def test_of_dependencies_there_is_bytecode_and_no_source(packages: Iterable[Path]) -> None:
    for package in packages:
        for name in ("botocore", "pydantic", "numpy"):
            assert (package / name / "__init__.pyc").exists()
            assert not list((package / name).rglob("*.py"))


def test_layers_are_small_in_all(packages: Iterable[Path]) -> None:
    assert max(sizes(str(package))[0] for package in packages) <= MOST_OF_LAYERS


def test_of_onnxruntime_there_is_what_runs_models_and_that_once(packages: Iterable[Path]) -> None:
    (package,) = [each for each in packages if (each / "onnxruntime").exists()]
    parts = {path.name for path in (package / "onnxruntime").iterdir() if path.is_dir()}

    assert parts - {"__pycache__"} == {"capi"}
    assert not list((package / "onnxruntime" / "capi").glob("libonnxruntime.so*"))
