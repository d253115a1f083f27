"""Signature Version 4: AWS's published vectors, and whatever botocore signs."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from cairn.access.sigv4 import Authorization, Scope, canonical_request, encoded_label, signature, signing_key

MOMENT = "20150830T123600Z"
SCOPE = Scope("20150830", "us-east-1", "service")
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
UNRESERVED = "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
FORM = {"content-type": "application/x-www-form-urlencoded"}
# AWS's "Signature Version 4 test suite", by the names that it gives them.
VECTORS: dict[str, tuple[dict[str, Any], str]] = {
    "get-vanilla": ({}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    "get-vanilla-query-order-key-case": (
        {"query": "Param2=value2&Param1=value1"},
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "get-vanilla-utf8-query": (
        {"query": "\u1234=bar"},
        "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ),
    "get-header-value-trim": (
        {"headers": {"my-header1": " value1", "my-header2": ' "a   b   c"'}},
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    "get-unreserved": ({"path": UNRESERVED}, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    "get-utf8": ({"path": "/\u1234"}, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    "post-vanilla": ({"method": "POST"}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    "post-x-www-form-urlencoded": (
        {"method": "POST", "body": b"Param1=value1", "headers": FORM},
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ),
}


def signed(**parts: Any) -> str:
    """Return the signature of a request with these parts at the suite's host and time."""
    headers = {"host": "example.amazonaws.com", "x-amz-date": MOMENT, **parts.get("headers", {})}
    canonical = canonical_request(
        method=parts.get("method", "GET"),
        path=parts.get("path", "/"),
        query=parts.get("query", ""),
        headers=headers,
        signed=sorted(headers),
        payload_hash=sha256(parts.get("body", b"")).hexdigest(),
    )
    return signature(signing_key(SECRET, SCOPE), MOMENT, SCOPE, canonical)


@pytest.mark.parametrize("name", VECTORS)
def test_aws_s_own_vectors_have_their_signatures(name: str) -> None:
    parts, expected = VECTORS[name]

    assert signed(**parts) == expected


LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(
    labels=st.lists(LABELS.filter(lambda each: each not in {".", ".."}), min_size=1, max_size=4),
    query=st.lists(st.tuples(LABELS, LABELS), max_size=4),
    header=st.text(" abc", max_size=12),
    body=st.binary(max_size=40),
)
def test_what_botocore_signs_has_the_signature_that_is_computed_here(
    labels: list[str], query: list[tuple[str, str]], header: str, body: bytes
) -> None:
    path = "/" + "/".join(map(encoded_label, labels))
    text = "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query)
    request = AWSRequest("POST", f"https://example.com{path}?{text}", {"x-told": f"a{header}b"}, body)
    SigV4Auth(Credentials("CAIRN0123456789ABCDEF", "a secret"), "bedrock-agentcore", "eu-central-1").add_auth(request)

    said = Authorization.of(request.headers["Authorization"])

    assert said is not None
    headers = {"host": "example.com", **{name.lower(): value for name, value in request.headers.items()}}
    canonical = canonical_request(
        method="POST",
        path=path,
        query=urlsplit(str(request.url)).query,
        headers=headers,
        signed=said.signed_headers,
        payload_hash=sha256(body).hexdigest(),
    )
    key = signing_key("a secret", said.scope)
    assert signature(key, headers["x-amz-date"], said.scope, canonical) == said.signature


GOOD = (
    "AWS4-HMAC-SHA256 Credential=CAIRN0123456789ABCDEF/20150830/us-east-1/bedrock-agentcore/aws4_request, "
    f"SignedHeaders=host;x-amz-date, Signature={'a' * 64}"
)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
        ("/aws4_request", "/aws5_request"),
        ("/20150830", "/2015083"),
        ("Credential=CAIRN0123456789ABCDEF", "Credential="),
        ("host;x-amz-date", "x-amz-date;host"),
        ("host;x-amz-date", "Host;x-amz-date"),
        ("host;x-amz-date", "host;host;x-amz-date"),
        ("host;x-amz-date", ""),
        ("a" * 64, "A" * 64),
        ("a" * 64, "a" * 63),
        (", Signature=", ", Signed="),
        ("SignedHeaders=", "Signature="),
    ],
)
def test_a_header_of_another_form_says_nothing(part: str, other: str) -> None:
    assert Authorization.of(GOOD) is not None
    assert part in GOOD
    assert Authorization.of(GOOD.replace(part, other)) is None


@given(st.text(max_size=200))
def test_whatever_stands_in_the_header_is_read_or_says_nothing(text: str) -> None:
    assert Authorization.of(text) is None
    assert Authorization.of(f"AWS4-HMAC-SHA256 {text}") is None
