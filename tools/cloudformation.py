"""CloudFormation as YAML: its functions in their short form, IAM statements, and how a resource is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

_QUOTED_NAME = re.compile(r"(!Ref|!GetAtt) '([\w.:]+)'")


class Intrinsic:
    """A function such as !Ref of a text or of a list."""

    def __init__(self, tag: str, argument: str | list[Any]) -> None:
        """Take the tag with its exclamation mark."""
        self.tag, self.argument = tag, argument


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


def written(resource: Mapping[str, Any]) -> str:
    """Return the YAML of a resource under its name; every value stands in full where it is used."""
    text: str = yaml.dump(dict(resource), Dumper=_Dumper, sort_keys=False, width=110, default_flow_style=None)
    return _QUOTED_NAME.sub(r"\1 \2", text)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _written(dumper: yaml.SafeDumper, value: Intrinsic) -> yaml.Node:
    if isinstance(value.argument, str):
        return dumper.represent_scalar(value.tag, value.argument)  # pyright: ignore[reportUnknownMemberType]
    return dumper.represent_sequence(value.tag, value.argument, flow_style=True)


_Dumper.add_representer(Intrinsic, _written)
