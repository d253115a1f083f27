"""What a pipe is to do, checked as a whole before any of it is done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from cairn.edge.validation import field_name, first_problem
from cairn.ground.errors import InvalidArgument
from cairn.tool.pipe_references import STEP_ID, Reference, replaced

PIPE = "mcp_pipe"
MAX_STEPS = 50
"""How many steps a pipe may have, those of the pipes in it included."""
MAX_NESTING = 5
"""How many pipes may stand in one another, the outermost included."""
MAX_PARALLEL = 8


class StepFields(BaseModel):
    """One call of a tool."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: Annotated[str, Field(pattern=STEP_ID, description="A name of its own.")]
    tool: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$", description="The tool to call.")]
    arguments: Annotated[dict[str, Any], Field(description="The tool's.")]


@dataclass(frozen=True, slots=True)
class Step:
    """A step; that of a pipe in the pipe has that one's plan, any other one the arguments of its tool."""

    id: str
    tool: str
    arguments: dict[str, Any]
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Groups of steps: one group after the other, the steps of each at once."""

    groups: tuple[tuple[Step, ...], ...]


def plan_of(given: object) -> Plan:
    """Return the plan of a list of steps, in which a list stands for steps at once; InvalidArgument names a part."""
    return _Reading().plan(given, "", 1, frozenset())


class _Reading:
    """Reads one outermost pipe; ids are of all pipes in it together, so that a reference means one step only."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def plan(self, given: object, where: str, nesting: int, known: frozenset[str]) -> Plan:
        if nesting > MAX_NESTING:
            raise InvalidArgument(where, f"nests pipes deeper than {MAX_NESTING}")
        if not isinstance(given, list) or not given:
            raise InvalidArgument(where, "must be a list of at least one step")
        groups: list[tuple[Step, ...]] = []
        for index, each in enumerate(cast("list[object]", given)):
            group = self._group(each, field_name(where, index), nesting, known)
            known |= {step.id for step in group}
            groups.append(group)
        return Plan(tuple(groups))

    def _group(self, given: object, where: str, nesting: int, known: frozenset[str]) -> tuple[Step, ...]:
        if not isinstance(given, list):
            return (self._step(given, where, nesting, known),)
        members = cast("list[object]", given)
        if not 1 <= len(members) <= MAX_PARALLEL:
            raise InvalidArgument(where, f"must hold 1 to {MAX_PARALLEL} steps, which run at once")
        named = [(each, field_name(where, index)) for index, each in enumerate(members)]
        return tuple(self._step(each, name, nesting, known) for each, name in named)

    def _step(self, given: object, where: str, nesting: int, known: frozenset[str]) -> Step:
        step = _fields(given, where)
        if len(self._ids) == MAX_STEPS:
            raise InvalidArgument(where, f"is one step too many; a pipe has at most {MAX_STEPS}, inner pipes included")
        if step.id in self._ids:
            raise InvalidArgument(f"{where}.id", "is another step's already")
        self._ids.add(step.id)
        inside = f"{where}.arguments"
        if step.tool != PIPE:
            replaced(step.arguments, inside, lambda reference, field: _check(reference, field, known))
            return step
        if step.arguments.keys() != {"steps"}:
            raise InvalidArgument(inside, "must hold steps and nothing else")
        return replace(step, plan=self.plan(step.arguments["steps"], f"{inside}.steps", nesting + 1, known))


def _fields(given: object, where: str) -> Step:
    try:
        fields = StepFields.model_validate(_without_nulls(given))
    except ValidationError as error:
        raise InvalidArgument(*first_problem(error, where)) from None
    return Step(fields.id, fields.tool, fields.arguments)


def _without_nulls(given: object) -> object:
    """Return a step without the fields that are null, which are left out as a tool's arguments are."""
    if not isinstance(given, dict):
        return given
    return {name: value for name, value in cast("dict[str, Any]", given).items() if value is not None}


def _check(reference: Reference, field: str, known: frozenset[str]) -> str:
    if reference.step not in known:
        raise InvalidArgument(field, f"refers to {reference.step}, which is no step that ends before this one")
    return ""


def _validated(given: object) -> Plan:
    try:
        return plan_of(given)
    except InvalidArgument as error:
        ((path, problem),) = cast("dict[str, str]", error.details["fields"]).items()
        raise PydanticCustomError("refused", "{problem}", {"problem": problem, "path": path}) from None


_STEP_SCHEMA = StepFields.model_json_schema()
Steps: TypeAlias = Annotated[
    InstanceOf[Plan],
    BeforeValidator(_validated),
    WithJsonSchema(
        {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_STEPS,
            "items": {
                "anyOf": [
                    _STEP_SCHEMA,
                    {"type": "array", "minItems": 1, "maxItems": MAX_PARALLEL, "items": _STEP_SCHEMA},
                ]
            },
        }
    ),
]
"""A pipe's steps, read into their plan."""
