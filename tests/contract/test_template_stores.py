"""The stores that template.yaml declares are the ones that the adapters were tested on, and they are hardened."""

from __future__ import annotations

from typing import Any

import pytest


def test_the_table_has_the_index_and_the_expiry_that_the_port_describes(table_properties: dict[str, Any]) -> None:
    (index,) = table_properties["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "sparse"
    assert index["KeySchema"] == [
        {"AttributeName": "ipk", "KeyType": "HASH"},
        {"AttributeName": "isk", "KeyType": "RANGE"},
    ]
    assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert table_properties["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}


def test_the_table_bills_on_demand_up_to_a_cap_and_can_be_restored(table_properties: dict[str, Any]) -> None:
    assert table_properties["BillingMode"] == "PAY_PER_REQUEST"
    assert set(table_properties["OnDemandThroughput"]) == {"MaxReadRequestUnits", "MaxWriteRequestUnits"}
    assert table_properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    assert table_properties["DeletionProtectionEnabled"] == "DeletionProtection"


def test_blobs_can_be_restored_as_far_back_as_the_table(
    template: dict[str, Any], table_properties: dict[str, Any]
) -> None:
    bucket = template["Resources"]["MemoryBucket"]["Properties"]
    (rule,) = bucket["LifecycleConfiguration"]["Rules"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": "RecoveryDays"}
    assert table_properties["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] == "RecoveryDays"


@pytest.mark.parametrize("name", ["MemoryTable", "MemoryBucket", "MemoryKey"])
def test_deleting_the_stack_deletes_no_memory(template: dict[str, Any], name: str) -> None:
    resource = template["Resources"][name]
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")


@pytest.mark.req("R252")
def test_table_and_bucket_are_encrypted_under_the_one_key_which_rotates(template: dict[str, Any]) -> None:
    resources = template["Resources"]
    (rule,) = resources["MemoryBucket"]["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["BucketKeyEnabled"] is True
    assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "MemoryKey.Arn"}
    assert resources["MemoryTable"]["Properties"]["SSESpecification"]["KMSMasterKeyId"] == "MemoryKey.Arn"
    assert resources["MemoryKey"]["Properties"]["EnableKeyRotation"] is True


def test_the_bucket_is_private_and_refuses_plain_http_old_tls_and_other_keys(template: dict[str, Any]) -> None:
    bucket = template["Resources"]["MemoryBucket"]["Properties"]
    policy = template["Resources"]["MemoryBucketPolicy"]["Properties"]["PolicyDocument"]
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    conditions = {statement["Sid"]: statement["Condition"] for statement in policy["Statement"]}
    assert {statement["Effect"] for statement in policy["Statement"]} == {"Deny"}
    assert conditions["DenyPlainHttp"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert conditions["DenyOldTls"] == {"NumericLessThan": {"s3:TlsVersion": "1.2"}}
    header = "s3:x-amz-server-side-encryption"
    assert conditions["DenyOtherEncryption"] == {"StringNotEquals": {header: "aws:kms"}, "Null": {header: "false"}}
    assert conditions["DenyOtherKeys"]["StringNotEquals"] == {f"{header}-aws-kms-key-id": "MemoryKey.Arn"}
