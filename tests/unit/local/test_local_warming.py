"""A server loads its embedding model while it starts, so that whoever asks first does not wait for it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from cairn import wiring
from cairn.ground.calibration import Calibration
from cairn.ground.errors import EmbeddingFailed
from cairn.local.server.warming import warming
from cairn.local.store import open_store
from cairn.recall.corpus import Vector
from cairn.services import Services
from support.services import changed


class Remote:
    """An embedder that is paid by the text."""

    name = "remote"
    calibration = Calibration()

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, text: str) -> Vector:
        self.asked.append(text)
        return np.zeros(384, np.float32)


class Loaded(Remote):
    """One that is loaded into the process with its first text."""

    @property
    def is_loaded(self) -> bool:
        return bool(self.asked)


class Broken(Loaded):
    """One that is not there."""

    def embed(self, text: str) -> Vector:
        super().embed(text)
        raise EmbeddingFailed("not there")


@pytest.fixture
def services(tmp_path: Path) -> Services:
    with open_store(tmp_path / "data", os.environ):
        return wiring.services()


@pytest.mark.parametrize(("embedder", "asked"), [(Loaded(), 1), (Broken(), 1), (Remote(), 0), (None, 0)])
def test_a_model_of_this_process_is_loaded_and_no_other_asked(
    embedder: Remote | None, asked: int, services: Services
) -> None:
    with warming(changed(services, embedder=embedder)):
        pass

    assert len(embedder.asked if embedder else ()) == asked
