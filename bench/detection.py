"""How well the detector tells secrets and personal data from what looks like them, and how long it takes.

A positive counts as found if masking leaves nothing of the secret, a negative as a false alarm if anything is found.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import detection_personal_families
import report
from cairn.detection.detector import mask, scan
from detection_families import families, naive
from detection_set import HALVES, Case, cases
from report import Table

MEGABYTE = 1_000_000
TEXTS = {
    "prose": "The meeting was moved to the afternoon, and Marta brought the slides. ",
    "code": "def total(items: list[Item]) -> int:\n    return sum(item.price * item.count for item in items)\n",
    "log": "2025-11-02 10:22:33,123 INFO worker-3 GET /v1/items/5f4dcc3b5aa765d61d8327deb882cf99 200 12ms\n",
    "other scripts": "会議は午後三時に始まります。Встреча в 10:30. ",
}


def main() -> None:
    """Print the tables."""
    options = report.options(__doc__)
    options.add_argument("--misses", choices=HALVES, help="print what one half gets wrong")
    chosen = options.parse_args()
    if chosen.misses:
        every = [*cases(chosen.misses), *chain.from_iterable(families(chosen.misses).values())]
        print(*(f"{case.kind}: {case.value!r} -> {scan(case.value)}" for case in every if not right(case)), sep="\n")
        return
    found = {half: figures(cases(half)) for half in HALVES}
    personal = detection_personal_families.table()
    report.publish("detection", [_families(), personal, _halves(found), _kinds(found), _times()], chosen)


def right(case: Case) -> bool:
    """Tell whether the detector does with a case what its label says."""
    found = scan(case.value)
    if case.secret is None:
        return not found
    categories = {finding.category for finding in found}
    masked = json.dumps(mask(case.value), ensure_ascii=False)
    return (case.category == "any" or case.category in categories) and case.secret not in masked and bool(found)


def naively(case: Case) -> bool:
    """Tell whether one regular expression would do with a case of one text what its label says."""
    masked = naive(case.value["text"])
    return masked == case.value["text"] if case.secret is None else case.secret not in masked


def figures(labelled: Sequence[Case], judged: Callable[[Case], bool] = right) -> dict[str, Any]:
    """Return recall, precision and, by kind, how many are right of how many."""
    outcomes = [(case, judged(case)) for case in labelled]
    found = sum(good for case, good in outcomes if case.secret is not None)
    alarms = sum(not good for case, good in outcomes if case.secret is None)
    positives = sum(case.secret is not None for case in labelled)
    kinds: dict[str, list[int]] = {}
    for case, good in outcomes:
        count = kinds.setdefault(case.kind, [0, 0])
        count[0] += good
        count[1] += 1
    return {
        "positives": positives,
        "negatives": len(labelled) - positives,
        "recall": round(found / positives, 4),
        "precision": round(found / (found + alarms), 4) if found + alarms else 1.0,
        "kinds": kinds,
    }


def seconds(text: str) -> float:
    """Return the processor time of a scan of 1 MB of a text over and over."""
    value = (text * (MEGABYTE // len(text) + 1))[:MEGABYTE]
    started = time.process_time()
    scan(value)
    return round(time.process_time() - started, 3)


def import_ms() -> float:
    """Return the processor time of importing the detector, in a process of its own."""
    program = (
        "import time, re, html, json, dataclasses, unicodedata, urllib.parse, hashlib\n"
        "started = time.process_time()\nimport cairn.detection.detector\n"
        "print(1000 * (time.process_time() - started))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603  our own
    return round(float(ran.stdout), 1)


def _families() -> Table:
    rows: list[tuple[str | float, ...]] = []
    for half in HALVES:
        for family, labelled in families(half).items():
            reached, plain = figures(labelled), figures(labelled, naively)
            counts = (reached["positives"], reached["recall"], reached["negatives"], reached["precision"])
            rows.append((f"{family}, {half}", *counts, plain["recall"], plain["precision"]))
    columns = ("family", "positives", "recall", "negatives", "precision", "naive recall", "naive precision")
    return Table("By family of secrets", columns, rows)


def _halves(found: Mapping[str, Mapping[str, Any]]) -> Table:
    names = ("positives", "recall", "negatives", "precision")
    rows = [(half, *(figures[name] for name in names)) for half, figures in found.items()]
    return Table("Secrets and personal data found", ("half", *names), rows)


def _kinds(found: Mapping[str, Mapping[str, Any]]) -> Table:
    kinds: dict[str, list[int]] = {}
    for figures in found.values():
        for kind, (good, total) in figures["kinds"].items():
            count = kinds.setdefault(kind, [0, 0])
            count[0] += good
            count[1] += total
    return Table("By kind, both halves", ("kind", "right", "of"), [(kind, *count) for kind, count in kinds.items()])


def _times() -> Table:
    rows = [(f"a scan of 1 MB, {name}", round(1000 * seconds(text))) for name, text in TEXTS.items()]
    return Table("Processor time", ("of", "ms"), [*rows, ("the import", import_ms())])


if __name__ == "__main__":
    main()
