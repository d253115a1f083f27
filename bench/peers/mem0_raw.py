"""mem0 with nothing inferred: each text kept as it is, in its local vector store, with no language model asked."""
# pyright: basic, reportMissingImports=false
# runs in the peer's own environment

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

from embedding import DIMENSIONS, embedder
from langchain_core.embeddings import Embeddings
from lines import serve

_USER = "bench"
_LIMIT = 10


class Embedded(Embeddings):
    """The bench's embedder as mem0 takes one."""

    def __init__(self, model: str) -> None:
        """Use the model in a directory, or hashed words."""
        self._embedder = embedder(model)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return self._embedder.embed(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [self.embed_query(text) for text in texts]


def main() -> None:
    """Serve the store in a directory, with the model in another."""
    directory, model = sys.argv[1:]
    # mem0 looks for the class in a package of 40 MB of which it uses nothing else.
    sys.modules["langchain"] = ModuleType("langchain")
    sys.modules["langchain.embeddings"] = ModuleType("langchain.embeddings")
    sys.modules["langchain.embeddings.base"] = ModuleType("langchain.embeddings.base")
    sys.modules["langchain.embeddings.base"].__dict__["Embeddings"] = Embeddings
    from mem0 import Memory  # noqa: PLC0415 - it looks for that class as it is imported

    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": f"{directory}/qdrant", "on_disk": True, "embedding_model_dims": DIMENSIONS},
            },
            "embedder": {"provider": "langchain", "config": {"model": Embedded(model)}},
            "history_db_path": f"{directory}/history.db",
        }
    )

    def put(_key: str, text: str) -> None:
        memory.add([{"role": "user", "content": text}], user_id=_USER, infer=False)

    def search(query: str) -> Sequence[str]:
        found = memory.search(query, filters={"user_id": _USER}, top_k=_LIMIT, threshold=0.0)
        return [each["memory"] for each in found["results"]]

    serve(put, search)


if __name__ == "__main__":
    main()
