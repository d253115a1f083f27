"""Find the small changes to a module that a test should notice.

Compared, joined and reckoned otherwise; another constant; a statement, a condition or what is returned left out; the
first two arguments swapped. Left as they are, since no test can or should tell: docstrings, annotations, decorators,
f-strings, texts that begin like a sentence, the words of an error or a schema, `__repr__` and `repr`, what is logged,
and what only type checkers read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

Node: TypeAlias = ast.expr | ast.stmt
Span: TypeAlias = tuple[int, int]

_OPERATORS: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_REMOVED = (ast.AugAssign, ast.Delete, ast.Raise, ast.Continue, ast.Break)
_FOR_TYPES = "TYPE_CHECKING"
_LOGGERS = {"logger", "logging", "warnings"}
_IN_ANY_ORDER = {"max", "min", "suppress"}
_WORDS_FOR_PEOPLE = re.compile(r"[A-Z][a-z']* \w")
_WORDS = {"description", "title", "examples", "json_schema_extra", "repr"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """Other text between two places of a module, in bytes of UTF-8, and the function or method around it, or "".

    The lines are the first and last of its statement.
    """

    function: str
    line: int
    lines: tuple[int, int]
    start: int
    end: int
    text: str


def mutations(source: str) -> list[Mutation]:
    """Return every mutation of a module's source, in the order of its lines."""
    return sorted(
        _Finder(source).found(ast.parse(source), (), (0, 0)), key=lambda each: (each.start, each.end, each.text)
    )


def mutated(source: str, mutation: Mutation) -> str:
    """Return the source with this mutation."""
    data = source.encode()
    return (data[: mutation.start] + mutation.text.encode() + data[mutation.end :]).decode()


class _Finder:
    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._lines = [0, *(match.end() for match in re.finditer(b"\n", self._data))]

    def found(
        self, node: ast.AST, within: tuple[str, ...], lines: tuple[int, int], *, in_function: bool = False
    ) -> Iterator[Mutation]:
        """Yield the mutations of a node and of all below it."""
        if isinstance(node, ast.stmt):
            lines = node.lineno, node.end_lineno or node.lineno
        if isinstance(node, _DEFINITIONS) and not in_function:
            within, in_function = (*within, node.name), not isinstance(node, ast.ClassDef)
        for (start, end), text in self._changes(node):
            line = self._data.count(b"\n", 0, start) + 1
            yield Mutation(".".join(within) if in_function else "", line, lines, start, end, text)
        for child in _told(node):
            yield from self.found(child, within, lines, in_function=in_function)

    def _changes(self, node: ast.AST) -> Iterator[tuple[Span, str]]:
        yield from self._operators(node)
        match node:
            case ast.Constant(value) if (other := _other(value)) is not None:
                yield self._span(node), repr(other)
            case ast.If(test) | ast.IfExp(test) if ast.unparse(test) != _FOR_TYPES:
                yield from ((self._span(test), text) for text in ("True", "False"))
            case ast.comprehension(ifs=conditions):
                yield from ((self._span(condition), "True") for condition in conditions)
            case ast.Return(ast.expr() as value) if ast.unparse(value) not in {"None", "False"}:
                yield self._span(value), "None"
            case ast.Call(called, [first, second, *_]) if ast.unparse(called) not in _IN_ANY_ORDER and not (
                {type(first), type(second)} & {ast.Starred, ast.GeneratorExp}
            ):
                (start, end), (begin, stop) = self._span(first), self._span(second)
                yield (start, stop), f"{self._text(second)}{self._data[end:begin].decode()}{self._text(first)}"
            case _:
                if isinstance(node, ast.stmt) and _is_removed(node):
                    yield self._span(node), "pass"

    def _operators(self, node: ast.AST) -> Iterator[tuple[Span, str]]:
        match node:
            case ast.Compare(left, operators, others):
                for (before, after), operator in zip(pairwise([left, *others]), operators, strict=True):
                    yield self._between(before, operator, after)
            case ast.BoolOp(operator, values):
                yield from (self._between(before, operator, after) for before, after in pairwise(values))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                yield self._between(left, operator, right)
            case ast.UnaryOp(ast.Not(), operand):
                yield self._span(node), self._text(operand)
            case _:
                pass

    def _between(self, before: ast.expr, operator: ast.AST, after: ast.expr) -> tuple[Span, str]:
        start, end = self._span(before)[1], self._span(after)[0]
        return (start, end), re.sub(*_OPERATORS[type(operator)], self._data[start:end].decode(), count=1)

    def _span(self, node: Node) -> Span:
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def _text(self, node: Node) -> str:
        start, end = self._span(node)
        return self._data[start:end].decode()


def _other(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if not _WORDS_FOR_PEOPLE.match(value):
            return value + "X"
        case bytes():
            return value + b"X"
        case _:
            return None


def _is_removed(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Call()):
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
        case _:
            return isinstance(node, _REMOVED)


def _told(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what tests can tell of below a node."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            below: list[ast.AST | None] = [*node.args.defaults, *node.args.kw_defaults, *node.body]
        case ast.ClassDef():
            below = [*node.body]
        case ast.AnnAssign():
            below = [node.target, node.value]
        case ast.If(test) if ast.unparse(test) == _FOR_TYPES:
            below = [*node.orelse]
        case ast.Call(ast.Name("cast"), [_, value]):
            below = [value]
        case ast.Call(ast.Name("need"), [holds, _]):
            below = [holds]
        case ast.Raise() | ast.JoinedStr():
            below = []
        case _:
            below = [*ast.iter_child_nodes(node)]
    yield from (each for each in below if each and not _is_untold(each))


def _is_untold(node: ast.AST) -> bool:
    match node:
        case (
            ast.Expr(ast.Constant())
            | ast.FunctionDef(name="__repr__")
            | ast.AnnAssign(annotation=ast.Name("TypeAlias"))
        ):
            return True
        case ast.Assign(targets=[ast.Name(name)], value=value):
            return name in {"__all__", "__slots__"} or ast.unparse(value).startswith(("TypeVar(", "NewType("))
        case ast.keyword(arg=name):
            return name in _WORDS
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
            return name in _LOGGERS
        case _:
            return False
