"""CloudFormation as YAML: its functions in their short form, IAM statements, and how resources are written.

What resources have in common is written once, under a YAML anchor. SAM CLI puts it in full into what it deploys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

_QUOTED_NAME = re.compile(r"(!Ref|!GetAtt) '([\w.:]+)'")


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A function such as !Ref of a text or of a list; its tag begins with the exclamation mark."""

    tag: str
    argument: str | list[Any]


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that several resources have: written out under an anchor where it comes first, then as its alias."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Inline:
    """A mapping or list in one line, or as few as its width takes, unless a shared value is written out in it."""

    value: Mapping[str, Any] | Sequence[Any]


class _Merge(str):
    """The key whose value YAML merges into the mapping that it stands in."""

    __slots__ = ()


_MERGE = _Merge("<<")


def ref(name: str) -> Intrinsic:
    """Return !Ref name."""
    return Intrinsic("!Ref", name)


def sub(text: str) -> Intrinsic:
    """Return !Sub text."""
    return Intrinsic("!Sub", text)


def arn(name: str) -> Intrinsic:
    """Return !GetAtt name.Arn."""
    return Intrinsic("!GetAtt", f"{name}.Arn")


def camel(name: str) -> str:
    """Return a name as logical ids are written: in camel case, without punctuation."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[\W_]", name))


def statement(
    sid: str, actions: Sequence[str], *resources: Any, condition: Any = None, effect: str = "Allow"
) -> dict[str, Any]:
    """Return an IAM statement."""
    where = resources[0] if len(resources) == 1 else list(resources)
    said = {"Sid": sid, "Effect": effect, "Action": list(actions), "Resource": where}
    return said if condition is None else {**said, "Condition": condition}


def merged(base: Shared, own: Mapping[str, Any]) -> dict[Any, Any]:
    """Return a mapping that has all that the base has and its own; they may have no key in common."""
    return {_MERGE: base, **own}


def written(resources: Mapping[str, Any]) -> str:
    """Return the YAML of resources under their names; ValueError where one anchor stands for two values."""
    text: str = yaml.dump(dict(resources), Dumper=_Dumper, sort_keys=False, width=120, default_flow_style=None)
    return _QUOTED_NAME.sub(r"\1 \2", text)


class _Dumper(yaml.SafeDumper):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.shared: dict[str, tuple[Shared, yaml.Node]] = {}

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True

    def write_plain(self, text: str, split: bool = True) -> None:  # noqa: FBT001, FBT002 - PyYAML calls it so
        """Keep a text in one line: lines end between items alone."""
        del split
        super().write_plain(text, split=False)

    def write_single_quoted(self, text: str, split: bool = True) -> None:  # noqa: FBT001, FBT002 - PyYAML calls it so
        del split
        super().write_single_quoted(text, split=False)

    def node(self, value: Any) -> yaml.Node:
        return self.represent_data(value)  # pyright: ignore[reportUnknownMemberType]

    def generate_anchor(self, node: yaml.Node) -> str:
        return next(name for name, (_, written_out) in self.shared.items() if written_out is node)


def _tagged(dumper: _Dumper, value: Intrinsic) -> yaml.Node:
    if isinstance(value.argument, str):
        return dumper.represent_scalar(value.tag, value.argument)  # pyright: ignore[reportUnknownMemberType]
    return dumper.represent_sequence(value.tag, value.argument, flow_style=True)


def _shared(dumper: _Dumper, value: Shared) -> yaml.Node:
    """Return the same node for the same name, so that the serializer writes an anchor and then aliases."""
    if value.name not in dumper.shared:
        dumper.shared[value.name] = value, dumper.node(value.value)
    first, node = dumper.shared[value.name]
    if first != value:  # a role would get what another one's statement of this name allows
        raise ValueError(f"{value.name} stands for two values")
    return node


def _inlined(dumper: _Dumper, value: Inline) -> yaml.Node:
    known = len(dumper.shared)
    node = dumper.node(value.value)
    if isinstance(node, yaml.CollectionNode) and len(dumper.shared) == known:
        node.flow_style = True
    return node


def _merging(dumper: _Dumper, value: _Merge) -> yaml.Node:
    del dumper
    return yaml.ScalarNode("tag:yaml.org,2002:merge", str(value))


_Dumper.add_representer(Intrinsic, _tagged)
_Dumper.add_representer(Shared, _shared)
_Dumper.add_representer(Inline, _inlined)
_Dumper.add_representer(_Merge, _merging)
