"""The context that a tool gets of earlier calls: labels, names and times, never words that were said."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, cast

from cairn.detection.detector import mask
from cairn.log.entries import Chunk

Source: TypeAlias = Literal["conversation", "operational", "tool_exec"]
Origin: TypeAlias = Literal["json", "chroma"]

DEFAULT_ITEMS: Final = 3
ARGUMENT_CHARACTERS: Final = 128
ARGUMENTS_CHARACTERS: Final = 2000
RESULT_CHARACTERS: Final = 1500
ERROR_CHARACTERS: Final = 240
MASKED: Final = "[REDACTED]"
_SECRET_KEY: Final = re.compile(r"token|password|secret|auth|cookie", re.IGNORECASE)
_DEPTH: Final = 4
_ENTRIES: Final = 16
_PODS: Final = 8
_PODS_SHOWN: Final = 3
_SCANNED_CHARACTERS: Final = 100_000
_HALF_LIFE: Final = timedelta(days=1)
_RECENCY_SHARE: Final = 0.25

_SIGNS: Final = {
    "scheduling": r"unschedulable|failedscheduling|scheduling|insufficient (?:cpu|memory)|\btaint|nodeaffinity",
    "crashloop": r"crash-?\s?loop|back-?off restarting|restart(?:ing|s|ed)? (?:loop|again)",
    "image": r"imagepull|errimage|invalidimagename|pull(?:ing)? image|failed pulls?",
    "timeouts": r"time(?:d)?-?\s?out|deadline ?exceeded",
    "memory": r"oomkill|out of memory|memory kill",
    "probe": r"(?:liveness|readiness|startup) ?probe|unhealthy",
    "volume": r"failedmount|failedattach|\bpvc\b|persistentvolume|\bvolumes?\b",
    "eviction": r"\bevict",
    "access": r"forbidden|unauthori[sz]ed|permission.?denied",
}
"""The error classifiers: a label, and what it is told by. Only the labels ever leave here."""
_CLASSIFIERS: Final = {label: re.compile(pattern, re.IGNORECASE) for label, pattern in _SIGNS.items()}
LABELS: Final = tuple(_SIGNS)
_RESOURCES: Final = ("pod", "namespace", "node", "deployment", "service", "route", "pvc", "cluster")
_DOMAINS: Final = {"oc": "openshift", "kubectl": "kubernetes", "k8s": "kubernetes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSummary:
    """One past call or text that fits a call: when and where it was, how well it fits, and what was found then."""

    source: Source
    score: float
    tags: Sequence[str]
    snippet: str
    origin: Origin = "json"
    memory_id: str | None = None
    session_id: str | None = None
    timestamp: int | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One past call of a tool; `timestamp` is when it was made, `tags` are what it is found by."""

    id: str
    tool: str
    at: datetime
    session_id: str | None
    tags: Sequence[str]
    failed: bool


def labels_of(text: str) -> tuple[str, ...]:
    """Return the labels of the classifiers that know something in a text."""
    scanned = text[:_SCANNED_CHARACTERS]
    return tuple(label for label, classifier in _CLASSIFIERS.items() if classifier.search(scanned))


def query_tags(tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tags of a call, most telling first: tool, resource, namespace, error hints, domain, suite, kind."""
    return tuple(_tags(tool, arguments, labels_of(_text(arguments))))


def execution_tags(tool: str, arguments: Mapping[str, Any], outcome: object) -> tuple[str, ...]:
    """Return the tags of a call that has ended: what its arguments tell and what came of it."""
    found = dict.fromkeys((*labels_of(_text(arguments)), *labels_of(_text(outcome))))
    pods = (_pod_tag(arguments, each.get("pod")) for each in _mappings(_entry(outcome, "findings")))
    pods = list(dict.fromkeys(each for each in pods if each))[:_PODS]
    return tuple(dict.fromkeys((*_tags(tool, arguments, tuple(found)), *pods)))


def pods_named(arguments: Mapping[str, Any]) -> frozenset[str]:
    """Return the tags of the pods that a call names, by itself or in the list that it brings."""
    items = (each.get("metadata") for each in _mappings(_entry(arguments.get("pods"), "items")))
    tags = (_pod_tag(arguments, _entry(each, "name")) for each in items)
    return frozenset(each for each in (*tags, _pod_tag(arguments, arguments.get("pod"))) if each)


def _pod_tag(arguments: Mapping[str, Any], pod: object) -> str | None:
    """Return the tag of a pod in the namespace that a call names."""
    namespace = arguments.get("namespace")
    if not (isinstance(namespace, str) and isinstance(pod, str) and namespace and pod):
        return None
    return f"pod:{namespace}/{pod}"[:ARGUMENT_CHARACTERS]


def _entry(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, Mapping) else None


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    entries = cast("list[object]", value) if isinstance(value, list) else []
    return (cast("Mapping[str, object]", each) for each in entries if isinstance(each, Mapping))


def _tags(tool: str, arguments: Mapping[str, Any], errors: Sequence[str]) -> Iterator[str]:
    words = tool.lower().split("_")
    yield f"tool:{tool}"
    yield from (f"resource:{each}" for each in _resources(words, arguments))
    namespace = arguments.get("namespace")
    if isinstance(namespace, str) and namespace:
        yield f"namespace:{namespace[:ARGUMENT_CHARACTERS]}"
    if pod := _pod_tag(arguments, arguments.get("pod")):
        yield pod
    yield from (f"error:{each}" for each in errors)
    if words[0] in _DOMAINS:
        yield f"domain:{_DOMAINS[words[0]]}"
        yield from (f"suite:{each}" for each in words[1:2])
    yield "kind:tool_exec"


def _resources(words: Sequence[str], arguments: Mapping[str, Any]) -> list[str]:
    """Return the kinds of resource that a tool's name or its argument `resourceType` names, in the plural too."""
    named = {*words, str(arguments.get("resourceType", "")).lower()}
    return [each for each in _RESOURCES if {each, f"{each}s"} & named]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def redacted(arguments: Mapping[str, Any]) -> str:
    """Return arguments as JSON that may be kept: secrets masked, texts and the whole cut short."""
    kept = cast("object", mask(_shortened(arguments, 0)))
    return _text(kept)[:ARGUMENTS_CHARACTERS]


def brief(outcome: object, characters: int) -> str:
    """Return what of a result or an error may be kept, in so many characters."""
    kept = cast("object", mask(_shortened(outcome, 0)))
    return (kept if isinstance(kept, str) else _text(kept))[:characters]


def _shortened(value: object, depth: int) -> object:
    if depth >= _DEPTH:
        return "…"
    if isinstance(value, Mapping):
        entries = list(cast("Mapping[str, object]", value).items())[:_ENTRIES]
        return {
            name[:ARGUMENT_CHARACTERS]: MASKED if _SECRET_KEY.search(name) else _shortened(each, depth + 1)
            for name, each in entries
        }
    if isinstance(value, list | tuple):
        return [_shortened(each, depth + 1) for each in cast("Sequence[object]", value)[:_ENTRIES]]
    return value[:ARGUMENT_CHARACTERS] if isinstance(value, str) else value


def ranked(
    executions: Sequence[Execution],
    wanted: Sequence[str],
    now: datetime,
    limit: int,
    named: Collection[str] = (),
) -> tuple[ContextSummary, ...]:
    """Return the executions that share most with the wanted tags, of equal ones the newest, best first.

    One that tells the same as a better one gives way to any that does not. `named` are tags that do not count, but may
    be shown since the call names them.
    """
    found = sorted((_summary(each, wanted, now, named) for each in executions), key=_best_first)
    told: set[frozenset[str]] = set()
    repeats: list[bool] = []
    for each in found:
        tags = frozenset(tag for tag in each.tags if not tag.startswith("mem_ctx:"))
        repeats.append(tags in told)
        told.add(tags)
    chosen = sorted(range(len(found)), key=repeats.__getitem__)[:limit]
    return tuple(found[number] for number in sorted(chosen))


def _best_first(found: ContextSummary) -> tuple[float, int]:
    return -found.score, -(found.timestamp or 0)


def _summary(execution: Execution, wanted: Sequence[str], now: datetime, named: Collection[str]) -> ContextSummary:
    shared = _shown(execution.tags, {*wanted, *named})
    overlap = len(set(execution.tags) & set(wanted)) / len(set(wanted))
    labels = [tag.removeprefix("error:") for tag in execution.tags if tag.startswith("error:")]
    ended = "failed" if execution.failed else "ended well"
    place = "".join(f", {tag}" for tag in shared if tag.startswith("namespace:"))
    return ContextSummary(
        source="tool_exec",
        memory_id=execution.id,
        session_id=execution.session_id,
        timestamp=int(execution.at.timestamp() * 1000),
        score=_score(overlap, execution.at, now),
        tags=shared,
        snippet=f"{execution.at:%Y-%m-%d %H:%M} UTC, {execution.tool}{place}: {ended}; {_named(labels)}",
    )


def text_summary(said: Chunk, wanted: Sequence[str], now: datetime) -> ContextSummary | None:
    """Return what a text of the conversation tells, None where no classifier knows anything in it."""
    labels = labels_of(said.text)
    if not labels:
        return None
    tags = [f"error:{label}" for label in labels]
    overlap = len(set(tags) & set(wanted)) / len(set(wanted))
    return ContextSummary(
        source="conversation",
        memory_id=said.event_id,
        session_id=said.session_id,
        timestamp=int(said.at.timestamp() * 1000),
        score=_score(overlap, said.at, now),
        tags=("kind:conversation", *tags),
        snippet=f"{said.at:%Y-%m-%d %H:%M} UTC, said in this conversation; {_named(labels)}",
    )


def _shown(tags: Collection[str], wanted: Collection[str]) -> tuple[str, ...]:
    """Return the tags that may be shown: what an earlier call named is told to a call that names it itself."""
    pods = [tag for tag in tags if tag in wanted and tag.startswith("pod:")]
    hidden = set(pods[_PODS_SHOWN:])
    told = (tag for tag in tags if tag in wanted or tag.startswith(("error:", "mem_ctx:")))
    return tuple(tag for tag in told if tag not in hidden)


def _named(labels: Sequence[str]) -> str:
    return f"signs: {', '.join(labels)}" if labels else "no known sign"


def _score(overlap: float, at: datetime, now: datetime) -> float:
    recency = 1 / (1 + max(now - at, timedelta(0)) / _HALF_LIFE)
    return round((1 - _RECENCY_SHARE) * overlap + _RECENCY_SHARE * recency, 3)


def packaged(
    found: Sequence[ContextSummary], most_bytes: int, most_items: int = DEFAULT_ITEMS
) -> dict[str, Any] | None:
    """Return what a tool is given as memoryContext, at most so many bytes as JSON; None where there is nothing."""
    items = [{"score": each.score, "tags": list(each.tags), "snippet": each.snippet} for each in found[:most_items]]
    for number in range(len(items), 0, -1):
        room = most_bytes - _size({"summary": "", "items": items[:number]})
        if room > 0:
            told = "\n".join(each.snippet for each in found[:number])
            return {"summary": _fitting(told, room), "items": items[:number]}
    return None


def _fitting(text: str, most_bytes: int) -> str:
    """Return the beginning of a text that as JSON has at most so many bytes, cut between characters."""
    cut = text.encode()[:most_bytes].decode(errors="ignore")
    while _size(cut) - 2 > most_bytes:
        cut = cut[:-1]
    return cut


def _size(value: object) -> int:
    return len(_text(value).encode())
