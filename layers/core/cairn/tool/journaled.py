"""What a call's record says of its arguments: what they are about and how large they are, never what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar, cast

from pydantic import BaseModel, RootModel

from cairn.calls.record import AuditRecord
from cairn.ground import ids
from cairn.ground.errors import CairnError, Disabled, InvalidArgument
from cairn.ground.ids import Project
from cairn.ground.session import Subject
from cairn.services import Services

T = TypeVar("T")
Name = TypeVar("Name")

_KEYS = ("key", "memory_id", "pointer")
"""The fields that say which of the things in a place a call is about."""


def project_of(request: BaseModel) -> Project | None:
    """Return the project that a valid request names, None where it names none."""
    return getattr(_fields(request), "project", None)


def about(entry: AuditRecord, request: BaseModel, arguments: object, names: Mapping[str, str]) -> AuditRecord:
    """Return the record with what a valid request is about and the bytes of each of its arguments, as JSON.

    A tool that knows no sessions is recorded under the one that the call's `names` say it was made in.
    """
    fields = _fields(request)
    subject = Subject(
        project=getattr(fields, "project", None) or _name(ids.project, names.get("project")),
        session_id=getattr(fields, "session_id", None) or _name(ids.session_id, names.get("session_id")),
        turn_id=getattr(fields, "turn_id", None),
        namespace=getattr(fields, "namespace", None),
        key=next((found for name in _KEYS if (found := getattr(fields, name, None))), None),
    )
    return replace(entry, subject=subject, arguments=_sizes(cast("Mapping[str, Any]", arguments)))


def run(services: Services, entry: AuditRecord, work: Callable[[], T]) -> T:
    """Return what the work returns, within the rates and recorded."""
    buckets = services.settings.rates.buckets(entry.tenant, entry.tool, entry.subject.place)
    return services.journal.run(entry, buckets, work)


@contextmanager
def refusals(services: Services, entry: AuditRecord) -> Generator[None]:
    """Record a call that is refused inside, but not one of a tool that is switched off: there is no such tool."""
    try:
        yield
    except Disabled:
        raise
    except CairnError as error:
        buckets = services.settings.rates.buckets(entry.tenant, entry.tool, None)
        services.journal.refuse(entry, error, buckets)
        raise


def _fields(request: BaseModel) -> object:
    return cast("object", request.root) if isinstance(request, RootModel) else request


def _name(make: Callable[[str], Name], given: str | None) -> Name | None:
    """Return a name that a header gives; one that is none is passed over, since the tool did not ask for it."""
    with suppress(InvalidArgument):
        return None if given is None else make(given)
    return None


def _sizes(arguments: Mapping[str, Any]) -> dict[str, int]:
    return {name: len(json.dumps(value, ensure_ascii=False).encode()) for name, value in arguments.items()}
