"""The labelled set of the detector: what must be found and what must be left alone, made anew from a seed.

Every secret is assembled at run time, of a real form and of no account. The carriers of the held-out half differ from
those of the development half, which alone the rules were tuned on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from detection_negatives import NEGATIVES, TEXTS
from detection_personal import PERSONAL
from detection_secrets import DISGUISES, SECRETS, STRUCTURES

Half = Literal["development", "held-out"]
HALVES: tuple[Half, ...] = get_args(Half)
Make = Callable[[random.Random], str]
PER_HALF = 5

SENTENCES: Mapping[Half, Sequence[str]] = {
    "development": ("{}", "please use {} for the deploy", "log: got {}, retrying", "He wrote: “{}”.", "see\n{}\nbelow"),
    "held-out": ("it is {}.", "- {}\n- next step", "({})", "Notes from today: {} was shared in the call", "> {}"),
}
PLACES: Mapping[Half, Sequence[Callable[[str], Any]]] = {
    "development": (
        lambda text: text,
        lambda text: {"summary": text},
        lambda text: {"events": [{"tool": "bash", "output": text}]},
        lambda text: ["first", text],
        lambda text: {"tags": ["deploy", text]},
    ),
    "held-out": (
        lambda text: {"a": {"b": {"c": [text]}}},
        lambda text: {text: "seen"},
        lambda text: [["x", {"note": text}], 3],
        lambda text: {"turn": {"role": "user", "content": [{"type": "text", "text": text}]}},
        lambda text: {"result": "ok", "detail": text, "took_ms": 12},
    ),
}


@dataclass(frozen=True)
class Case:
    """A value with what is to be found in it; `secret` is None where there is nothing."""

    kind: str
    half: Half
    value: Any
    secret: str | None = None
    category: str = "none"


def cases(half: Half) -> list[Case]:
    """Return one half of the set, the same at every call."""
    rng = random.Random(f"cairn {half}")  # noqa: S311  a labelled set is to be repeatable
    return [*_positives(half, rng), *_disguised(half, rng), *_negatives(half, rng)]


def _positives(half: Half, rng: random.Random) -> Iterator[Case]:
    for category, kinds in (("secret", SECRETS), ("personal", PERSONAL)):
        for kind, (make, contexts) in kinds.items():
            sentences = contexts[half == "held-out" :: 2] if contexts else SENTENCES[half]
            for number in range(PER_HALF):
                secret = make(rng)
                text = sentences[number % len(sentences)].replace("{}", secret)
                yield Case(kind, half, PLACES[half][number](text), secret, category)


def _disguised(half: Half, rng: random.Random) -> Iterator[Case]:
    for kind, (make, disguise) in DISGUISES.items():
        for number in range(PER_HALF):
            secret = disguise(make(rng))
            text = SENTENCES[half][number].replace("{}", secret)
            yield Case(f"disguise: {kind}", half, PLACES[half][number](text), secret, "any")
    for kind, structure in STRUCTURES.items():
        for _ in range(PER_HALF):
            secret, value = structure(rng)
            yield Case(f"structure: {kind}", half, value, secret, "any")


def _negatives(half: Half, rng: random.Random) -> Iterator[Case]:
    for kind, make in NEGATIVES.items():
        for number in range(PER_HALF):
            text = SENTENCES[half][number].replace("{}", make(rng))
            yield Case(kind, half, PLACES[half][number](text))
    for kind, texts in TEXTS.items():
        for number, text in enumerate(texts[half == "held-out" :: 2]):
            yield Case(kind, half, PLACES[half][number % PER_HALF](text))
