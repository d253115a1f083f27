"""What each grant of a function allows its role: on which partitions, which blobs and under which encryption context.

A role is an allow-list of partitions. Each kind of call has one statement with all partitions of the role's grants, so
that it holds whether DynamoDB shows IAM the items of a transaction one by one or together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cairn.aws.titan import MODEL
from cloudformation import Intrinsic, Shared, arn, ref, statement, sub

_TABLE, _KEY, _QUEUE, _BUCKET = arn("MemoryTable"), arn("MemoryKey"), arn("JobQueue"), arn("MemoryBucket")
_TITAN = sub(f"arn:${{AWS::Partition}}:bedrock:${{AWS::Region}}::foundation-model/{MODEL}")
_BLOBS = sub("${MemoryBucket.Arn}/blobs/*")
_INDEX = sub("${MemoryTable.Arn}/index/sparse")


def _via(service: str, context: str, name: object) -> dict[str, Any]:
    """Return the condition that a service of AWS uses the key for this table, bucket or queue."""
    return {
        "StringEquals": {
            "kms:ViaService": sub(f"{service}.${{AWS::Region}}.amazonaws.com"),
            f"kms:EncryptionContext:aws:{context}": name,
        }
    }


_VIA_TABLE = _via("dynamodb", "dynamodb:tableName", ref("MemoryTable"))
_VIA_BUCKET = _via("s3", "s3:arn", _BUCKET)
_VIA_QUEUE = _via("sqs", "sqs:arn", _QUEUE)
# A data key opens only under {"tenant": …} and nothing beside it.
_TENANT, _OF_ONE = "kms:EncryptionContext:tenant", {"kms:EncryptionContextKeys": ["tenant"]}
# The keys of API keys and of policies are owned by `~credentials` and `~policies`, which no tenant is named like.
_FOR_A_TENANT = {
    "ForAllValues:StringEquals": _OF_ONE,
    "Null": {_TENANT: "false"},
    "StringNotLike": {_TENANT: "~*"},
}


def _for(owner: str) -> dict[str, Any]:
    return {"ForAllValues:StringEquals": _OF_ONE, "StringEquals": {_TENANT: owner}}


# A tenant of tokens is named by a SHA-256, as are those of API keys without a name; `~credentials` is shorter.
_DIGEST = "?" * 64

# What a kind of call may be. DynamoDB says for each of these which partitions it is about; a Scan would not.
_CALLS: Mapping[str, tuple[Sequence[str], Any]] = {
    "ReadItems": (("GetItem", "Query"), _TABLE),
    "ReadIndex": (("Query",), _INDEX),
    "PutItems": (("PutItem",), _TABLE),
    "ChangeItems": (("UpdateItem", "ConditionCheckItem"), _TABLE),
    "DeleteItems": (("DeleteItem",), _TABLE),
}
_EVERY_CALL = ("GetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem", "DeleteItem")
# Where free text stands last in a partition's name, so that it can look like any other to a pattern.
_FREE = ["*#s#*", "*#m#*"]

# The partitions of each grant, by kind of call; the layouts of the rooms name them. `…:put` adds, `…:write` changes.
_PARTITIONS: dict[str, dict[str, list[str]]] = {
    "sessions:read": {"ReadItems": ["*#s#*"]},
    "sessions:put": {"PutItems": ["*#s#*"]},
    "sessions:change": {"ChangeItems": ["*#s#*"]},
    "sessions:write": {"PutItems": ["*#s#*"], "ChangeItems": ["*#s#*"]},
    "sessions:delete": {"DeleteItems": ["*#s#*"]},
    "sessions:due": {"ReadIndex": ["~due#*"]},
    "logs:read": {"ReadItems": ["*#m#*"]},
    "logs:put": {"PutItems": ["*#m#*"]},
    "logs:write": {"PutItems": ["*#m#*"], "ChangeItems": ["*#m#*"]},
    "logs:delete": {"DeleteItems": ["*#m#*"]},
    "projects:read": {"ReadItems": ["*#projects"]},
    "projects:list": {"PutItems": ["*#projects"]},
    "turns:write": {"ReadItems": _FREE, "PutItems": [*_FREE, "*#projects"], "ChangeItems": _FREE},
    "notes:delete": {"DeleteItems": ["*#s#*"]},
    "values:read": {"ReadItems": ["*#k#*"]},
    "values:add": {"PutItems": ["*#k"]},
    "values:write": {
        "ReadIndex": ["*#k"],
        "PutItems": ["*#k#*"],
        "ChangeItems": ["*#k", "*#k#*"],
        "DeleteItems": ["*#k#*"],
    },
    "documents:read": {"ReadItems": ["*#d#*"]},
    "documents:write": {
        "ReadIndex": ["*#d"],
        "PutItems": ["*#d#*"],
        "ChangeItems": ["*#d#*"],
        "DeleteItems": ["*#d#*"],
    },
    "items:read": {"ReadItems": ["*#i#*"]},
    "items:write": {"PutItems": ["*#i#*"], "ChangeItems": ["*#i#*"]},
    "items:delete": {"DeleteItems": ["*#i#*"]},
    "archive:read": {"ReadItems": ["*#a"]},
    "archive:put": {"PutItems": ["*#a"]},
    "executions:use": {"ReadItems": ["*#x#*"], "PutItems": ["*#x#*"]},
    "calls:read": {"ReadIndex": ["*#calls#*"]},
    "journal:write": {"PutItems": ["*#audit", "*#audit#*"]},
    "plans:put": {"PutItems": ["*#plans"]},
    "rates:take": {"PutItems": ["*#rates"]},
    "audit:due": {"ReadIndex": ["~unsealed"]},
    "audit:read": {"ReadItems": ["*#audit", "*#audit#*"]},
    "audit:seal": {"ReadItems": ["*#audit", "*#audit#*"], "PutItems": ["*#audit"], "ChangeItems": ["*#audit"]},
    "asked:put": {"PutItems": ["*#asked#*"]},
    "asked:read": {"ReadItems": ["*#asked#*"]},
    "asked:erase": {"ReadItems": ["*#asked#*"], "DeleteItems": ["*#asked#*"]},
    "key:use": {"ReadItems": ["*#keys"]},
    "keys:admit": {"ReadItems": [f"{_DIGEST}#keys"], "PutItems": [f"{_DIGEST}#keys"]},
    "budget:read": {"ReadItems": ["~budgets"]},
    "budget:reckon": {"PutItems": ["~budgets"]},
    "settings:read": {"ReadItems": ["~settings#tenants", "~settings#keys"]},
    "policy:read": {"ReadItems": ["~policies#p", "~policies#versions", "~policies#keys"]},
    "credentials:check": {"ReadItems": ["~credentials#api", "~credentials#keys"]},
    "credentials:list": {"ReadItems": ["~credentials#api"]},
    "credentials:add": {"ReadItems": ["~credentials#keys"], "PutItems": ["~credentials#api"]},
    "credentials:change": {"ChangeItems": ["~credentials#api"]},
    "stores:probe": {"ReadItems": ["healthz"]},
}

# What a grant allows beside the table. Each is written once, under its Sid, which stands for it in every grant.
# `jobs:take` is the queue's event source mapping, which acts as the worker. `texts:embed` is for what recalls or
# indexes: its function has the layer of the model, and may ask another one. Whoever reads blobs may list their names:
# to others S3 says of one that is absent that it is denied.
_LIST = statement("TellAbsentBlobs", ["s3:ListBucket"], _BUCKET)
_OPEN_CREDENTIALS = statement("OpenCredentials", ["kms:Decrypt"], _KEY, condition=_for("~credentials"))
_BESIDE: dict[str, list[dict[str, Any]]] = {
    "blobs:read": [
        statement("ReadBlobs", ["s3:GetObject"], _BLOBS),
        _LIST,
        statement("OpenBlobs", ["kms:Decrypt"], _KEY, condition=_VIA_BUCKET),
    ],
    "blobs:write": [
        statement("WriteBlobs", ["s3:PutObject"], _BLOBS),
        statement("SealBlobs", ["kms:GenerateDataKey"], _KEY, condition=_VIA_BUCKET),
    ],
    "blobs:delete": [statement("DeleteBlobs", ["s3:DeleteObject"], _BLOBS)],
    "key:use": [statement("OpenDataKeys", ["kms:Decrypt"], _KEY, condition=_FOR_A_TENANT)],
    "keys:admit": [statement("MakeDataKeys", ["kms:GenerateDataKey"], _KEY, condition=_FOR_A_TENANT)],
    "policy:read": [statement("OpenPolicy", ["kms:Decrypt"], _KEY, condition=_for("~policies"))],
    "settings:read": [statement("OpenSettings", ["kms:Decrypt"], _KEY, condition=_for("~settings"))],
    "credentials:check": [_OPEN_CREDENTIALS],
    "credentials:add": [_OPEN_CREDENTIALS],
    "stores:probe": [
        statement("ProbeBlobs", ["s3:GetObject"], sub("${MemoryBucket.Arn}/blobs/healthz/*")),
        _LIST,
        statement("ProbeKey", ["kms:GenerateDataKey"], _KEY, condition=_for("healthz")),
    ],
    "sandbox:invoke": [statement("InvokeSandbox", ["lambda:InvokeFunction"], arn("SandboxFunction"))],
    "model:ask": [
        statement("AskModel", ["bedrock:InvokeModel"], ref("HeuristicModelArns")),
        statement("ReadModelKeys", ["secretsmanager:GetSecretValue"], ref("HeuristicKeyArns")),
    ],
    "texts:embed": [statement("AskTitan", ["bedrock:InvokeModel"], _TITAN)],
    "jobs:send": [
        statement("SendJobs", ["sqs:SendMessage"], _QUEUE),
        statement("SealJobs", ["kms:GenerateDataKey", "kms:Decrypt"], _KEY, condition=_VIA_QUEUE),
    ],
    "jobs:take": [
        statement("TakeJobs", ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], _QUEUE),
        statement("OpenJobs", ["kms:Decrypt"], _KEY, condition=_VIA_QUEUE),
    ],
}
_OPEN_TABLE = Shared("OpenTable", statement("OpenTable", ["kms:Decrypt"], _KEY, condition=_VIA_TABLE))

GRANTS = tuple(dict.fromkeys([*_PARTITIONS, *_BESIDE]))

# Which statements are there only under a condition of the template.
_CONDITIONS = {
    "AskModel": "HasHeuristicModel",
    "ReadModelKeys": "HasHeuristicKey",
    "AskTitan": "EmbedsWithTitan",
    "MakeDataKeys": "HasIssuer",
}
# Of partitions too: a tenant is admitted by its first token, where an issuer's tokens are taken.
_ADMITTED = {"keys:admit": ("HasIssuer", "Admit")}


def statements(grants: Sequence[str]) -> list[Shared | Intrinsic]:
    """Return the IAM statements of these grants; KeyError for one that is none."""
    usual = [grant for grant in grants if grant not in _ADMITTED]
    said: list[Shared | Intrinsic] = list(_of_items(usual))
    for grant, (condition, prefix) in _ADMITTED.items():
        own = _of_items([grant], prefix) if grant in grants else []
        said += [Intrinsic("!If", [condition, each, ref("AWS::NoValue")]) for each in own]
    if said:
        said = [_OPEN_TABLE, *said, *_keep_out(grants)]
    beside = {each["Sid"]: each for grant in grants for each in _beside(grant)}
    return [*said, *(Shared(sid, _under(each)) for sid, each in beside.items())]


def partitions(grants: Sequence[str]) -> dict[str, list[str]]:
    """Return the patterns of the partitions that these grants allow, by kind of call."""
    found: dict[str, dict[str, None]] = {}
    for grant in grants:
        for call, patterns in _PARTITIONS.get(grant, {}).items():
            found.setdefault(call, {}).update(dict.fromkeys(patterns))
    return {call: list(found[call]) for call in _CALLS if call in found}


def _of_items(grants: Sequence[str], prefix: str = "") -> list[Shared]:
    """Return a statement for each kind of call, which stands under its partitions: functions with the same share it."""
    return [
        Shared(
            "-".join([prefix + call, *map(_short, patterns)]),
            statement(prefix + call, _named(_CALLS[call][0]), _CALLS[call][1], condition=_on(patterns)),
        )
        for call, patterns in partitions(grants).items()
    ]


def _short(pattern: str) -> str:
    """Return a pattern as a part of an anchor: `*#k` as k and `*#k#*` as k_."""
    return re.sub(r"\W", "", pattern.replace("#*", "_"))


def _on(patterns: Sequence[str]) -> dict[str, Any]:
    return {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(patterns)}}


def _keep_out(grants: Sequence[str]) -> list[Shared]:
    """Return what keeps a function that has nothing to do with sessions and logs out of those named like its own."""
    if any(
        grant.startswith(("sessions:", "logs:", "turns:", "documents:", "items:")) and grant != "sessions:due"
        for grant in grants
    ):
        return []
    condition = {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": [*_FREE, "*#d#*", "*#i#*"]}}
    denied = statement("KeepOut", _named(_EVERY_CALL), _TABLE, condition=condition, effect="Deny")
    return [Shared("KeepOut", denied)]


def _named(calls: Sequence[str]) -> list[str]:
    return [f"dynamodb:{each}" for each in calls]


def _beside(grant: str) -> Sequence[dict[str, Any]]:
    if grant not in GRANTS:
        raise KeyError(grant)
    return _BESIDE.get(grant, ())


def _under(said: dict[str, Any]) -> dict[str, Any] | Intrinsic:
    condition = _CONDITIONS.get(said["Sid"])
    return said if condition is None else Intrinsic("!If", [condition, said, ref("AWS::NoValue")])
