"""The two numbers by which an embedder's cosines are brought to MiniLM's: mean and deviation over the same pairs.

Each question of Cairn's own conversations is compared with every text of its conversation. The settings say which
embedder: `CAIRN_EMBEDDING_EMBEDDER=titan` asks Amazon Bedrock some 5,000 times, as the credentials of the environment.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

from cairn.ground.ports import Embedder
from cairn.models.embedders import embedder
from cairn.settings import settings
from recall_sets import FITTED_ON, read


def main() -> int:
    """Print the two numbers, as the settings take them; 1 where there is no embedder."""
    chosen = embedder(settings.read(os.environ).embedding)
    if chosen is None:
        print("there is no embedder: run make, or see docs/reference/settings.md")
        return 1
    mean, deviation = measured(chosen, FITTED_ON)
    print(json.dumps({"embedder": chosen.name, "mean": round(mean, 4), "deviation": round(deviation, 4)}))
    return 0


def measured(chosen: Embedder, conversations: Path) -> tuple[float, float]:
    """Return the mean and the standard deviation of the cosines of all pairs."""
    cosines = [
        np.stack([chosen.embed(each.text) for each in conversation.questions])
        @ np.stack([chosen.embed(each.said) for each in conversation.texts]).T
        for conversation in read(conversations)
    ]
    pairs = np.concatenate([each.ravel() for each in cosines])
    return float(pairs.mean()), float(pairs.std())


if __name__ == "__main__":
    sys.exit(main())
