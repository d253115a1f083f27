"""What each grant of a tool allows its Lambda: the IAM statements of its role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cairn.aws.titan import MODEL
from cloudformation import Intrinsic, Shared, arn, ref, statement, sub

_VIA_TABLE = {
    "StringEquals": {
        "kms:ViaService": sub("dynamodb.${AWS::Region}.amazonaws.com"),
        "kms:EncryptionContext:aws:dynamodb:tableName": ref("MemoryTable"),
    }
}
_VIA_BUCKET = {
    "StringEquals": {
        "kms:ViaService": sub("s3.${AWS::Region}.amazonaws.com"),
        "kms:EncryptionContext:aws:s3:arn": arn("MemoryBucket"),
    }
}
_VIA_QUEUE = {
    "StringEquals": {
        "kms:ViaService": sub("sqs.${AWS::Region}.amazonaws.com"),
        "kms:EncryptionContext:aws:sqs:arn": arn("JobQueue"),
    }
}
# A tenant's data key opens only under {"tenant": …} and nothing beside it.
_FOR_A_TENANT = {
    "ForAllValues:StringEquals": {"kms:EncryptionContextKeys": ["tenant"]},
    "Null": {"kms:EncryptionContext:tenant": "false"},
}
# Where every call leaves its record and takes its tokens, and where the key is that the record is signed with.
_OF_THE_JOURNAL = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["*#audit", "*#audit#*", "*#rates", "*#keys"]}}
# Where standard tools keep what they did, and what they may be told of: that, and the session's conversation.
_OF_EXECUTIONS = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["*#x#*"]}}
_OF_EARLIER_CALLS = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["*#x#*", "*#s#*", "*#m#*"]}}
_OF_KEYS = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["*#keys"]}}
_OF_DATA_KEYS = {"ForAnyValue:StringLike": {"dynamodb:LeadingKeys": ["*#keys"]}}

# Which statements are there only under a condition of the template.
_CONDITIONS = {"AskModel": "HasHeuristicModel", "ReadModelKeys": "HasHeuristicKey", "AskTitan": "EmbedsWithTitan"}

_TABLE, _KEY, _QUEUE = arn("MemoryTable"), arn("MemoryKey"), arn("JobQueue")
_TITAN = sub(f"arn:${{AWS::Partition}}:bedrock:${{AWS::Region}}::foundation-model/{MODEL}")
_BLOBS = sub("${MemoryBucket.Arn}/blobs/*")
_WRITES = ("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")

# What each grant allows. `journal:write` is every tool's, for what its calls leave of themselves. `table:put` is for a
# tool that adds an item and changes none; `jobs:take` is the queue's event source mapping, which acts as the worker.
# `texts:embed` is for what recalls or indexes: its function has the layer of the model, and may ask another one.
# The template writes each statement once, under its Sid, so that a Sid stands for the same statement in every grant.
GRANTS: dict[str, list[dict[str, Any]]] = {
    "table:read": [
        statement("ReadTable", ["dynamodb:GetItem", "dynamodb:Query"], _TABLE, sub("${MemoryTable.Arn}/index/sparse")),
        statement("OpenTable", ["kms:Decrypt"], _KEY, condition=_VIA_TABLE),
    ],
    "journal:write": [
        statement("WriteJournal", ["dynamodb:PutItem"], _TABLE, condition=_OF_THE_JOURNAL),
        statement("ReadKeys", ["dynamodb:GetItem", "dynamodb:Query"], _TABLE, condition=_OF_KEYS),
        statement("OpenTable", ["kms:Decrypt"], _KEY, condition=_VIA_TABLE),
    ],
    "enrichment:use": [
        statement("ReadEarlierCalls", ["dynamodb:GetItem", "dynamodb:Query"], _TABLE, condition=_OF_EARLIER_CALLS),
        statement("KeepExecutions", ["dynamodb:PutItem"], _TABLE, condition=_OF_EXECUTIONS),
    ],
    "table:put": [statement("PutItems", ["dynamodb:PutItem"], _TABLE)],
    "table:write": [
        statement("WriteTable", [f"dynamodb:{each}" for each in _WRITES], _TABLE),
        statement(
            "KeepDataKeys",
            ["dynamodb:UpdateItem", "dynamodb:DeleteItem"],
            _TABLE,
            condition=_OF_DATA_KEYS,
            effect="Deny",
        ),
    ],
    "blobs:read": [
        statement("ReadBlobs", ["s3:GetObject"], _BLOBS),
        statement("TellAbsentBlobs", ["s3:ListBucket"], arn("MemoryBucket")),
        statement("OpenBlobs", ["kms:Decrypt"], _KEY, condition=_VIA_BUCKET),
    ],
    "blobs:write": [
        statement("WriteBlobs", ["s3:PutObject"], _BLOBS),
        statement("SealBlobs", ["kms:GenerateDataKey"], _KEY, condition=_VIA_BUCKET),
    ],
    "sandbox:invoke": [statement("InvokeSandbox", ["lambda:InvokeFunction"], arn("SandboxFunction"))],
    "blobs:delete": [statement("DeleteBlobs", ["s3:DeleteObject"], _BLOBS)],
    "key:use": [statement("UseDataKeys", ["kms:GenerateDataKey", "kms:Decrypt"], _KEY, condition=_FOR_A_TENANT)],
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


# What one grant's statements say of another's.
_COVERED = {
    "table:read": ("ReadKeys", "ReadEarlierCalls"),
    "table:put": ("WriteJournal", "KeepExecutions"),
    "table:write": ("WriteJournal", "KeepExecutions", "PutItems"),
}


def statements(grants: Sequence[str]) -> list[Shared]:
    """Return the IAM statements of these grants; KeyError for one that is none."""
    given = {each["Sid"]: each for grant in grants for each in GRANTS[grant]}
    said = {covered for grant in grants for covered in _COVERED.get(grant, ())}
    return [Shared(sid, _under(each)) for sid, each in given.items() if sid not in said]


def _under(said: dict[str, Any]) -> dict[str, Any] | Intrinsic:
    condition = _CONDITIONS.get(said["Sid"])
    return said if condition is None else Intrinsic("!If", [condition, said, ref("AWS::NoValue")])
