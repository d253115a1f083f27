"""Every call of mem0's clients, one line each: its method and path behind the door's own, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cairn.ground.errors import InvalidArgument, NotFound
from cairn_mem0 import adding, batches, finding, listing, one_memory
from cairn_mem0.asked import Asked
from cairn_mem0.signing_on import ping

_REST: Final = "*"
"""The last part of a path that stands for any rest of it."""


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path with its names in braces, and what answers there."""

    method: str
    path: str
    answer: Callable[[Asked], object]

    def names(self, method: str, parts: Sequence[str]) -> dict[str, str] | None:
        """Return what stands in the path for its names, None where the call is none of this route's."""
        wanted = self.path.split("/")
        if wanted[-1] == _REST:
            wanted, parts = wanted[:-1], parts[: len(wanted) - 1]
        if method != self.method or len(wanted) != len(parts):
            return None
        pairs = list(zip(wanted, parts, strict=True))
        if any(want != part for want, part in pairs if not want.startswith("{")):
            return None
        return {want.strip("{}"): part for want, part in pairs if want.startswith("{")}


def _no(what: str) -> Callable[[Asked], object]:
    """Return the answer to a call for something that Cairn has not."""

    def answer(_asked: Asked) -> object:
        raise InvalidArgument("call", f"is for {what}, which this address does not have")

    return answer


_WEBHOOKS: Final = "api/v1/webhooks/*"
_PROJECTS: Final = "api/v1/orgs/*"
_PROFILES: Final = "v2/profiles/*"
ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", "v1/ping", ping),
    Route("POST", "v3/memories/add", adding.add),
    Route("POST", "v3/memories/search", finding.search),
    Route("POST", "v3/memories", finding.get_all),
    Route("GET", "v1/memories/{memory_id}", one_memory.get),
    Route("PUT", "v1/memories/{memory_id}", one_memory.update),
    Route("DELETE", "v1/memories/{memory_id}", one_memory.delete),
    Route("GET", "v1/memories/{memory_id}/history", one_memory.history),
    Route("DELETE", "v1/memories", listing.delete_all),
    Route("GET", "v1/entities", listing.entities),
    Route("DELETE", "v1/entities/{type}/{name}", listing.delete_entity),
    Route("DELETE", "v2/entities/{type}/{name}", listing.delete_entity),
    Route("PUT", "v1/batch", batches.update),
    Route("DELETE", "v1/batch", batches.delete),
    Route("GET", "v2/entities/user/{name}/profile", _no("profiles")),
    Route("POST", "v1/exports", _no("exports by a schema")),
    Route("POST", "v1/exports/get", _no("exports by a schema")),
    Route("POST", "v1/summary", _no("summaries of exports")),
    Route("POST", "v1/feedback", _no("feedback")),
    *(Route(method, _PROFILES, _no("profiles")) for method in ("GET", "POST")),
    *(Route(method, _WEBHOOKS, _no("webhooks")) for method in ("GET", "POST", "PUT", "DELETE")),
    *(Route(method, _PROJECTS, _no("projects with settings")) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")),
)


def found(method: str, path: str) -> tuple[Route, Mapping[str, str]]:
    """Return the route of a call and the names in its path; NotFound where there is none."""
    parts = [part for part in path.split("/") if part]
    for route in ROUTES:
        names = route.names(method, parts)
        if names is not None:
            return route, names
    raise NotFound("There is no such call")


def methods() -> tuple[str, ...]:
    """Return the methods of all calls."""
    return tuple(sorted({route.method for route in ROUTES}))


def answered(asked: Asked, method: str, path: str) -> Any:
    """Return the answer to a call."""
    route, names = found(method, path)
    return route.answer(replace(asked, path=names))
