"""Judge whether a value in a secret's place is a secret, or a placeholder, a word or code."""

from __future__ import annotations

import binascii
import math
from collections import Counter
from typing import Final

from cairn.detection.rules import compiled

# Where a shell, a build, a format or a document fills something in: ${X}, $X, $(x), %X%, %s, {{ x }}, {x}, <x>, [x],
# @X@, #{x}, `x`, __X__. A value is a template only if nothing else is in it: `kT9$vLq2%Zr8&Wm4` is none.
_TEMPLATE: Final = (
    r"(?:(?:\$\{\{[^\n]{0,200}?\}\}|\$\{[^{}\n]{0,200}\}|\$\([^\n]{0,200}\)|\$(?:[A-Z_][A-Z0-9_]*+|[a-z_]++(?:[A-Z][a-z]+)*+|\d)"
    r"|%[A-Z_][A-Z0-9_]*+%|%\([\w.]++\)[a-z]|%[-+0-9.]*+[a-z]|\{\{[^{}\n]{0,200}\}\}"
    r"|\{(?:\d*|[A-Za-z_][A-Za-z_.|:!'\"()\[\]-]*\d?)\}|<[^<>\n]{0,100}>|\[[^\[\]\n]{0,100}\]|@[A-Z_]{2,40}@|\#\{[^{}\n]{0,200}\}"
    r"|`[^`\n]{0,200}`|__[A-Z][A-Z_]{0,40}?__)[\s:/_.,@-]*+)++(?:\n|\Z)"
)
# A row of signs in place of the rest: sk-..., ghp_xxxxxxxx, abcd****. The row is what there is to see.
_ELIDED: Final = r"([\w-]{0,12}?)([xX]{4,}|\*{3,}|\.{3,}|…+)((?:(?<=\*)|(?<=…))[\w-]{0,6})?"
_ROW: Final = r"[xX]{6}|\*{3}|\.{3}|…"
# Words that examples are filled with, and nothing but words: your-api-key-here, replace_me, YOUR_KEY, dummy secret.
_FILLED: Final = (
    r"(?i:(?:[a-z]+[ _.-])*?(?:your|here|redacted|replace|change|placeholder|insert|dummy|example|sample"
    r"|todo|fixme|masked)(?:[ _.-][a-z]+)*+|your[ _.-][\w .-]{1,60}"
    r"|your(?:api|access|auth|secret|private)?(?:key|token|password|secret)(?:here)?"
    r"|[a-z]*(?:fake|dummy|placeholder|change_?me|redacted)[a-z]*)"
)
_NO_SECRETS: Final = """
    a an any auth available basic bearer bool boolean char configured correct credential credentials default
    disabled empty enabled env expired false field fill for from given hash hidden if in include incorrect input
    int integer invalid is key lost masked missing must needed nil no none not null object of off omit on option
    optional options or pass passed passwd password plain plaintext please private prompt provided public pwd
    rejected required reset same-origin secret see set shared str string test text the to todo token true type
    unchanged undefined unknown unset user username value varchar vault void was weak will with wrong yes
"""
_WORDS: Final = frozenset(_NO_SECRETS.split())
# Of 32 characters drawn from all 62, five are digits and 13 capitals on average: fewer than these are rare.
_FEW_DIGITS: Final = 3
_FEW_LETTERS: Final = 4
_MOST_DIGITS_OF_A_NAME: Final = 2
_TELLING: Final = 48
_DRAWN: Final = 3.3
"""The least bits a character of what 24 and more letters and digits give at random."""
_RANDOM: Final = 4.0
"""The least bits a character of what is drawn at random from letters and digits."""
_PUBLIC: Final = ("Qm", "MII")
"""How hashes of IPFS begin, and public keys and certificates in base64."""
_VARIABLE: Final = r"[a-z]{2,}(?:[A-Z][a-z]+)+\d?|[a-z]{2,}(?:_[a-z]+)+\d?|[a-z]{1,3}\d?|[A-Z][a-z]+(?:[A-Z][a-z]+)+"
_USUAL: Final = """
    args argument await body bytes candidate config content context current data default digest encoded form generate
    group hashed header headers hex input item kwargs line match message model new node obj old opts other params parts
    payload plain previous raw record request response result row self session settings source state target that this
    word words
"""
_VARIABLES: Final = frozenset(_USUAL.split())
_WORD: Final = r"[A-Z]?[a-z]{2,}"
_WORDY: Final = 0.7
"""The share of its characters in words from which a name in camel case is known."""
# settings.api_key, config::token, self->secret.
_CODE: Final = (
    r"(?P<name>[!*&@(]{0,3}[A-Za-z_$][\w$]*+(?P<path>(?:(?:\??\.|::|->)\$?[A-Za-z_][\w$]*+)++)?)"
    r"(?(path)(?:[(\[](?P<called>[\w.$:+*=()\[\]-]*)|[!;:)}\],]*)|[(\[](?P<passed>[\w.$:+*=()\[\]-]*))"
)
_AFTER_CALL: Final = r"[)\]]\w*\d"


def placeholder(value: str) -> bool:
    """Tell whether a value, all of it, only shows where a secret goes."""
    bare = value.strip(" \t.,;:!?'\"")
    if not bare.strip("xX*._-0•#") or bare.lower() in _WORDS or compiled(_TEMPLATE).fullmatch(value.strip(" \t,;'\"")):
        return True
    shown = compiled(_ELIDED).fullmatch(value)
    if shown and (shown[2][0] not in "xX" or len(shown[2]) >= len(shown[1])):
        return True
    return bool(compiled(_FILLED).fullmatch(bare.removeprefix("sk-")))


def code(value: str) -> bool:
    """Tell whether a value is an expression that names where the secret is, such as settings.api_key or getpass(."""
    found = compiled(_CODE).fullmatch(value)
    if not found or sum(map(str.isdigit, found["name"])) > _MOST_DIGITS_OF_A_NAME:
        return False
    return not compiled(_AFTER_CALL).search(found["called"] or found["passed"] or "")


def entropy(value: str) -> float:
    """Return the Shannon entropy of a value's characters, in bits a character."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def mixed(value: str) -> bool:
    """Tell whether a value has letters and digits."""
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value))


def token_body(value: str) -> bool:
    """Tell whether the body of a token is no row of x and no words that say what goes there."""
    return bool(value.strip("xX*._-0")) and not compiled(_ROW).search(value) and not compiled(_FILLED).fullmatch(value)


def drawn(value: str) -> bool:
    """Tell whether a body behind a prefix that words begin with too looks drawn at random."""
    # As many characters as tell: a row of beginnings would take as many times its length.
    value = value[:_TELLING]
    digits, upper, lower = (sum(map(kind, value)) for kind in (str.isdigit, str.isupper, str.islower))
    humped = digits and min(upper, lower) >= _FEW_LETTERS and not _wordy(value)
    several = digits >= _FEW_DIGITS and upper + lower >= _FEW_LETTERS
    return bool(humped or several) and entropy(value) > _DRAWN and token_body(value)


def plain_word(value: str) -> bool:
    """Tell whether a value is one word, maybe of several with dashes between."""
    return value.replace("-", "").replace("_", "").isalpha()


def variable(value: str) -> bool:
    """Tell whether a bare value is called as variables are: camelCase or snake_case of words, or a usual one."""
    return value.lower() in _VARIABLES or bool(compiled(_VARIABLE).fullmatch(value))


def _wordy(value: str) -> bool:
    return sum(map(len, compiled(_WORD).findall(value))) > _WORDY * len(value)


def dense(value: str) -> bool:
    """Tell whether a value looks drawn at random from capitals, small letters and digits, and is no text in base64."""
    digits, upper, lower = (sum(map(kind, value)) for kind in (str.isdigit, str.isupper, str.islower))
    if digits < _FEW_DIGITS or upper < _FEW_LETTERS or lower < _FEW_LETTERS:
        return False
    if value.startswith(_PUBLIC) or "abcdefghijkl" in value.lower():
        return False
    if _wordy(value):
        return False
    # What decodes to ASCII is a text in base64: `disguises` decodes it, and the rules look at what it says.
    return entropy(value) > _RANDOM and not binascii.a2b_base64(value[: len(value) // 4 * 4]).isascii()
