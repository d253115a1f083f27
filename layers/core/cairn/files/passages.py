"""Search files: cut them into passages and rank those that match a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from cairn.conversation.items import text_of
from cairn.files.files import Passage
from cairn.language.bm25 import Index
from cairn.language.terms import terms

PASSAGE_BYTES = 1000
"""A passage of a text has whole lines up to this size; a longer line is cut between words, a longer word within."""
_INSIDE_A_CHARACTER = range(0b1000_0000, 0b1100_0000)


class Passages:
    """Indexes passages for one search."""

    def __init__(self) -> None:
        """Start empty."""
        self._index = Index()
        self._found: list[tuple[str, int, bytes]] = []

    def add_text(self, path: str, content: bytes) -> None:
        """Index a text."""
        for start, passage in _cut(content):
            self._add(path, start, passage, passage.decode())

    def add_events(self, path: str, content: bytes) -> None:
        """Index lines of events under what was said in them."""
        for start, line in _lines(content):
            self._add(path, start, line, text_of(json.loads(line)["item"]))

    def add_facts(self, path: str, content: bytes) -> None:
        """Index lines of facts under what they are about and what they say."""
        for start, line in _lines(content):
            fact: dict[str, Any] = json.loads(line)
            about = str(fact["fact_id"]).replace("_", " ")
            self._add(path, start, line, f"{about} {fact['key']} {fact['value']}")

    def best(self, query: str, limit: int) -> tuple[Passage, ...]:
        """Return up to `limit` passages that share a term with the query, best first, the later one among equals."""
        return tuple(self._passage(number, score) for number, score in self._index.search(terms(query), limit))

    def _passage(self, number: int, score: float) -> Passage:
        path, start, content = self._found[number]
        return Passage(path=path, start=start, end=start + len(content), content=content.decode(), score=score)

    def _add(self, path: str, start: int, content: bytes, text: str) -> None:
        self._index.add(terms(text))
        self._found.append((path, start, content))


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        yield start, content[start:end]
        start = end


def _cut(content: bytes) -> Iterator[tuple[int, bytes]]:
    start = end = 0
    for piece in _pieces(content):
        if end > start and end + len(piece) - start > PASSAGE_BYTES:
            yield start, content[start:end]
            start = end
        end += len(piece)
    if end > start:
        yield start, content[start:end]


def _pieces(content: bytes) -> Iterable[bytes]:
    """Yield lines, and of longer ones as much as a passage holds without cutting a word, or at least no character."""
    for _, line in _lines(content):
        rest = line
        while len(rest) > PASSAGE_BYTES:
            end = rest.rfind(b" ", 0, PASSAGE_BYTES) + 1 or PASSAGE_BYTES
            while rest[end] in _INSIDE_A_CHARACTER:
                end -= 1
            yield rest[:end]
            rest = rest[end:]
        yield rest
