"""Judge whether a value in a secret's place is a secret, or a placeholder, a word or code."""

from __future__ import annotations

import binascii
import math
import re
from collections import Counter
from typing import Final

# Brackets, dots, templates of shells and formats, and the words that examples are filled with.
_MARKED = re.compile(
    r"[<>{}…]|\*{3}|\$[\w({]|%[\w(]|\.\.\."
    r"|(?i:x{4}|your[_\-. ]|[_\-. ]here|redacted|replace[_-]?me|change[_-]?me|placeholder|insert[_-]|dummy)"
)
_NO_SECRETS: Final = """
    a an any auth available bearer bool boolean char configured correct credential credentials default disabled
    empty enabled env expired false field fill for from given hash hidden if in incorrect input int integer invalid
    is key lost masked missing must needed nil no none not null object of off on optional or passed password passwd
    plain plaintext please private prompt provided pwd rejected required reset secret see set shared str string test
    text the to todo token true type unchanged undefined unknown unset user username value varchar vault void was
    weak will with wrong yes
"""
_WORDS: Final = frozenset(_NO_SECRETS.split())
# Of 32 characters drawn from all 62, five are digits and 13 capitals on average: fewer than these are rare.
_FEW_DIGITS: Final = 3
_FEW_LETTERS: Final = 4
_RANDOM: Final = 4.0
"""The least bits a character of what is drawn at random from letters and digits."""
_PUBLIC: Final = ("Qm", "MII")
"""How hashes of IPFS begin, and public keys and certificates in base64."""
_WORD = re.compile(r"[A-Z]?[a-z]{2,}")
_WORDY: Final = 0.7
"""The share of its characters in words from which a name in camel case is known."""
# settings.api_key, config::token, self->secret.
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+[!;]?")


def placeholder(value: str) -> bool:
    """Tell whether a value only shows where a secret goes."""
    bare = value.strip(" \t.,;:!?'\"")
    return not bare.strip("xX*._-0") or bool(_MARKED.search(bare)) or bare.lower() in _WORDS


def code(value: str) -> bool:
    """Tell whether a value is an expression that names where the secret is, such as settings.api_key."""
    return bool(_CODE.fullmatch(value))


def entropy(value: str) -> float:
    """Return the Shannon entropy of a value's characters, in bits a character."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def mixed(value: str) -> bool:
    """Tell whether a value has letters and digits."""
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value))


def token_body(value: str) -> bool:
    """Tell whether the body of a token is no row of x."""
    return not _MARKED.search(value) and bool(value.strip("xX*._-0"))


def dense(value: str) -> bool:
    """Tell whether a value looks drawn at random from capitals, small letters and digits, and is no text in base64."""
    digits, upper, lower = (sum(map(kind, value)) for kind in (str.isdigit, str.isupper, str.islower))
    if digits < _FEW_DIGITS or upper < _FEW_LETTERS or lower < _FEW_LETTERS:
        return False
    if value.startswith(_PUBLIC) or "abcdefghijkl" in value.lower():
        return False
    if sum(map(len, _WORD.findall(value))) > _WORDY * len(value):
        return False
    # What decodes to ASCII is a text in base64: `disguises` decodes it, and the rules look at what it says.
    return entropy(value) > _RANDOM and not binascii.a2b_base64(value[: len(value) // 4 * 4]).isascii()
