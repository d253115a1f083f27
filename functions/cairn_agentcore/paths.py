"""Which operation a request asks for, and how the path that was asked can have been percent-encoded.

A gateway hands on the path decoded, so that an actor's slashes look like those between labels; what was signed is the
path as it was encoded. So each operation whose path fits is a reading, with the path that a client would have sent; if
the request is signed, the signature says which reading is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

from cairn.access.signed_requests import ROOT
from cairn.access.sigv4 import encoded_label
from cairn.edge.events import Request

_LABEL: Final = re.compile(r"\{(\w+)\}")
_DECODED: Final = {"memoryId": r"(?:arn:[^/]+/)?[^/]+", "actorId": r".+"}
"""What a label may be where it stands decoded; those that are not named hold no slash."""


@dataclass(frozen=True, slots=True)
class Template:
    """A method and a path with `{labels}`, as the service's model writes them."""

    method: str
    path: str
    _encoded: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _decoded: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile both forms."""
        object.__setattr__(self, "_encoded", self._pattern({}))
        object.__setattr__(self, "_decoded", self._pattern(_DECODED))

    def of_encoded(self, path: str) -> Mapping[str, str] | None:
        """Return the labels of a path as it is sent, None where it is another's."""
        found = self._encoded.fullmatch(path)
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}

    def of_decoded(self, path: str) -> Mapping[str, str] | None:
        """Return the labels of a path that was decoded, None where it is another's."""
        found = self._decoded.fullmatch(path)
        return None if found is None else found.groupdict()

    def sent(self, labels: Mapping[str, str]) -> str:
        """Return the path as a client of AWS sends it with these labels."""
        return _LABEL.sub(lambda found: encoded_label(labels[found[1]]), self.path)

    def _pattern(self, kinds: Mapping[str, str]) -> re.Pattern[str]:
        parts = _LABEL.split(self.path)
        texts, names = parts[::2], parts[1::2]
        labels = [f"(?P<{name}>{kinds.get(name, '[^/]+')})" for name in names]
        return re.compile("".join(map("".join, zip(map(re.escape, texts), [*labels, ""], strict=True))))


@dataclass(frozen=True, slots=True)
class Reading:
    """An operation by its place in the list, its labels, and the path that was sent if that is meant."""

    number: int
    labels: Mapping[str, str]
    sent: str


def readings(request: Request, templates: Sequence[Template]) -> Iterator[Reading]:
    """Yield what a request can ask for: first as if its path were as it was sent, then as if it had been decoded."""
    seen = set[tuple[int, str]]()
    for prefix, rest in _places(request):
        for number, template in enumerate(templates):
            if template.method != request.method:
                continue
            encoded, decoded = template.of_encoded(rest), template.of_decoded(rest)
            found = [
                *([] if encoded is None else [Reading(number, encoded, f"{prefix}{rest}")]),
                *([] if decoded is None else [Reading(number, decoded, f"{_quoted(prefix)}{template.sent(decoded)}")]),
            ]
            yield from (each for each in found if (number, each.sent) not in seen)
            seen.update((number, each.sent) for each in found)


def _places(request: Request) -> Iterator[tuple[str, str]]:
    """Yield where the service begins in the path, and what stands behind it; of a route's parameter too."""
    before, root, rest = request.path.partition(f"{ROOT}/")
    if root:
        yield f"{before}{ROOT}", f"/{rest}"
        behind = request.path_parameters.get("call")
        if behind is not None and behind != rest:
            yield f"{before}{ROOT}", f"/{behind}"


def _quoted(prefix: str) -> str:
    return quote(prefix, safe="/-_.~")
