"""How a Lambda starts: without collecting garbage up to its first answer, and with what it answers by loaded."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.edge.guard import guarded, starting
from cairn.ground.errors import CairnError

ROOT = Path(__file__).resolve().parents[2]
SHOWN = (
    "import sys, gc, cairn_tools.getMemory; print(gc.isenabled(), *sorted({'botocore', 'pydantic'} & set(sys.modules)))"
)


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def started(**environment: str) -> str:
    """Return whether a new process that has loaded a tool collects garbage, and what it has loaded."""
    path = os.pathsep.join(str(ROOT / name) for name in ("layers/core", "functions"))
    command, variables = [sys.executable, "-c", SHOWN], {"PYTHONPATH": path, **environment}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - ours


def test_a_lambda_collects_garbage_from_its_first_answer_on_whether_that_fails_or_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "getMemory")
    for error in (None, ValueError("it fails")):
        starting()
        assert not gc.isenabled()
        try:
            with guarded(""):
                if error is not None:
                    raise error
        except CairnError:
            pass
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
        gc.unfreeze()


def test_elsewhere_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_LAMBDA_FUNCTION_NAME", raising=False)
    starting()
    assert gc.isenabled()

    gc.disable()
    with guarded(""):
        pass
    assert not gc.isenabled(), "a program that collects nothing goes on so"


@pytest.mark.slow
def test_a_lambda_loads_what_reaches_aws_before_its_first_call_and_one_machine_does_not() -> None:
    assert started(AWS_LAMBDA_FUNCTION_NAME="getMemory") == "False botocore pydantic"
    assert started() == "True pydantic"
