"""Search documents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from cairn.documents.fields import Filter, Found, Labels, OwnedInput, prefix
from cairn.documents.matching import check_filter
from cairn.documents.model import Sought
from cairn.tool.call import Call
from cairn.tool.tool import tool


class SearchDocuments(OwnedInput):
    """What to search for, and where."""

    collection: Annotated[
        Labels, Field(default_factory=list[str], description="Search this collection and all below it; all if empty.")
    ]
    query: Annotated[str, Field(max_length=1000, description="A question or words; without one nothing is ranked.")] = (
        ""
    )
    filter: Annotated[Filter, Field(default_factory=dict[str, Any])]
    limit: Annotated[int, Field(ge=1, le=100, description="The most documents to return.")] = 10
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="Leave out so many of the first.")] = 0
    keys_only: Annotated[bool, Field(description="Leave out the values.")] = False


class FoundDocuments(BaseModel):
    """What was found."""

    documents: Annotated[
        list[Found],
        Field(description="The best first or, without a query, in the order of collection and key; 1.9 MB at most."),
    ]
    more: Annotated[bool, Field(description="There are more: leave out these too.")]


@tool(
    title="Search documents",
    example={"project": "garden", "user_id": "ada", "collection": ["notes"], "query": "How much sun is there?"},
    grants=("sessions:read", "documents:read", "blobs:read", "texts:embed"),
    read_only=True,
    for_programs=True,
)
def memory_search_documents(request: SearchDocuments, call: Call) -> FoundDocuments:
    """Call to find documents of a user or a project by words and meaning, by fields of their values, or by both.

    Those that are not searched by words come last, with a score of null.
    """
    check_filter(request.filter)
    sought = Sought(
        collection=prefix(request.collection, "collection"),
        query=request.query.strip(),
        filter=request.filter,
        limit=request.limit,
        offset=request.offset,
    )
    found = call.services.documents.search(request.owner(call.caller.tenant), sought)
    hits = [Found.of_hit(hit, keys_only=request.keys_only) for hit in found.hits]
    return FoundDocuments(documents=hits, more=found.more)


handler = memory_search_documents.handler
