"""Arguments of any tool, drawn from its schema, its example, names that all share and what answers gave to others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Final, TypeAlias, cast

from pydantic import BaseModel

from cairn.conversation.items import message
from cairn.edge.callers import NAME_HEADERS
from cairn.tool.tool import Tool
from isolation.names import NO_NAMES, PROJECTS, USERS, Names, text
from isolation.stage import Party

Schema: TypeAlias = Mapping[str, Any]
Found: TypeAlias = dict[str, list[str]]

UNGUESSABLE: Final = frozenset({"cursor", "operation_token", "pointer"})
"""What an answer gives to one tenant and opens nothing to another."""
_GIVEN_AS: Final[Mapping[str, Sequence[str]]] = {
    "memory_id": ("memory_id", "id", "recall_fact_ids"),
    "replacement_id": ("memory_id", "id"),
    "key": ("keys",),
    "query": ("tags", "pointer"),
    "turn_id": ("task_id",),
}
"""Under which other fields answers give what a field takes."""
_KEPT: Final = 40
_LARGEST: Final = 2000


@cache
def _schema(model: type[BaseModel]) -> Schema:
    return model.model_json_schema()


@dataclass
class Harvest:
    """What answers gave, by party and by field."""

    of: dict[Party, Found] = field(default_factory=dict[Party, Found])

    def gather(self, party: Party, answer: object) -> None:
        """Keep the texts of an answer."""
        found = self.of.setdefault(party, {})
        for name, value in _texts(answer, ""):
            known = found.setdefault(name, [])
            if len(value) <= _LARGEST and value not in known:
                known.append(value)
                del known[:-_KEPT]

    def own(self, party: Party, name: str) -> list[str]:
        """Return what was given to the party and can stand in this field."""
        found = self.of.get(party, {})
        return [value for given in (name, *_GIVEN_AS.get(name, ())) for value in found.get(given, ())]

    def stolen(self, party: Party, name: str) -> list[str]:
        """Return what was given to the other parties alone and can stand in this field."""
        own = set(self.own(party, name))
        return [value for other in self.of if other != party for value in self.own(other, name) if value not in own]


@dataclass
class Drawing:
    """Draws the arguments of one party's calls."""

    draw: Random
    names: Names
    harvest: Harvest
    party: Party
    stolen: set[str] = field(default_factory=set[str])
    """The fields that hold what only others were given."""

    def arguments(self, tool: Tool, tools: Sequence[Tool]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return arguments for the tool, and headers for those that they leave out."""
        if tool.runs is not None:
            steps = [each for each in tools if each.runs is None and not each.for_operators]
            return {"steps": self._steps(steps)}, {}
        schema = _schema(tool.input)
        definitions = schema.get("$defs", {})
        shape = _resolved(self.draw.choice(schema.get("oneOf", [schema])), definitions)
        given = self._object(shape, definitions, tool.example)
        if self.draw.random() < 0.02:
            given[self.draw.choice(["extra", "tenant", *sorted(given.keys() - {"project"})])] = self.draw.choice(
                ["x", 7, None, [], "acme"]
            )
        moved = [name for name in NAME_HEADERS if name in shape["properties"] and self.draw.random() < 0.1]
        values = {NAME_HEADERS[name]: str(given.pop(name)) for name in moved if name in given}
        return given, {name: value for name, value in values.items() if value.isascii() and value.isprintable()}

    def _object(self, schema: Schema, definitions: Schema, example: Mapping[str, Any]) -> dict[str, Any]:
        required = schema.get("required", [])
        given: dict[str, Any] = {}
        for name, part in schema["properties"].items():
            if name in required or self.draw.random() < self._likely(name, example):
                given[name] = self._value(name, _resolved(part, definitions), definitions, example.get(name))
        if "current_input" in schema["properties"]:
            given["current_input"] = text(self.draw)
        return given

    def _likely(self, name: str, example: Mapping[str, Any]) -> float:
        """Return how often a field is given that may be left out."""
        if name in UNGUESSABLE:
            return 0.5 if self.harvest.own(self.party, name) or self.harvest.stolen(self.party, name) else 0.05
        return 0.7 if name in example or name == "limit" else 0.15

    def _value(self, name: str, schema: Schema, definitions: Schema, example: object) -> Any:
        if "anyOf" in schema:
            choices = [_resolved(each, definitions) for each in schema["anyOf"]]
            others = [each for each in choices if each.get("type") != "null"]
            is_any_json = len(choices) - len(others) == 1 < len(others)
            schema = {} if is_any_json else others[0]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        return self.draw.choice(values) if values else self._typed(name, schema, definitions, example)

    def _typed(self, name: str, schema: Schema, definitions: Schema, example: object) -> Any:
        match schema.get("type"):
            case "string":
                value = self._text(name, example, schema.get("pattern", ""))
            case "integer":
                value = self._integer(name, schema)
            case "number":
                value = self.draw.choice([0, 0.3, 0.5, 0.8, 1])
            case "boolean":
                value = self.draw.random() < 0.5
            case "array":
                value = self._list(name, _resolved(schema["items"], definitions), definitions, example)
            case "object":
                value = self._mapping(example)
            case _:
                value = self.draw.choice([example, text(self.draw), self._mapping(example), None])
        return value

    def _text(self, name: str, example: object, pattern: str) -> str:
        chance = self.draw.random()
        if (bound := self._bound(name, chance)) is not None:
            return bound
        own, others = self.harvest.own(self.party, name), self.harvest.stolen(self.party, name)
        pool = [each for each in self.names.of.get(name, ()) if re.search(pattern, each)]
        if others and chance < (0.1 if pool else 0.35):
            self.stolen.add(name)
            return self.draw.choice(others)
        if chance > 0.97:
            return self._misfit(name)
        if pool and (not own or chance < 0.85):
            return self.draw.choice(pool)
        if own:
            return self.draw.choice(own)
        return example if isinstance(example, str) and name not in {"content", "query"} else text(self.draw)

    def _bound(self, name: str, chance: float) -> str | None:
        """Return what the party names here as a rule, None where it names anything."""
        if name == "project" and self.party.projects:
            strays = self.party.user is not None and chance < 0.05
            return self.draw.choice(PROJECTS if strays else self.party.projects)
        if name == "user_id" and self.party.user is not None:
            return self.draw.choice(USERS) if chance < 0.15 else self.party.user
        return None

    def _misfit(self, name: str) -> str:
        """Return what hardly fits: no name, or what was given to anyone under another name."""
        given = [
            value for found in self.harvest.of.values() for other in found if other != name for value in found[other]
        ]
        return self.draw.choice([*NO_NAMES, *given])

    def _integer(self, name: str, schema: Schema) -> int:
        low, high = schema.get("minimum", 0), schema.get("maximum", 10**6)
        if name in {"limit", "if_version"}:
            return max(low, self.draw.choice([0, 1, 1, 1, 2, 3]))
        return self.draw.choice([low, *(min(high, low + more) for more in (600, 3600, 3600, 9000))])

    def _list(self, name: str, items: Schema, definitions: Schema, example: object) -> list[Any]:
        if items.get("type") == "object" and name.endswith("_items"):
            role, kind = ("assistant", "output_text") if name.startswith("output") else ("user", "input_text")
            return [message(role, text(self.draw), kind) for _ in range(self.draw.choice([1, 1, 2]))]
        shown = cast("list[object]", example)[0] if isinstance(example, list) and example else None
        return [self._value(name, items, definitions, shown) for _ in range(self.draw.choice([0, 1, 1, 2]))]

    def _mapping(self, example: object) -> dict[str, Any]:
        """Return the example with another text where it has a sentence, or something small."""
        if not isinstance(example, dict):
            return {"n": self.draw.randrange(9)}
        given = cast("dict[str, Any]", example)
        return {
            name: text(self.draw) if " " in str(value) and isinstance(value, str) else value
            for name, value in given.items()
        }

    def _steps(self, tools: Sequence[Tool]) -> list[Any]:
        """Return the steps of a pipe: some one after another, some at once, some with what the one before gave."""
        steps: list[Any] = []
        for number in range(self.draw.choice([1, 2, 3])):
            tool = self.draw.choice(tools)
            given, _ = self.arguments(tool, tools)
            if steps and "memory_id" in given and self.draw.random() < 0.5:
                given["memory_id"] = f"${{s{number - 1}.memory_id}}"
            step = {"id": f"s{number}", "tool": tool.name, "arguments": given}
            steps.append([step, {**step, "id": f"t{number}"}] if self.draw.random() < 0.2 else step)
        return steps


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    """Return the schema that a reference stands for, with what stands beside the reference."""
    reference = schema.get("$ref")
    return {**definitions[reference.rpartition("/")[2]], **schema} if reference else schema


def _id_in(given: Mapping[str, object]) -> str:
    """Return what takes an id that is given with these."""
    if given.get("type") == "turn":  # what was said is recalled beside memories, and cannot be forgotten
        return "said_id"
    return "key_id" if "scopes" in given else "id"


def _texts(value: object, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        given = cast("dict[str, object]", value)
        for inner, part in given.items():
            yield from _texts(part, _id_in(given) if inner == "id" else inner)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _texts(part, name)
    elif isinstance(value, str):
        yield name, value
