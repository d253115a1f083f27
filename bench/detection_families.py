"""Families of secrets, each with what must be found and what looks like it and is none, and a naive rule to compare."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import Final

import detection_shapes as shapes
import detection_vendors as vendors
from detection_negatives import NEGATIVES
from detection_set import Case, Half

_NO_TAGS: Final = str.maketrans("<>", "!?")
Build = Callable[[random.Random, Half], Iterator[tuple[str, str | None]]]
# What a first try looks like: a label with a value behind it, or a long run.
_NAIVE: Final = re.compile(
    r"(?i)(?:password|passwd|pwd|secret|token|api_?key)[\"']?\s*[:=]\s*[\"']?[^\s\"']{6,}|[A-Za-z0-9_-]{32,}"
)


def naive(text: str) -> str:
    """Return a text as one regular expression would mask it, the baseline that the rules are compared with."""
    return _NAIVE.sub("", text)


def _half(rows: Sequence[tuple[str, str]], half: Half) -> Sequence[tuple[str, str]]:
    return rows[half == "held-out" :: 2]


def _bare(rng: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
    for _, form in _half(vendors.rows(vendors.BARE), half):
        for sentence in vendors.SENTENCES:
            token = vendors.made(form, rng)
            yield sentence.replace("{}", token), token
    for make in NEGATIVES.values():
        for sentence in vendors.SENTENCES:
            yield sentence.replace("{}", make(rng)), None


def _coded(shape: str, vendor: str, value: str) -> str:
    return shape.format(i=vendor, I=vendor.upper(), s=value)


def _named(rng: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
    places = cycle(_half([("", shape) for shape in vendors.CODE], half))
    for vendor, form in _half(vendors.rows(vendors.BARE + vendors.LABELLED.lstrip()), half):
        for _ in range(6):
            token = vendors.made(form, rng)
            yield _coded(next(places)[1], vendor, token), token
    for template in shapes.TEMPLATES:
        for _, shape in _half([("", shape) for shape in vendors.CODE], half):
            yield _coded(shape, "acme", template.format()), None


def _values(forms: Sequence[str]) -> Build:
    def build(rng: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
        held = _half([("", form) for form in forms], half)
        for label in shapes.LABELS[half == "held-out" :: 2]:
            for kind, make in shapes.VALUES.items():
                for _, form in held:
                    # In an element a "<" is a tag's.
                    if kind != "brackets" or not form.startswith("<"):
                        secret = make(rng)
                        secret = secret.translate(_NO_TAGS) if form.startswith("<") else secret
                        yield form.format(l=label, s=secret), secret
            for template in shapes.TEMPLATES:
                for _, form in held:
                    yield form.format(l=label, s=template.format()), None

    return build


def _special(rng: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
    for _, pattern in _half([("", pattern) for pattern in shapes.SPECIAL], half):
        for _ in range(8):
            yield shapes.special(pattern, rng)


def _code(_: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
    for form in shapes.CODE[half == "held-out" :: 2]:
        for label in shapes.LABELS:
            yield form.format(l=label), None


def _prose(rng: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
    yield from _special(rng, half)
    for form in shapes.PROSE[half == "held-out" :: 2]:
        for label in ("password", "token", "secret", "API key", "access token", "passphrase"):
            yield form.format(l=label), None


def _bare_and_code(rng: random.Random, half: Half) -> Iterator[tuple[str, str | None]]:
    yield from _values(shapes.BARE)(rng, half)
    yield from _code(rng, half)


_BUILT: Final[Mapping[str, Build]] = {
    "vendors' tokens in prose": _bare,
    "vendors' tokens behind a name": _named,
    "quoted values behind a label": _values(shapes.QUOTED),
    "bare values behind a label": _bare_and_code,
    "values in XML": _values(shapes.ELEMENTS),
    "headers, addresses, commands, prose": _prose,
}


def families(half: Half) -> dict[str, list[Case]]:
    """Return the cases of one half by family, the same at every call."""
    rng = random.Random(f"cairn families {half}")  # noqa: S311  a labelled set is to be repeatable
    return {
        name: [Case(name, half, {"text": text}, secret, "secret") for text, secret in build(rng, half)]
        for name, build in _BUILT.items()
    }
