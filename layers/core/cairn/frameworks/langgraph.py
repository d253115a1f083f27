"""LangGraph: its store and its checkpointer over Cairn's documents."""

from __future__ import annotations

from cairn.frameworks.langgraph_saver import CairnSaver
from cairn.frameworks.langgraph_store import CairnStore

__all__ = ["CairnSaver", "CairnStore"]
