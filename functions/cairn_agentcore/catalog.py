"""Every operation that is answered, where the service's model has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydantic import BaseModel

from cairn.tool.tool import Tool
from cairn_agentcore import control, events, fields, listing, record_fields, records
from cairn_agentcore.operation import Operation
from cairn_agentcore.paths import Template
from cairn_tools.forget import forget
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_append_items import memory_append_items
from cairn_tools.memory_delete_items import memory_delete_items
from cairn_tools.memory_get_documents import memory_get_documents
from cairn_tools.memory_list_item_logs import memory_list_item_logs
from cairn_tools.memory_list_known import memory_list_known
from cairn_tools.memory_list_projects import memory_list_projects
from cairn_tools.memory_list_users import memory_list_users
from cairn_tools.memory_put_documents import memory_put_documents
from cairn_tools.memory_read_items import memory_read_items
from cairn_tools.memory_search_documents import memory_search_documents
from cairn_tools.memory_take_back_turn import memory_take_back_turn
from cairn_tools.recall import recall

_MEMORY: Final = "/memories/{memoryId}"
_SESSIONS: Final = f"{_MEMORY}/actor/{{actorId}}/sessions"
_FINDS: Final = (
    *(memory_get_documents, memory_list_users, memory_list_known, memory_read_items, memory_list_item_logs),
)
_DELETES: Final = (memory_get_documents, memory_put_documents, memory_list_users, forget)
_EVENT: Final = f"{_SESSIONS}/{{sessionId}}/events/{{eventId}}"


def _operation(
    name: str,
    at: str,
    takes: type[BaseModel],
    run: Callable[[Any, Any], Any],
    *tools: Tool,
    status: int = 200,
) -> Operation:
    method, _, path = at.partition(" ")
    return Operation(name, Template(method, path), takes, run, tools, status)


OPERATIONS: Final[tuple[Operation, ...]] = (
    _operation(
        "CreateEvent",
        f"POST {_MEMORY}/events",
        fields.CreateEventInput,
        events.create_event,
        *(memory_append_items, memory_read_items, memory_put_documents, memory_after_turn),
        status=201,
    ),
    _operation("GetEvent", f"GET {_EVENT}", fields.OfEvent, events.get_event, memory_read_items),
    _operation(
        "DeleteEvent",
        f"DELETE {_EVENT}",
        fields.OfEvent,
        events.delete_event,
        memory_read_items,
        memory_take_back_turn,
        memory_delete_items,
    ),
    _operation(
        "ListEvents",
        f"POST {_SESSIONS}/{{sessionId}}",
        fields.ListEventsInput,
        listing.list_events,
        memory_read_items,
    ),
    _operation(
        "ListSessions",
        f"POST {_SESSIONS}",
        fields.ListSessionsInput,
        listing.list_sessions,
        memory_list_item_logs,
    ),
    _operation(
        "ListActors", f"POST {_MEMORY}/actors", fields.ListActorsInput, listing.list_actors, memory_search_documents
    ),
    _operation(
        "RetrieveMemoryRecords",
        f"POST {_MEMORY}/retrieve",
        record_fields.RetrieveInput,
        records.retrieve,
        *(recall, memory_search_documents),
    ),
    _operation(
        "ListMemoryRecords",
        f"POST {_MEMORY}/memoryRecords",
        record_fields.ListRecordsInput,
        records.list_records,
        *(memory_list_known, memory_search_documents),
    ),
    _operation(
        "GetMemoryRecord",
        f"GET {_MEMORY}/memoryRecord/{{memoryRecordId}}",
        record_fields.OfRecord,
        records.get_record,
        *_FINDS,
    ),
    _operation(
        "DeleteMemoryRecord",
        f"DELETE {_MEMORY}/memoryRecords/{{memoryRecordId}}",
        record_fields.OfRecord,
        records.delete_record,
        *_DELETES,
    ),
    _operation(
        "BatchCreateMemoryRecords",
        f"POST {_MEMORY}/memoryRecords/batchCreate",
        record_fields.BatchCreateInput,
        records.batch_create,
        memory_put_documents,
        status=201,
    ),
    _operation(
        "BatchUpdateMemoryRecords",
        f"POST {_MEMORY}/memoryRecords/batchUpdate",
        record_fields.BatchUpdateInput,
        records.batch_update,
        *(memory_get_documents, memory_put_documents),
    ),
    _operation(
        "BatchDeleteMemoryRecords",
        f"POST {_MEMORY}/memoryRecords/batchDelete",
        record_fields.BatchDeleteInput,
        records.batch_delete,
        *_DELETES,
    ),
    _operation(
        "IngestData",
        f"POST {_MEMORY}/ingest",
        fields.IngestDataInput,
        events.ingest_data,
        memory_after_turn,
        status=202,
    ),
    _operation(
        "StartMemoryExtractionJob",
        f"POST {_MEMORY}/extractionJobs/start",
        fields.ExtractionJobsInput,
        control.start_extraction_job,
        memory_list_item_logs,
    ),
    _operation(
        "ListMemoryExtractionJobs",
        f"POST {_MEMORY}/extractionJobs",
        fields.ExtractionJobsInput,
        control.list_extraction_jobs,
        memory_list_item_logs,
    ),
    _operation("GetMemory", f"GET {_MEMORY}/details", fields.GetMemoryInput, control.get_memory, memory_list_item_logs),
    _operation(
        "ListMemories", "POST /memories/", fields.ListMemoriesInput, control.list_memories, memory_list_projects
    ),
)
TOOLS: Final[tuple[Tool, ...]] = tuple({tool.name: tool for each in OPERATIONS for tool in each.tools}.values())
"""The tools that the operations ask; the door's role is granted what they are."""
METHODS: Final = tuple(sorted({each.template.method for each in OPERATIONS} | {"PUT"}))
"""The methods of the service: those that nothing is asked with here get an answer that its clients can read."""
