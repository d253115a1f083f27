"""What the operations on memory records take, as the service's model has it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from cairn.edge.validation import refused
from cairn_agentcore.fields import (
    ALPHANUMERIC,
    METADATA_TEXT,
    ClientToken,
    MaxResults,
    MetadataKey,
    MetadataName,
    OfMemory,
    Seconds,
    Shape,
    Token,
    Union,
)
from cairn_agentcore.namespaces import labels_of

Namespace: TypeAlias = Annotated[str, Field(min_length=1, max_length=1024)]
RecordId: TypeAlias = Annotated[str, Field(min_length=40, max_length=50, pattern="^mem-[a-zA-Z0-9-_]*$")]
StrategyId: TypeAlias = Annotated[str, Field(min_length=1, max_length=100, pattern=ALPHANUMERIC)]


class RecordMetadataValue(Union):
    """A value of a record's metadata."""

    string_value: Annotated[str | None, Field(min_length=1, max_length=256, pattern=METADATA_TEXT)] = None
    string_list_value: Annotated[list[Annotated[str, Field(max_length=64)]] | None, Field(max_length=5)] = None
    number_value: Annotated[float | None, Field(allow_inf_nan=False)] = None
    date_time_value: Seconds | None = None

    def told(self) -> dict[str, Any]:
        """Return the value as it stands on the wire."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class RecordOperand(Union):
    """The value that a filter compares with."""

    metadata_value: RecordMetadataValue | None = None


class RecordFilter(Shape):
    """What a record's metadata must be like."""

    left: MetadataName
    operator: Literal[
        "EQUALS_TO",
        "EXISTS",
        "NOT_EXISTS",
        "BEFORE",
        "AFTER",
        "CONTAINS",
        "GREATER_THAN",
        "GREATER_THAN_OR_EQUALS",
        "LESS_THAN",
        "LESS_THAN_OR_EQUALS",
    ]
    right: RecordOperand | None = None


RecordFilters: TypeAlias = Annotated[list[RecordFilter], Field(max_length=5)]


class OfNamespace(OfMemory):
    """What names a namespace, or a path with all below it: exactly one of them."""

    namespace: Namespace | None = None
    namespace_path: Namespace | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.namespace is None) == (self.namespace_path is None):
            raise refused("is required, or namespacePath in its place, and not both", ".namespace")
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the namespace or path."""
        return labels_of(self.namespace or self.namespace_path or "")


class SearchCriteria(Shape):
    """What to search for."""

    search_query: Annotated[str, Field(min_length=1, max_length=10_000)]
    memory_strategy_id: StrategyId | None = None
    top_k: MaxResults = 10
    metadata_filters: RecordFilters = Field(default_factory=list[RecordFilter])


class RetrieveInput(OfNamespace):
    """Which records to find."""

    search_criteria: SearchCriteria
    max_results: MaxResults | None = None
    next_token: Token | None = None


class ListRecordsInput(OfNamespace):
    """Which records to list."""

    memory_strategy_id: StrategyId | None = None
    max_results: MaxResults = 20
    next_token: Token | None = None
    metadata_filters: RecordFilters = Field(default_factory=list[RecordFilter])


class OfRecord(OfMemory):
    """What names a record."""

    memory_record_id: RecordId


class RecordText(Union):
    """What a record says."""

    text: Annotated[str | None, Field(min_length=1, max_length=16_000)] = None


class RecordMade(Shape):
    """A record to make."""

    request_identifier: Annotated[str, Field(min_length=1, max_length=80, pattern="^[a-zA-Z0-9_-]+$")]
    namespaces: Annotated[list[Namespace], Field(max_length=1)]
    content: RecordText
    timestamp: Seconds
    memory_strategy_id: StrategyId | None = None
    metadata: Annotated[dict[MetadataKey, RecordMetadataValue] | None, Field(max_length=20)] = None


class RecordExpiry(Shape):
    """How long records are kept."""

    record_expiry_duration_days: Annotated[int | None, Field(ge=31, le=10_000)] = None
    action: Literal["REMOVE"] | None = None


class BatchCreateInput(OfMemory):
    """Records to make."""

    records: Annotated[list[RecordMade], Field(max_length=100)]
    client_token: ClientToken = None
    record_expiry_specification: RecordExpiry = RecordExpiry()


class RecordChanged(Shape):
    """What a record is to be: what is left out stays."""

    memory_record_id: RecordId
    timestamp: Seconds
    content: RecordText | None = None
    namespaces: Annotated[list[Namespace] | None, Field(max_length=1)] = None
    memory_strategy_id: StrategyId | None = None
    metadata: Annotated[dict[MetadataKey, RecordMetadataValue] | None, Field(max_length=20)] = None


class BatchUpdateInput(OfMemory):
    """Records to change."""

    records: Annotated[list[RecordChanged], Field(max_length=100)]
    record_expiry_specification: RecordExpiry = RecordExpiry()


class RecordNamed(Shape):
    """A record to delete."""

    memory_record_id: RecordId


class BatchDeleteInput(OfMemory):
    """Records to delete."""

    records: Annotated[list[RecordNamed], Field(max_length=100)]
