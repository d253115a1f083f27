"""Find words in memory files as Pydantic AI's harness finds them in its own stores: by how often they stand there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai_harness.memory import MemorySearchMatch, MemorySearchResult

_CUT = "..."


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a search may look at and answer; all of no more than 0 finds nothing."""

    limit: int
    max_files: int
    max_chars: int
    max_file_chars: int

    @property
    def are_empty(self) -> bool:
        """Tell whether nothing may be answered."""
        return min(self.limit, self.max_files, self.max_chars, self.max_file_chars) <= 0


def found(files: Sequence[tuple[str, str]], below: str, query: str, bounds: Bounds) -> MemorySearchResult:
    """Return where the query's words stand, the best first: a word in a file's name counts twice.

    Names and snippets have `max_chars` together. `truncated` says that ends of files or matches were left out.
    """
    held = [(path, content[: bounds.max_file_chars]) for path, content in files]
    is_cut = any(len(content) > bounds.max_file_chars for _, content in files)
    scored = [(path, content, _score(path[len(below) :], content, query)) for path, content in held]
    ranked = sorted((each for each in scored if each[2]), key=lambda each: (-each[2], each[0]))
    matches = _shown(ranked[: bounds.limit], below, query, bounds.max_chars)
    return MemorySearchResult(matches, len(files), truncated=is_cut or len(ranked) > len(matches))


def _shown(ranked: Sequence[tuple[str, str, float]], below: str, query: str, most: int) -> list[MemorySearchMatch]:
    matches = list[MemorySearchMatch]()
    for path, content, score in ranked:
        name = path[len(below) :]
        if len(name) >= most:
            break
        snippet = _snippet(content, query, most - len(name))
        matches.append(MemorySearchMatch(path, snippet, score))
        most -= len(name) + len(snippet)
    return matches


def _score(name: str, content: str, query: str) -> float:
    name, content = name.lower(), content.lower()
    return float(sum(content.count(word) + 2 * name.count(word) for word in query.lower().split()))


def _snippet(content: str, query: str, most: int) -> str:
    """Return a piece of a content around the first of the query's words in it, a third of it before that."""
    lower = content.lower()
    places = [place for word in query.lower().split() if (place := lower.find(word)) >= 0]
    end = min(len(content), max(0, min(places, default=0) - most // 3) + most)
    start = max(0, end - most)
    snippet = content[start:end]
    if start:
        snippet = f"{_CUT}{snippet[3:]}" if len(snippet) >= len(_CUT) else "." * len(snippet)
    if end < len(content):
        snippet = f"{snippet[:-3]}{_CUT}" if len(snippet) >= len(_CUT) else "." * len(snippet)
    return snippet
