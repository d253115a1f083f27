"""Hold a call to the users that its caller is bound to: whom it speaks for, and whose sessions it is about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from pydantic import BaseModel

from cairn.edge.callers import advice
from cairn.edge.fields import ProjectInput
from cairn.ground.errors import DenialReason, InvalidArgument, PermissionDenied
from cairn.ground.ids import UserId
from cairn.ground.session import Session, Subject

if TYPE_CHECKING:  # both import this file
    from cairn.tool.call import Call
    from cairn.tool.tool import Tool

_USER = "user_id"
_SESSION = "session_id"
_SCOPES = ("recall_scope", "scope")
LOOKS_AT_SESSIONS = frozenset({"sessions:read", "turns:write"})
"""The grants of a tool that can look whose a session is."""


def spoken_by(tool: Tool, subject: Subject, call: Call) -> Subject:
    """Return what a call is about, with its caller's own user where it names another.

    A tool whose role reads no sessions cannot look whose the session is that a header names: it is left out.
    """
    users = call.caller.users
    if not users:
        return subject
    user = subject.user_id if subject.user_id in users else call.speaker
    return replace(subject, user_id=user, session_id=subject.session_id if LOOKS_AT_SESSIONS & {*tool.grants} else None)


def check_user(tool: Tool, fields: BaseModel, call: Call) -> None:
    """Hold the call to its caller's users, whichever way it names one.

    PermissionDenied for another user, InvalidArgument where the call does not say for which of several it speaks.
    """
    users = call.caller.users
    if not users:
        return
    if tool.for_operators:
        _refuse(tool, "This key speaks for certain users, and this is for operators", "user")
    given: UserId | None = getattr(fields, _USER, None)
    if any(name is not None and name not in users for name in (given, call.names.get(_USER))):
        _refuse(tool, "This key does not speak for this user", "user")
    if _USER in type(fields).model_fields and given is None:
        problem = "is required, since this key speaks for certain users"
        raise InvalidArgument(_USER, problem, advice=advice({_USER}))


def check_session(tool: Tool, fields: BaseModel, subject: Subject, call: Call) -> None:
    """Hold a bound caller to sessions that are its users' or nobody's; a new one that it writes to becomes its user's.

    PermissionDenied where a session is another user's, or everyone's are asked for, unless the project shares them.
    """
    users, project = call.caller.users, subject.project
    if not users or project is None or call.services.settings.memory_for(call.caller.tenant).shares(project):
        return
    if _reads_all(tool, fields):
        _refuse(tool, "This project does not share its sessions: recall from the user's own", "session")
    if subject.session_id is None:
        return
    ownership = call.services.ownership
    session = Session(call.caller.tenant, project, subject.session_id)
    has_begun = ownership.check(session, users)
    user: UserId | None = getattr(fields, _USER, None) or call.speaker
    if not has_begun and user is not None and not tool.read_only and _is_about_a_session(fields):
        ownership.begin(session, user)


def _is_about_a_session(fields: BaseModel) -> bool:
    """Tell whether a call may write to its session: one that only a header names is written to by nobody."""
    return isinstance(fields, ProjectInput) and _SESSION in type(fields).model_fields


def _reads_all(tool: Tool, fields: BaseModel) -> bool:
    """Tell whether a call asks for what everyone said; what is kept for everyone is meant for them."""
    return any(getattr(fields, name, None) == "project" for name in _SCOPES if name == "recall_scope" or tool.read_only)


def _refuse(tool: Tool, message: str, reason: DenialReason) -> NoReturn:
    raise PermissionDenied(message, {"namespace": tool.family, "operation": tool.right}, reason=reason)
