"""The two numbers that bring an embedder's cosines to MiniLM's."""

from __future__ import annotations

import json
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cairn.ground.calibration import Calibration
from calibration import measured


class Angles:
    """Turns a text that is an angle into the vector at that angle."""

    name = "angles"
    calibration = Calibration()

    def embed(self, text: str) -> NDArray[np.float32]:
        return np.array([cos(float(text)), sin(float(text))], np.float32)


def test_mean_and_deviation_are_those_of_each_question_with_each_text_of_its_conversation(tmp_path: Path) -> None:
    for number, (said, asked) in enumerate([(["0", "1"], ["0.5", "2"]), (["3"], ["3"])]):
        document = {
            "name": f"n{number}",
            "language": "en",
            "sessions": [{"at": "2026-01-02T10:00:00+00:00", "turns": [["Ada", text] for text in said]}],
            "questions": [{"text": text, "kind": "fact", "evidence": ["1.1"]} for text in asked],
        }
        (tmp_path / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
    cosines = [cos(0.5), cos(0.5), cos(2), cos(1), 1.0]

    assert measured(Angles(), tmp_path) == pytest.approx((float(np.mean(cosines)), float(np.std(cosines))), abs=1e-6)
