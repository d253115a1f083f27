"""How the bench speaks to a library: one JSON object a line, in and out, with the time that the call itself took."""
# pyright: basic
# runs in the peers' own environments

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence


def serve(store: Callable[[str, str], object], search: Callable[[str], Sequence[str]]) -> None:
    """Answer `store` with a key and a text, and `search` with the texts found, until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        started = time.perf_counter()
        if asked["call"] == "store":
            store(asked["key"], asked["text"])
            texts: Sequence[str] = ()
        else:
            texts = search(asked["query"])
        milliseconds = (time.perf_counter() - started) * 1000
        print(json.dumps({"ms": milliseconds, "texts": list(texts)}), flush=True)
