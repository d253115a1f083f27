"""How well the detector tells secrets and personal data from what looks like them, and how long it takes.

A positive counts as found if masking leaves nothing of the secret, a negative as a false alarm if anything is found.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from cairn.domain.detection.detector import mask, scan
from detection_set import Case, Half, cases

HALVES: tuple[Half, ...] = ("development", "held-out")
MEGABYTE = 1_000_000
TEXTS = {
    "prose": "The meeting was moved to the afternoon, and Marta brought the slides. ",
    "code": "def total(items: list[Item]) -> int:\n    return sum(item.price * item.count for item in items)\n",
    "log": "2025-11-02 10:22:33,123 INFO worker-3 GET /v1/items/5f4dcc3b5aa765d61d8327deb882cf99 200 12ms\n",
    "other scripts": "会議は午後三時に始まります。Встреча в 10:30. ",
}


def main() -> None:
    """Print a table and, last, one JSON object."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the JSON object only")
    options.add_argument("--misses", choices=HALVES, help="print what one half gets wrong")
    chosen = options.parse_args()
    if chosen.misses:
        print(
            *(f"{case.kind}: {case.value!r} -> {scan(case.value)}" for case in cases(chosen.misses) if not right(case)),
            sep="\n",
        )
        return
    result = {
        "bench": "detection",
        **{half: figures(cases(half)) for half in HALVES},
        "seconds_per_mb": {name: seconds(text) for name, text in TEXTS.items()},
        "import_ms": import_ms(),
    }
    if not chosen.json:
        _print(result)
    print(json.dumps(result))


def right(case: Case) -> bool:
    """Tell whether the detector does with a case what its label says."""
    found = scan(case.value)
    if case.secret is None:
        return not found
    categories = {finding.category for finding in found}
    masked = json.dumps(mask(case.value), ensure_ascii=False)
    return (case.category == "any" or case.category in categories) and case.secret not in masked and bool(found)


def figures(labelled: Sequence[Case]) -> dict[str, Any]:
    """Return recall, precision and, by kind, how many are right of how many."""
    outcomes = [(case, right(case)) for case in labelled]
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
        "precision": round(found / (found + alarms), 4),
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
        "started = time.process_time()\nimport cairn.domain.detection.detector\n"
        "print(1000 * (time.process_time() - started))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603  our own
    return round(float(ran.stdout), 1)


def _print(result: dict[str, Any]) -> None:
    kinds: dict[str, list[int]] = {}
    for half in HALVES:
        for kind, (good, total) in result[half]["kinds"].items():
            count = kinds.setdefault(kind, [0, 0])
            count[0] += good
            count[1] += total
    print(f"{'kind':36}{'right':>6}{'of':>5}")
    for kind, (good, total) in kinds.items():
        print(f"{kind:36}{good:6}{total:5}")
    for half in HALVES:
        each = result[half]
        counts = f"{each['positives']} positives, recall {each['recall']}"
        print(f"\n{half}: {counts}; {each['negatives']} negatives, precision {each['precision']}")
    print(f"\nseconds for 1 MB: {result['seconds_per_mb']}; import {result['import_ms']} ms")


if __name__ == "__main__":
    main()
