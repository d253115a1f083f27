"""A log of any length: Cairn's own conversations over and over, each time with two other words in each text.

No two texts are alike; a text's vector is that of the text without the added words, moved a little. Entries are put
into the table as after_turn writes them. What reads the log does so in a process of its own, on one core.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.ports import Embedded
from cairn.ground.session import Session
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import log_owner
from cairn.recall.filter import SearchMode
from cairn.services import Services
from recall_engine import TENANT, USER, CachingEmbedder
from recall_sets import FITTED_ON, Text, read

SESSION = Session(TENANT, Project("scale"), SessionId("asking"))
OWNER = log_owner(USER, SESSION.session_id)
_NOISE, _NOISE_WORDS, _MARK = 0.02, 5_000, " ~ "
_ONE_CORE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_STATUS = Path("/proc/self/status")


class Moved(CachingEmbedder):
    """Gives a text with added words the vector of the text without them, moved by noise that the words decide."""

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return the text's vector, and its tokens as they would be without the added words."""
        said, mark, added = text.partition(_MARK)
        vector, tokens = super().embed_with_tokens(said)
        if not mark:
            return Embedded(vector, tokens)
        noise = np.random.default_rng(crc32(added.encode())).normal(0, _NOISE, len(vector))
        moved = vector + noise.astype(np.float32)
        return Embedded((moved / np.linalg.norm(moved)).astype(np.float32), tokens)


def texts() -> list[tuple[str, Text]]:
    """Return what is said, each with the name of its conversation."""
    return [(each.name, text) for each in read(FITTED_ON) for text in each.texts]


def write(adapters: Adapters, services: Services, size: int) -> None:
    """Write a log of so many entries, a second apart, and index none."""
    for entry in _entries(size):
        adapters.table.put(services.log.append(TENANT, SESSION.project, OWNER, entry))
        adapters.clock.sleep(1)


def index(services: Services) -> float:
    """Index the log, and return how many seconds of work that took."""
    started = time.process_time()
    services.indexer.run(TENANT, SESSION.project, OWNER)
    return time.process_time() - started


def first_answer(directory: Path, mode: SearchMode, question: str) -> dict[str, Any]:
    """Return what a cold process tells of its first answer; the first one leaves the bytecode that others find."""
    place = (str(directory), mode, TENANT, SESSION.project, USER)
    told = told_by(Path(__file__).with_name("first_answer.py"), *place, question, prefix=directory / "bytecode")
    if not told["found"]:
        raise ValueError("the process found nothing")
    return told


def told_by(script: Path, *arguments: str, prefix: Path) -> dict[str, Any]:
    """Return what a script prints as JSON, run on one core, with its bytecode under a directory."""
    command = [sys.executable, str(script), *arguments]
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(prefix)}
    done = subprocess.run(command, env=os.environ | _ONE_CORE | bytecode, capture_output=True, check=True)  # noqa: S603 - our own
    return json.loads(done.stdout)


def most_megabytes() -> float:
    """Return the most memory that this process has had."""
    peak = next(line for line in _STATUS.read_text("utf-8").splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 1024


def _entries(size: int) -> Iterator[LogEntry]:
    words = random.Random(1)  # noqa: S311 - noise
    said = texts()
    for number in range(size):
        name, text = said[number % len(said)]
        added = " ".join(f"w{words.randrange(_NOISE_WORDS)}" for _ in range(2))
        session = SessionId(f"{name}.{text.session}.{number // len(said)}")
        spoken = (f"e{number}", "user", f"{text.said}{_MARK}{added}", text.speaker)
        turn = TurnEntry(turn_id=TurnId(f"t{number}"), seq=number, events=1, texts=(spoken,))
        yield LogEntry(session_id=session, at=text.at, turn=turn)
