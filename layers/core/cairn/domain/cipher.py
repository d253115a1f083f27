"""AES-256-GCM as Cairn stores it: 12-byte nonce, ciphertext, 16-byte tag."""

from __future__ import annotations

import hmac
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from cairn.domain.errors import CorruptData

NONCE_BYTES = 12
TAG_BYTES = 16


def seal(secret: bytes, nonce: bytes, plaintext: bytes, context: bytes) -> bytes:
    """Return nonce, ciphertext and tag; `context` is authenticated, not stored. A nonce serves a secret once."""
    return nonce + AESGCM(secret).encrypt(nonce, plaintext, context)


def unseal(secret: bytes, sealed: bytes, context: bytes) -> bytes:
    """Return the plaintext; CorruptData if secret, context or any byte differs from the sealing."""
    if len(sealed) < NONCE_BYTES + TAG_BYTES:
        raise CorruptData("stored data is shorter than a nonce and a tag")
    try:
        return AESGCM(secret).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context)
    except InvalidTag as error:
        raise CorruptData("stored data fails its authentication tag") from error


def mac(secret: bytes, purpose: str, message: bytes) -> str:
    """Return 32 hex digits of HMAC-SHA256 over the message, under a key of the secret's for this purpose only."""
    derived = hmac.digest(secret, b"cairn mac " + purpose.encode(), sha256)
    return hmac.digest(derived, message, sha256)[:16].hex()


def same(one: str, other: str) -> bool:
    """Compare two tags in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())
