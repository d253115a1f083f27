"""The fields of a Pod and of an Event that are read, after the Kubernetes API; environments and commands are not.

A field may be absent or null, as Go's encoder leaves it, but what is there has the type of the schema.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from cairn.ground.errors import InvalidArgument

Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", max_length=253)]
Count: TypeAlias = Annotated[int, Field(ge=0)]


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


Time: TypeAlias = Annotated[datetime, Field(strict=False), AfterValidator(_in_utc)]


class Part(BaseModel):
    """A part of an object of the Kubernetes API."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in cast("dict[str, Any]", data).items() if value is not None}


class Waiting(Part):
    """A container that is not running yet, or not again."""

    reason: str = ""
    message: str = ""


class Running(Part):
    """A container that runs."""

    started_at: Time | None = None


class Terminated(Part):
    """A container that has ended."""

    exit_code: int = 0
    reason: str = ""
    finished_at: Time | None = None


class State(Part):
    """One of the three; none of them where the kubelet has said nothing yet."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class ContainerStatus(Part):
    """How a container is, and how it last ended."""

    name: Name
    image: str = ""
    ready: bool = False
    started: bool | None = None
    restart_count: Count = 0
    state: State = State()
    last_state: State = State()


class Condition(Part):
    """One thing that is or is not true of a pod."""

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""


class Status(Part):
    """What the cluster says of a pod."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    start_time: Time | None = None
    conditions: list[Condition] = []
    init_container_statuses: list[ContainerStatus] = []
    container_statuses: list[ContainerStatus] = []


class InitContainer(Part):
    """An init container; one that restarts always is a sidecar."""

    name: Name
    restart_policy: str = ""


class Spec(Part):
    """Of what was asked for, the restarts."""

    restart_policy: str = "Always"
    init_containers: list[InitContainer] = []


class Metadata(Part):
    """Which object this is, and whether it is on its way out; `deletion_timestamp` is when its grace is over."""

    name: Name
    namespace: str = ""
    deletion_timestamp: Time | None = None
    finalizers: list[str] = []


class Pod(Part):
    """A pod."""

    metadata: Metadata
    spec: Spec = Spec()
    status: Status = Status()

    @property
    def name(self) -> str:
        """The pod's name."""
        return self.metadata.name

    def condition(self, kind: str) -> Condition | None:
        """Return the condition of this type."""
        return next((each for each in self.status.conditions if each.type == kind), None)


class InvolvedObject(Part):
    """What an event is about; `field_path` names the container, such as spec.containers{app}."""

    kind: str = ""
    name: str = ""
    namespace: str = ""
    field_path: str = ""


class Series(Part):
    """How often an event was seen."""

    count: Count = 0
    last_observed_time: Time | None = None


class Event(Part):
    """Something that happened to a pod."""

    involved_object: InvolvedObject = InvolvedObject()
    reason: str = ""
    message: str = ""
    count: Count = 0
    series: Series = Series()
    first_timestamp: Time | None = None
    last_timestamp: Time | None = None
    event_time: Time | None = None

    @property
    def times(self) -> int:
        """How often it was seen."""
        return max(self.count, self.series.count, 1)

    @property
    def last_seen(self) -> datetime | None:
        """When it was seen last."""
        return self.series.last_observed_time or self.last_timestamp or self.event_time or self.first_timestamp


class ObjectList(Part):
    """A PodList, or the List that `kubectl get pods,events -o json` prints."""

    kind: Literal["PodList", "List"] = "PodList"
    items: list[dict[str, Any]] = []


P = TypeVar("P", bound=Part)


def parsed(model: type[P], value: object, path: str) -> P:
    """Return a value as this part; InvalidArgument, naming the first wrong field below `path`, where it is none."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        said = problem["msg"].removeprefix("Input ")
        raise InvalidArgument(path + _below(problem["loc"]), said[:1].lower() + said[1:]) from None


def _below(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
