"""How much recall finds of what answers questions: floors under what bench/recall.py reports, and what it measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from cairn.domain.memories import SearchMode
from fit_ranker import DATA as FITTED_ON
from fit_ranker import WEIGHTS, provenance
from recall import DATA, answers, rankings, texts_only
from recall_engine import MODEL, Remembering, Stored, stored
from recall_metrics import means
from recall_sets import Conversation, read

pytestmark = pytest.mark.slow

ASKED = DATA[1]
CHOSEN = ("en-rail-year", "en-piano-tuner")


@pytest.fixture(scope="module")
def conversations() -> Sequence[Conversation]:
    return [each for name in CHOSEN for each in read(ASKED / f"{name}.json")]


@pytest.fixture(scope="module")
def engine(conversations: Sequence[Conversation]) -> Iterator[Mapping[str, Stored]]:
    with stored(conversations, Remembering(MODEL)) as engine:
        yield engine
