"""Counts over the sources of a checkout: files in a folder, lines, comments, and names that are used twice."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

ROOTS = ("layers/core", "functions")
"""The folders of a checkout that its packages lie in."""
CONVENTIONAL = frozenset({"__init__", "__main__", "door", "fields", "layout", "model"})
"""The names of modules that are meant to recur: each says the same of its own package."""
_FOR_TOOLS = ("# noqa", "# pyright:", "# type:")
_NO_CODE = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of some files: how many are for people, how many for linters, beside how many lines of code."""

    for_people: int
    for_tools: int
    code_lines: int

    def per_hundred(self, comments: int) -> float:
        """Return so many comments as a share: per 100 lines of code."""
        return round(100 * comments / self.code_lines, 2)


def sources(checkout: Path) -> list[Path]:
    """Return the Python files of the checkout's packages, in order."""
    return [path for root in ROOTS for path in sorted((checkout / root).glob("cairn*/**/*.py"))]


def files_beside(paths: Iterable[Path]) -> tuple[int, float, int]:
    """Return the number of folders, the files in a module's folder as a mean over modules, and the largest folder.

    A package's `__init__.py` is not counted.
    """
    sizes = Counter(path.parent for path in paths if path.name != "__init__.py")
    return len(sizes), round(mean(size for size in sizes.values() for _ in range(size)), 1), max(sizes.values())


def lines(paths: Iterable[Path]) -> tuple[float, int]:
    """Return the median and the largest number of lines of a file."""
    counts = [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]
    return float(median(counts)), max(counts)


def comments(paths: Iterable[Path]) -> Comments:
    """Count comments and lines of code; a docstring is neither, a line with code and a comment is both."""
    for_people = for_tools = code_lines = 0
    for path in paths:
        text = path.read_text(encoding="utf-8")
        code = set[int]()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                is_for_tools = token.string.startswith(_FOR_TOOLS)
                for_tools += is_for_tools
                for_people += not is_for_tools
            elif token.type not in _NO_CODE:
                code.update(range(token.start[0], token.end[0] + 1))
        code_lines += len(code - _docstring_lines(ast.parse(text)))
    return Comments(for_people, for_tools, code_lines)


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of every string that stands as a statement."""
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    return {line for node in texts for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def module_name(path: Path, checkout: Path) -> str:
    """Return the dotted name that the file is imported under."""
    (root,) = (root for root in ROOTS if path.is_relative_to(checkout / root))
    return ".".join(path.relative_to(checkout / root).with_suffix("").parts)


def repeated_classes(paths: Iterable[Path], checkout: Path) -> Mapping[str, Sequence[str]]:
    """Return the modules that define each public top-level class whose name more than one module defines."""
    found = defaultdict[str, list[str]](list)
    for path in paths:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module_name(path, checkout))
    return _repeated(found)


def repeated_modules(paths: Iterable[Path], checkout: Path) -> Mapping[str, Sequence[str]]:
    """Return the modules that share a file name, but for the conventional names."""
    found = defaultdict[str, list[str]](list)
    for path in paths:
        if path.stem not in CONVENTIONAL:
            found[path.stem].append(module_name(path, checkout))
    return _repeated(found)


def _repeated(found: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Return what stands in more than one place, the most frequent first."""
    several = {name: places for name, places in found.items() if len(places) > 1}
    return dict(sorted(several.items(), key=lambda each: (-len(each[1]), each[0])))
