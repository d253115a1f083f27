"""What recall takes of a log of a hundred thousand entries and of a million, and what it finds.

The log is that of `vast_log`: real conversations with their questions among mixtures of what they say. It is read in a
process of its own, on one core, over the store of one machine; what S3 would add is counted and estimated. Each
question is put twice: to a log in pages, of which only the finalists are read, as recall does, and to one that is all
at hand and whose texts are all weighed by everything.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

import report
from cairn.ground.session import Session
from cairn.log import pages
from cairn.log.entries import Chunk
from cairn.log.segments import Segments
from cairn.recall.searching import Search, Visibility
from cairn.services import Services
from cairn.vault.vault import Vault
from long_log import most_megabytes, told_by
from metering import Meter, MeteredBlobs
from recall_engine import MODEL, TENANT, CachingEmbedder, StoryClock, open_adapters, recalling
from recall_sets import FITTED_ON, HELD_OUT, Conversation, Question, read
from report import Table
from vast_log import ASKING, OWNER, PK, PROJECT, Mixtures, build

_SIZES = (100_000, 1_000_000)
_QUESTIONS = 300
_DEPTH = 10
_SEED = 1
_GET_SECONDS, _BYTES_A_SECOND = 0.015, 80e6
"""What S3 is assumed to take: for a request, and for what it answers with, which one function shares."""
_AT_ONCE = 16
"""How many requests a function makes at once."""
_EMBEDDER = CachingEmbedder(MODEL)
_SESSION = Session(TENANT, PROJECT, ASKING)
_ASKED_AT = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    """Print the table."""
    parser = report.options(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, help="how many entries there are")
    parser.add_argument(
        "--exact-up-to", type=int, default=max(_SIZES), help="how large a log is weighed as a whole too"
    )
    given = parser.parse_args()
    tables = [table(given.sizes, given.exact_up_to)]
    report.publish("vast_recall", tables, given, seeds=(_SEED,), libraries=("numpy", "onnxruntime"))


def table(sizes: Sequence[int], exact_up_to: int) -> Table:
    """Return what recall takes of logs of these sizes."""
    columns = (
        "entries",
        "segments",
        "stored bytes, each",
        "MB held",
        "MB at most",
        "p50 ms",
        "p95 ms",
        "cold s",
        "cold GETs",
        "cold MB from S3",
        "cold s with S3",
        "GETs a question",
        "KB a question",
        "any@10 %",
        "any@10 %, all exact",
    )
    note = (
        f"{_QUESTIONS} questions of real conversations, each put for the first time, with what embeds it; times are "
        "of one core, without waiting. MB are of the whole process, of which the model and the interpreter take some "
        f"125. A request to S3 is taken for {1000 * _GET_SECONDS:.0f} ms and {_BYTES_A_SECOND / 1e6:.0f} MB a second, "
        f"full segments one after the other, {_AT_ONCE} pages at a time. The conversations stand in the log once; all "
        "else is mixtures of two of their texts and of the two vectors, so that a question has many near misses."
    )
    return Table("Recall of a long log", columns, [_row(size, exactly=size <= exact_up_to) for size in sizes], note)


def _row(size: int, *, exactly: bool) -> Sequence[report.Cell]:
    told = _told(size)
    exact = f"{100 * _told(size, 'exactly')['found']:.1f}" if exactly else "not asked"
    rounds = told["segments"] + (told["gets"] - told["segments"]) / _AT_ONCE
    estimated = told["cold"] + rounds * _GET_SECONDS + told["bytes"] / _BYTES_A_SECOND
    return (
        size,
        told["segments"],
        round(told["stored"] / size),
        round(told["held"]),
        round(told["most"]),
        round(1000 * median(told["seconds"]), 1),
        round(1000 * quantiles(told["seconds"], n=20)[-1], 1),
        round(told["cold"], 2),
        told["gets"],
        round(told["bytes"] / 1e6),
        round(estimated, 1),
        round(told["gets_each"]),
        round(told["bytes_each"] / 1e3),
        f"{100 * told['found']:.1f}",
        exact,
    )


def _told(size: int, *how: str) -> dict[str, Any]:
    """Return what a process tells of a log of this size, which is in pages unless everything is to be weighed."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with open_adapters(directory, StoryClock()) as adapters:
            mixtures = Mixtures(_conversations(), _EMBEDDER, _SEED)
            stored = build(adapters, mixtures.log(size), MODEL.name, in_pages=not how)
        return told_by(Path(__file__), name, *how, prefix=directory / "bytecode") | {"stored": stored}


def _conversations() -> list[Conversation]:
    return [each for path in (FITTED_ON, HELD_OUT) for each in read(path) if each.language == "en"]


def _measure(directory: Path, *, exactly: bool) -> None:
    """Put the questions to the log, and tell what that took."""
    if exactly:
        pages.LONG = sys.maxsize
    asked = [(each.name, question) for each in _conversations() for question in each.questions]
    random.Random(_SEED).shuffle(asked)  # noqa: S311 - which questions, no secret
    clock, embedder, meter = StoryClock(), CachingEmbedder(MODEL), Meter()
    with open_adapters(directory, clock) as adapters:
        segments = len(Segments(adapters, Vault(adapters)).manifest(PK).segments)
        clock.turn_to(_ASKED_AT)
        services = recalling(replace(adapters, blobs=MeteredBlobs(adapters.blobs, meter)), embedder)
        embedder.embed("the model is there")
        started = time.process_time()
        _found(services, "The first question")
        cold, gets, read = time.process_time() - started, meter.counts["blob_get"], meter.sizes["blobs_read"]
        told = [_timed(services, *each) for each in asked[:_QUESTIONS]]
    said: dict[str, Any] = {
        "segments": segments,
        "gets": gets,
        "bytes": read,
        "gets_each": (meter.counts["blob_get"] - gets) / len(told),
        "bytes_each": (meter.sizes["blobs_read"] - read) / len(told),
        "cold": cold,
        "held": _megabytes_now(),
        "most": most_megabytes(),
        "seconds": [seconds for _, seconds in told],
        "found": fmean(found for found, _ in told),
    }
    print(json.dumps(said))


def _timed(services: Services, conversation: str, question: Question) -> tuple[bool, float]:
    """Return whether a text that is needed is among the first ten, and the seconds that took."""
    wanted = {f"{conversation}.{each}" for each in question.evidence}
    started = time.process_time()
    found = _found(services, question.text)
    return not wanted.isdisjoint(found), time.process_time() - started


def _found(services: Services, question: str) -> list[str]:
    """Return the conversation and the id of the first ten texts."""
    visibility = Visibility(_SESSION, OWNER, "user")
    services.searcher.refresh(visibility, [OWNER])
    search = Search(query=question, texts=[OWNER], memories=[OWNER])
    with services.searcher.answering(visibility, search) as answer:
        read = [answer.read(hit) for hit in islice(answer.hits(), _DEPTH)]
        return [each.turn_id for each in read if isinstance(each, Chunk)]


def _megabytes_now() -> float:
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):  # a directory: the process that measures
        _measure(Path(sys.argv[1]), exactly="exactly" in sys.argv)
    else:
        main()
