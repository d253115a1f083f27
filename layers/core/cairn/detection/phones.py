"""Find telephone numbers: by the forms of countries that are like nothing else, or by the words around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cairn.detection.personal_labels import announced
from cairn.detection.rules import Rule

_SEPARATORS: Final = str.maketrans("", "", " .-/()\u2011")
# What ends a number at a switchboard: x123, ext. 123, -DW 12, and the same word in other languages.
_EXTENSION: Final = (
    r"(?:[ ,;]{0,2}(?i:extension|extensión|ext|x|ramal|poste|anexo|durchwahl|dw|int|toestel|wewn)[.:]?[ #]{0,2}\d{1,6})"
)
# Words that announce a number wherever they stand before it, and those that do so only right before it.
_NAMES: Final = (
    "phone|phones|telephone|mobile|cell|cellphone|whatsapp|fax|telefon|telefono|teléfono|telefone|handy|handynummer"
    "|telefonnummer|tel|tél|téléphone|telephon|móvil|movil|celular|portable|cellulare|cellulaire|puhelin|puh|telefoon"
    "|mobil|mobiltelefon|mobilnummer|komórka|komórkowy|rückruf|rufnummer|sms|viber|landline|hotline|telefonu"
    "|телефон|тел|电话|手机|電話|携帯|전화|휴대폰|τηλέφωνο|טלפון|هاتف|โทร|फोन|msisdn|voicemail"
)
_CALLS: Final = (
    "signal|telegram|call|calls|called|calling|text|ring|reach|dial|contact|message|messages|texted|dialed|dialled"
    "|phoned"
    "|llama|llame|llamar|appelez|appeler|rufen|anrufen|erreichbar|erreichen|ringa|registered|hotline|contacted"
    "|my number|his number|her number|their number|your number|contact number|new number|nummer ist|number to"
    "|numéro est|número es|home number|work number|office number|emergency number"
)
# "call me back on", "reach her at": what may stand between such a word and the number.
_BETWEEN: Final = (
    r"(?:[ :,=(-]{1,3}(?i:me|us|him|her|them|back|at|on|to|is|was|up|under|via|au|unter|al|på|via|op|in)\b){0,3}"
)
_DATE: Final = re.compile(r"(?:19|20)\d\d[-./ ]?[01]\d[-./ ]?[0-3]\d(?!\d)|[0-3]?\d[-./][0-3]?\d[-./](?:19|20)\d\d")
_NUMBER: Final = r"[+(]{0,2}\d(?:[ ().\-/\u2011]{0,3}\d){6,14}"
_FEWEST, _MOST = 7, 15
"""Digits; the most are of E.164."""
_FEWEST_AFTER_A_CALL: Final = 9
_SHORT_OF_COUNTRY: Final = 8
_GROUPED: Final = re.compile(r"\d[ ().\-/\u2011]{1,3}\d")


def _digits(found: str) -> int:
    return len(_without_extension(found).translate(_SEPARATORS).lstrip("+"))


def _without_extension(found: str) -> str:
    return re.split(r"[A-Za-zäöüéó,;#]", found, maxsplit=1)[0]


def _in_length(found: str) -> bool:
    return _FEWEST <= _digits(found) <= _MOST


def _announced(found: str) -> bool:
    return _in_length(found) and not _DATE.match(found)


def _called(found: str) -> bool:
    telling = found.startswith(("+", "(", "0")) or bool(_GROUPED.search(_without_extension(found)))
    return _announced(found) and (telling or _digits(found) >= _FEWEST_AFTER_A_CALL)


def _abroad(found: str) -> bool:
    # 00 and a country, in groups: "00 12 34 56" alone is a row of numbers.
    return _SHORT_OF_COUNTRY + 2 <= _digits(found) <= _MOST + 3 and bool(_GROUPED.search(found))


def _form(pattern: str) -> Rule:
    return Rule("phone", "personal", (), rf"((?:{pattern}){_EXTENSION}?)(?![\w@-]|\.\d|[ ./]\d)", _in_length)


def _after(words: str, gap: str, check: Callable[[str], bool]) -> Rule:
    behind = (
        rf"(?:[ _]?(?i:number|num|nummer|nr|no))?(?![^\W\d_]){gap}"
        rf"[^\w\n+(]{{0,6}}({_NUMBER}{_EXTENSION}?)(?![\w@]|[-.]\w)"
    )
    return announced("phone", words, behind, check)


RULES: Final = (
    # Area codes of North America begin with 2 to 9, which tells them from years, versions and prices.
    _form(r"\((?<!\w\()[2-9]\d\d\)[ .-]?\d{3}[ .-]\d{4}"),
    _form(r"[2-9](?<![\w.+/-]\d)(?<!\d \d)\d\d[.-]\d{3}[ .-]\d{4}"),
    _form(r"1(?<![\w.+/-]1)[ .-]\(?[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}"),
    # With an extension a number needs no other sign.
    Rule(
        "phone",
        "personal",
        (),
        rf"[(\d](?<![\w.+/-][(\d])\d?\d?\)?[ .-]?\d{{2,4}}[ .-]?\d{{3,4}}{_EXTENSION}(?!\w)",
        _in_length,
    ),
    # A trunk code of 0 in groups: 020 7946 0018, 07700 900123, 06 12 34 56 78, (02) 9876 5432, 030/1234567.
    _form(
        r"0(?<![\w.+:/-]0)(?<!\d [0])(?:\d{4} \d{6}|\d{4} \d{3} \d{3}|\d{1,4}[ -]\d{3,4}[ -]\d{3,4}"
        r"|\d([ .-])\d\d(?:\2\d\d){3}"
        r"|\d{2,4}/\d{5,8}|\d{2,3} \d{2,3} \d\d \d\d|\d{3}[ -]\d{7}|\d{2}[ -]\d{7,8})"
    ),
    _form(r"\((?<!\w\()0\d{1,4}\)[ /-]?\d{2,4}(?:[ -]?\d{2,4}){1,3}"),
    Rule(
        "phone",
        "personal",
        (),
        r"0(?<![\w.+:/-]0)(?<!\d 0)(?:0|11[ -])[1-9]\d{0,2}"
        rf"(?:[ ().\-/]{{1,2}}\d{{1,8}}){{2,6}}{_EXTENSION}?(?![\w-])",
        _abroad,
    ),
    Rule(
        "phone",
        "personal",
        ("+",),
        rf"\+(?<![\w+]\+)(?:\(?[1-9])(?:[ ().\-/\u2011]{{0,3}}\d){{6,14}}{_EXTENSION}?(?![\w-])",
        _in_length,
    ),
)
LABELLED: Final = (
    _after(_NAMES, r"[^\d\n\0+(]{0,28}?", _announced),
    _after(_CALLS, _BETWEEN, _called),
)
