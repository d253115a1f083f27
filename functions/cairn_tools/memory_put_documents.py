"""Store and delete documents."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.documents.fields import MOST_PUT, OwnedInput, Written, checked_paths, distinct
from cairn.tool.call import Call
from cairn.tool.tool import tool


class PutDocuments(OwnedInput):
    """The documents to store."""

    documents: Annotated[
        list[Written], Field(min_length=1, max_length=MOST_PUT, description="Each once; stored all or none.")
    ]


class Versions(BaseModel):
    """That they were stored."""

    versions: Annotated[
        list[int], Field(description="Each document's version, in their order, for if_version; 0 where it is gone.")
    ]


EXAMPLE = {
    "project": "garden",
    "user_id": "ada",
    "documents": [{"collection": ["notes", "beds"], "key": "north", "value": {"text": "Four hours of sun."}}],
}


@tool(
    title="Store documents",
    example=EXAMPLE,
    grants=("sessions:read", "documents:read", "documents:write", "blobs:read", "blobs:write", "blobs:delete"),
    destructive=True,
    for_programs=True,
    frees=lambda request: all(each.value is None for each in request.documents),
)
def memory_put_documents(request: PutDocuments, call: Call) -> Versions:
    """Call to store JSON documents of a user or a project, or to delete some, all in one transaction.

    They are kept until deleted, unless a time is given. With if_version all are stored only if these have that version;
    CONFLICT tells the versions there. The same call made again after a lost answer answers as the first did.
    """
    distinct(request.documents)
    checked_paths(request.documents)
    wanted = [each.wanted() for each in request.documents]
    return Versions(versions=call.services.documents.put(request.owner(call.caller.tenant), wanted))


handler = memory_put_documents.handler
