"""Write a recorded session as one JSON object, for the archive and for people."""

from __future__ import annotations

from typing import Any

from cairn.archive.model import RAW_ACKNOWLEDGEMENT
from cairn.detection.detector import mask
from cairn.files import contents
from cairn.files.paths import root_of
from cairn.files.summaries import directories
from cairn.ground.errors import InvalidArgument, NotFound
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.sessions.services import SessionServices

_RECORDER = "cairn"


def recorded(
    services: SessionServices, tenant: Tenant, project: Project | None, session_id: SessionId
) -> dict[str, Any]:
    """Return the session that the turn tools recorded: a summary of it, and every item of every turn.

    InvalidArgument without a project, NotFound for a session without turns.
    """
    if project is None:
        raise InvalidArgument("project", "is required where no session is given")
    session = Session(tenant, project, session_id)
    head = contents.head_of(services, session)
    if head is None:
        raise NotFound("No turn of this session is recorded in the project")
    held = contents.read(services, session, head)
    root, *_ = directories(root_of(session), held)
    return {
        "session_id": session_id,
        "timestamp": head.updated_at,
        "tool_name": _RECORDER,
        "summary": root.overview(),
        "items": [event.item for _, events in services.sessions.history(session) for event in events],
    }


def exported(  # noqa: PLR0913 - a session's name and what it takes to see it as it is
    services: SessionServices,
    tenant: Tenant,
    project: Project,
    session_id: SessionId,
    *,
    raw: bool,
    acknowledgement: str | None,
) -> dict[str, Any]:
    """Return the recorded turns with secrets and personal data masked, or all as it is for who asks for that twice.

    InvalidArgument for `raw` without RAW_ACKNOWLEDGEMENT, word by word, and for the words without `raw`.
    """
    if (raw, acknowledgement) not in {(False, None), (True, RAW_ACKNOWLEDGEMENT)}:
        raise InvalidArgument("raw", f'goes with the acknowledgement "{RAW_ACKNOWLEDGEMENT}", and it with raw')
    session = recorded(services, tenant, project, session_id)
    if raw:
        return session
    del session["summary"]  # its words are out of their places, where a mask would not know them
    return mask(session, exempt=(("session_id",),))
