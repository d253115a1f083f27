"""LangGraph's SqliteStore as an agent's graph uses it: put and search in one namespace, over one file."""
# pyright: basic, reportMissingImports=false
# runs in the peer's own environment

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from embedding import DIMENSIONS, embedder
from langgraph.store.sqlite import SqliteStore
from lines import serve

_NAMESPACE = ("bench", "memories")
_LIMIT = 10


def main() -> None:
    """Serve the store in a directory, `indexed` or `plain`, with the model in another."""
    directory, kind, model = sys.argv[1:]
    index = None
    if kind == "indexed":
        used = embedder(model)
        index = {"dims": DIMENSIONS, "embed": lambda texts: [used.embed(text) for text in texts], "fields": ["text"]}
    with SqliteStore.from_conn_string(str(Path(directory) / "store.db"), index=index) as store:
        store.setup()

        def put(key: str, text: str) -> None:
            store.put(_NAMESPACE, key, {"text": text})

        def search(query: str) -> Sequence[str]:
            return [item.value["text"] for item in store.search(_NAMESPACE, query=query, limit=_LIMIT)]

        serve(put, search)


if __name__ == "__main__":
    main()
