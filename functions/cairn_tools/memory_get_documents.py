"""Read documents by their names."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.documents.fields import MOST_READ, Named, OwnedInput, Told, places
from cairn.tool.call import Call
from cairn.tool.tool import tool


class GetDocuments(OwnedInput):
    """The documents to read."""

    documents: Annotated[list[Named], Field(min_length=1, max_length=MOST_READ, description="Which ones.")]


class Documents(BaseModel):
    """The documents."""

    documents: Annotated[
        list[Told | None],
        Field(
            description="In the order asked for, null where there is none. About 1.9 MB at most: where there are fewer "
            "than asked for, ask for the others again.",
        ),
    ]


@tool(
    title="Read documents",
    example={"project": "garden", "user_id": "ada", "documents": [{"collection": ["notes", "beds"], "key": "north"}]},
    grants=("sessions:read", "documents:read", "blobs:read"),
    read_only=True,
    for_programs=True,
)
def memory_get_documents(request: GetDocuments, call: Call) -> Documents:
    """Call to read documents of a user or a project by collection and key, each as it was last stored."""
    found = call.services.documents.get(request.owner(call.caller.tenant), places(request.documents))
    return Documents(documents=[None if each is None else Told.of(each) for each in found])


handler = memory_get_documents.handler
