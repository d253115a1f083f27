"""AES-256-GCM as Cairn stores it: 12-byte nonce, ciphertext, 16-byte tag."""

from __future__ import annotations

import hmac
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cairn.ground.errors import CorruptData

NONCE_BYTES = 12
TAG_BYTES = 16


def seal(secret: bytes, nonce: bytes, plaintext: bytes, context: bytes) -> bytes:
    """Return nonce, ciphertext and tag; `context` is authenticated, not stored. A nonce serves a secret once."""
    return nonce + AESGCM(secret).encrypt(nonce, plaintext, context)


def unseal(secret: bytes, sealed: bytes | memoryview, context: bytes) -> bytes:
    """Return the plaintext; CorruptData if secret, context or any byte differs from the sealing."""
    if len(sealed) < NONCE_BYTES + TAG_BYTES:
        raise CorruptData("stored data is shorter than a nonce and a tag")
    nonce, rest = sealed[:NONCE_BYTES], memoryview(sealed)[NONCE_BYTES:]  # megabytes are not copied
    try:
        return AESGCM(secret).decrypt(nonce, rest, context)
    except InvalidTag as error:
        raise CorruptData("stored data fails its authentication tag") from error


def seal_alike(secret: bytes, purpose: str, plaintext: bytes, context: bytes) -> bytes:
    """Return nonce, ciphertext and tag that are the same for the same plaintext, under keys for this purpose only.

    The nonce is an HMAC of what is sealed, so that two different plaintexts do not meet in one.
    """
    message = sha256(context).digest() + plaintext
    nonce = hmac.digest(_derived(secret, "nonce", purpose), message, sha256)[:NONCE_BYTES]
    return seal(_derived(secret, "seal", purpose), nonce, plaintext, context)


def unseal_alike(secret: bytes, purpose: str, sealed: bytes, context: bytes) -> bytes:
    """Return what seal_alike() was given; CorruptData if secret, purpose, context or any byte differs."""
    return unseal(_derived(secret, "seal", purpose), sealed, context)


def mac(secret: bytes, purpose: str, message: bytes) -> str:
    """Return 32 hex digits of HMAC-SHA256 over the message, under a key of the secret's for this purpose only."""
    return hmac.digest(_derived(secret, "mac", purpose), message, sha256)[:16].hex()


def derive(secret: bytes, purpose: str, message: bytes) -> bytes:
    """Return 32 bytes of HMAC-SHA256 over the message, under a key of the secret's for this purpose only."""
    return hmac.digest(_derived(secret, "derive", purpose), message, sha256)


def same(one: str, other: str) -> bool:
    """Compare two tags in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def _derived(secret: bytes, use: str, purpose: str) -> bytes:
    return hmac.digest(secret, f"cairn {use} {purpose}".encode(), sha256)
