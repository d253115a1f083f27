"""What it costs to import Memory, and to open one: modules, since a clock tells of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OF_A_SERVER = {"uvicorn", "starlette", "anyio", "httptools", "mcp", "rich", "click", "prometheus_client", "boto3"}
OF_A_STORE = {"pydantic", "cryptography", "numpy", "onnxruntime", "sqlite3", "yaml", "urllib3", "asyncio", "botocore"}
OF_A_MODEL = {"numpy", "onnxruntime"}
MOST_OF_OURS = 20
"""Modules of this package that `from cairn import Memory` loads; a tool's entrance alone loads three times as many."""


def loaded(program: str, **environment: str) -> set[str]:
    command = [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"]
    run = subprocess.run(  # noqa: S603 - our own
        command, capture_output=True, text=True, check=True, timeout=60, env={**os.environ, **environment}
    )
    return set(run.stdout.split())


@pytest.mark.slow
def test_the_package_alone_loads_nothing_of_a_client() -> None:
    ours = {each for each in loaded("import cairn") if each.partition(".")[0] == "cairn"}

    assert ours == {"cairn"}


@pytest.mark.slow
@pytest.mark.req("R286")
def test_importing_memory_loads_neither_a_store_nor_a_server() -> None:
    modules = loaded("from cairn import Memory")
    ours = {each for each in modules if each.partition(".")[0].partition("_")[0] == "cairn"}

    assert modules & (OF_A_SERVER | OF_A_STORE) == set()
    assert "cairn.client.memory" in ours
    assert len(ours) <= MOST_OF_OURS, sorted(ours)


@pytest.mark.slow
def test_opening_a_directory_loads_no_server_no_model_and_no_tool_before_it_is_called(tmp_path: Path) -> None:
    opened = f"from cairn import Memory; memory = Memory({str(tmp_path)!r}, user='ada')"
    environment = {"HOME": str(tmp_path), "CAIRN_EMBEDDING_EMBEDDER": "none"}

    before = loaded(opened, **environment)
    after = loaded(f"{opened}; memory.remember('The shed is red.')", **environment)

    assert before & (OF_A_SERVER | OF_A_MODEL | {"urllib3", "cairn_tools"}) == set()
    assert "cairn_tools.remember" in after
    assert after & (OF_A_SERVER | OF_A_MODEL | {"urllib3", "cairn_tools.recall", "cairn_tools.catalog"}) == set()


@pytest.mark.slow
def test_a_client_of_a_server_opens_no_store() -> None:
    modules = loaded("from cairn import Memory; Memory('https://example.com', key='cairn_x')")

    assert "urllib3" in modules
    assert modules & (OF_A_SERVER | (OF_A_STORE - {"urllib3"}) | {"cairn.services"}) == set()


def test_the_package_tells_type_checkers_that_it_is_typed() -> None:
    assert (Path(__file__).resolve().parents[2] / "layers/core/cairn/py.typed").is_file()


def test_what_the_package_does_not_offer_is_no_attribute_of_it() -> None:
    import cairn  # noqa: PLC0415 - what is under test

    with pytest.raises(AttributeError, match="Memories"):
        _ = cairn.Memories  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - what is under test
