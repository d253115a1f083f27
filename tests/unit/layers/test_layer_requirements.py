"""An install has what one machine needs, and Lambda's layers have no more than Lambda needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
OF_ONE_MACHINE = {
    "anyio", "click", "httptools", "httpx2", "mcp", "onnxruntime", "prometheus-client", "rich", "starlette", "uvicorn",
    "urllib3", "uvloop",
}  # fmt: skip
BROUGHT_TO_LAMBDA = {"anyio", "urllib3"}
"""Of these, what packages that Lambda needs bring with them: botocore speaks through urllib3."""


def name(line: str) -> str:
    found = re.match(r"[\w.-]+", line)
    assert found is not None
    return found[0].lower().replace(".", "-")


def stated() -> list[str]:
    return project()["dependencies"]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lines(path: str) -> list[str]:
    text = (ROOT / "layers" / path).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith(("#", " "))]


def test_what_a_lambda_needs_is_what_an_install_needs_without_the_server_and_the_terminal() -> None:
    core = lines("deps/requirements.in")

    assert set(core) <= set(stated())
    assert {name(line) for line in stated()} - {name(line) for line in core} == OF_ONE_MACHINE


def test_no_layer_of_every_function_has_what_one_machine_alone_needs() -> None:
    pinned = {name(line) for line in lines("deps/requirements.txt")}

    assert pinned & (OF_ONE_MACHINE - BROUGHT_TO_LAMBDA) == set()


def test_every_dependency_is_pinned_for_the_tests() -> None:
    pins = (ROOT / "requirements-dev.txt", *(ROOT / "tools" / "programs" / "frameworks").glob("*.txt"))
    texts = [path.read_text(encoding="utf-8") for path in pins]
    pinned = [{name(line) for line in text.splitlines() if "==" in line} for text in texts]
    extras: dict[str, list[str]] = project()["optional-dependencies"]

    assert {name(line) for line in (*stated(), *extras["multilingual"])} <= pinned[0]
    assert {name(line) for lines in extras.values() for line in lines} <= set[str]().union(*pinned)


def test_an_extra_is_in_a_layer_of_its_own_in_the_same_version() -> None:
    extras: dict[str, list[str]] = project()["optional-dependencies"]

    found = {extra: lines(f"{extra}/requirements.in") for extra in extras if (ROOT / "layers" / extra).exists()}
    assert found == {"multilingual": extras["multilingual"]}
