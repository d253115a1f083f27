"""What a call's record says of its arguments: what they are about and how large they are, never what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar, cast

from pydantic import BaseModel, RootModel

from cairn.ground import ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project
from cairn.ground.session import Subject

Name = TypeVar("Name")

_KEYS = ("key", "memory_id", "pointer", "key_id")
"""The fields that say which of the things in a place a call is about."""


def fields_of(request: BaseModel) -> BaseModel:
    """Return the fields of a valid request; one that is a choice has those of what was chosen."""
    return cast("BaseModel", request.root) if isinstance(request, RootModel) else request


def project_of(fields: BaseModel) -> Project | None:
    """Return the project that a valid request names, None where it names none."""
    return getattr(fields, "project", None)


def subject_of(fields: BaseModel, names: Mapping[str, str]) -> Subject:
    """Return what a valid request is about.

    A tool that knows no sessions or users is recorded under those that the call's `names` say it was made in.
    """
    return Subject(
        project=getattr(fields, "project", None) or _name(ids.project, names.get("project")),
        session_id=getattr(fields, "session_id", None) or _name(ids.session_id, names.get("session_id")),
        turn_id=getattr(fields, "turn_id", None),
        namespace=getattr(fields, "namespace", None),
        key=next((found for name in _KEYS if (found := getattr(fields, name, None))), None),
        user_id=getattr(fields, "user_id", None) or _name(ids.user_id, names.get("user_id")),
    )


def sizes_of(arguments: object) -> dict[str, int]:
    """Return the bytes of each of a valid request's arguments, as JSON."""
    given = cast("Mapping[str, Any]", arguments)
    return {name: len(json.dumps(value, ensure_ascii=False).encode()) for name, value in given.items()}


def _name(make: Callable[[str], Name], given: str | None) -> Name | None:
    """Return a name that a header gives; one that is none is passed over, since the tool did not ask for it."""
    with suppress(InvalidArgument):
        return None if given is None else make(given)
    return None
