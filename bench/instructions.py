"""How many texts that speak to a model are held back where they come from outside, and how many others.

Those of bench/data/instructions.json speak to one; its second part was written before anybody saw which of it is found.
No text of a conversation does, nor one that was installed here: each counts as if it had come from outside.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions
from itertools import islice
from pathlib import Path
from typing import Final

import recall_sets
import report
from cairn.detection.instructions import instructs
from report import Table

_SPEAK: Final = Path(__file__).parent / "data/instructions.json"
_MODULES: Final = 6_000


def main() -> None:
    """Print the tables."""
    options = report.options(__doc__)
    recall_sets.data_option(options, [recall_sets.FITTED_ON, recall_sets.HELD_OUT])
    chosen = options.parse_args()
    report.publish("instructions", [_found(), _others(chosen.data)], chosen)


def _found() -> Table:
    parts: dict[str, list[str]] = json.loads(_SPEAK.read_text(encoding="utf-8"))
    rows = [(name, len(texts), sum(map(instructs, texts))) for name, texts in parts.items()]
    return Table("Texts that speak to a model", ("part", "texts", "held back"), rows)


def _others(data: Iterable[Path]) -> Table:
    sets = [(path.name, (text.said for one in recall_sets.read(path) for text in one.texts)) for path in data]
    rows = [_row(name, texts) for name, texts in [*sets, ("installed modules", _modules()), ("READMEs", _readmes())]]
    return Table("Texts that do not", ("of", "texts", "held back", "million characters a second"), rows)


def _row(name: str, texts: Iterable[str]) -> tuple[str, int, int, float]:
    every = list(texts)
    started = time.process_time()
    held = sum(map(instructs, every))
    taken = time.process_time() - started
    return name, len(every), held, round(sum(map(len, every)) / taken / 1e6, 2)


def _modules() -> Iterator[str]:
    """Yield the first modules, by path, of what is installed in this environment."""
    site = next(Path(each) for each in sys.path if each.endswith("site-packages"))
    return (path.read_text(encoding="utf-8", errors="replace") for path in islice(sorted(site.rglob("*.py")), _MODULES))


def _readmes() -> Iterator[str]:
    return (each.read_text("METADATA") or "" for each in distributions())


if __name__ == "__main__":
    main()
