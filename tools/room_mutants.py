"""The mutants of a room of `cairn`, what each is called, and those that are listed as behaving like the program."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mutations import Mutation, mutated, mutations

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "layers" / "core"
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.toml"

Name: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutation of a file, relative to the packages' directory."""

    file: Path
    source: str
    mutation: Mutation

    @property
    def changed(self) -> str:
        """Return the source with the mutation."""
        return mutated(self.source, self.mutation)

    @property
    def name(self) -> Name:
        """Return module and function, and the lines that change, before and after: what a list knows it by."""
        data = self.source.encode()
        begin = data.rfind(b"\n", 0, self.mutation.start) + 1
        end = len(data) if (found := data.find(b"\n", self.mutation.end)) < 0 else found
        new = data[begin : self.mutation.start] + self.mutation.text.encode() + data[self.mutation.end : end]
        lines = ["\n".join(map(str.strip, each.decode().splitlines())) for each in (data[begin:end], new)]
        return f"{'.'.join(self.file.with_suffix('').parts)}:{self.mutation.function}", lines[0], lines[1]

    def shown(self) -> str:
        """Return where it is and the lines that change."""
        _, old, new = self.name
        changes = [f"{sign} {line}" for sign, text in (("-", old), ("+", new)) for line in text.splitlines()]
        where = f"{(CORE / self.file).relative_to(ROOT)}:{self.mutation.line} {self.mutation.function}"
        return "\n".join([where, *changes])


def of_room(room: str) -> Iterator[Mutant]:
    """Yield every mutant of a room."""
    for path in sorted((CORE / "cairn" / room).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        yield from (Mutant(path.relative_to(CORE), source, each) for each in mutations(source))


def equivalents() -> set[Name]:
    """Return the mutants that are listed as behaving like the program."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    return {(each["function"], each["old"], each["new"]) for each in listed}
