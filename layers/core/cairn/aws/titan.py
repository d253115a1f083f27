"""Embed texts with Amazon's Titan Text Embeddings V2, called as the process's own role, one text a call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cairn.aws.clients import Clients
from cairn.aws.failures import aws_failures
from cairn.ground.calibration import Calibration
from cairn.ground.errors import CairnError, EmbeddingFailed
from cairn.ground.settings import MINILM_DEVIATION, MINILM_MEAN, EmbeddingSettings

if TYPE_CHECKING:
    from cairn.recall.corpus import Vector

MODEL = "amazon.titan-embed-text-v2:0"
_DIMENSIONS = 256
_MOST_CHARACTERS = 4_000
"""Of texts in any script no more than the 8,192 tokens it takes; what follows does not count."""
_MOST_OFF_LENGTH = 0.01


class Titan:
    """Asks Titan for 256 numbers a text, in the environment's region."""

    name = "titan-v2-256"

    def __init__(self, clients: Clients, settings: EmbeddingSettings) -> None:
        """Bring its cosines to MiniLM's by their mean and deviation; make the client when it is first asked."""
        self._clients = clients
        scale = MINILM_DEVIATION / settings.titan_deviation
        self.calibration = Calibration(MINILM_MEAN - scale * settings.titan_mean, scale)

    def embed(self, text: str) -> Vector:
        """Return the text's unit vector; EmbeddingFailed where no usable answer came."""
        try:
            with aws_failures():
                data = self._clients.embeddings.invoke_model(**_request(text))["body"].read()
        except (CairnError, ValueError) as error:
            raise EmbeddingFailed(str(error)) from None
        return _vector(data)


def _request(text: str) -> Any:
    asked = {"inputText": text[:_MOST_CHARACTERS], "dimensions": _DIMENSIONS, "normalize": True}
    json_type = "application/json"
    return {"modelId": MODEL, "body": json.dumps(asked), "contentType": json_type, "accept": json_type}


def _vector(data: bytes) -> Vector:
    import numpy as np  # noqa: PLC0415 - at its first use

    try:
        answer: Any = json.loads(data)
        vector = np.array(answer["embedding"], np.float32)
    except (ValueError, TypeError, KeyError):
        raise EmbeddingFailed("the answer makes no sense") from None
    if vector.shape != (_DIMENSIONS,) or not abs(float(np.linalg.norm(vector)) - 1) < _MOST_OFF_LENGTH:
        raise EmbeddingFailed("the answer is no unit vector")
    return vector
