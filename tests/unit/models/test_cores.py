"""A model uses the cores that this process has, and no more than it is told; what it says is the same on each."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cairn.ground.settings import EmbeddingSettings
from cairn.models import onnx_graph
from cairn.models.cores import cores
from cairn.models.embedders import embedder, reader
from cairn.models.minilm import MiniLm
from cairn.models.statement_reader import StatementReader

LONG = "I moved to Utrecht last spring, and cycle to the station now. " * 12


@pytest.mark.parametrize(("megabytes", "count"), [(128, 1), (1024, 1), (1769, 1), (3537, 1), (3538, 2), (10_240, 5)])
def test_a_function_has_the_cores_that_its_memory_buys(
    megabytes: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", str(megabytes))
    assert cores() == count


def test_elsewhere_a_process_has_those_that_it_may_run_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(process: int) -> set[int]:
        return {3, 5, 6} if process == 0 else set()

    monkeypatch.delenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", raising=False)
    monkeypatch.setattr("cairn.models.cores.sys.platform", "linux")
    monkeypatch.setattr(os, "sched_getaffinity", seen, raising=False)
    assert cores() == 3
    monkeypatch.setattr("cairn.models.cores.sys.platform", "darwin")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert cores() == 8


@pytest.mark.parametrize(("there", "told", "used"), [(8, None, 2), (8, 4, 4), (1, 4, 1), (2, 1, 1)])
def test_models_use_two_cores_unless_told_otherwise_or_there_are_fewer(
    there: int, told: int | None, used: int, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[int] = []
    session = onnx_graph._ORT.InferenceSession  # pyright: ignore[reportPrivateUsage] - what has no types

    def opened(path: str, options: Any, **others: Any) -> object:
        chosen.append(options.intra_op_num_threads)
        return session(path, options, **others)

    monkeypatch.setattr(onnx_graph._ORT, "InferenceSession", opened)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr("cairn.models.embedders.cores", lambda: there)
    settings = EmbeddingSettings(directory=str(directory))
    settings = settings if told is None else replace(settings, threads=told)
    model, tells = embedder(settings), reader(settings)
    assert model is not None
    assert tells is not None
    model.embed("one")
    tells.read("one")
    assert chosen == [used, used]


def test_what_a_model_says_of_a_text_is_the_same_on_one_core_and_on_more(directory: Path) -> None:
    for text in ("yes", "I live in Porto.", LONG):
        assert np.array_equal(MiniLm(directory, threads=1).embed(text), MiniLm(directory, threads=3).embed(text))
    alone, three = StatementReader(directory, threads=1), StatementReader(directory, threads=3)
    assert alone.read(LONG) == three.read(LONG)
    assert alone.judge(LONG, "I live in Porto.") == three.judge(LONG, "I live in Porto.")
