"""Find postal addresses that a word announces, such as "shipping address" or "I live at"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cairn.detection.addresses import CAPITAL, NAME, NO_STREETS
from cairn.detection.personal_labels import announced
from cairn.detection.rules import Rule, compiled

# Behind these anything with a number and a name is an address.
_NOUNS: Final = (
    "address|addres|addr|residence|residing at|resides at|reside at|anschrift|adresse|lieferadresse|rechnungsadresse"
    "|wohnanschrift|wohnhaft|dirección|direccion|domicilio|indirizzo|residenza|domicile|demeurant|adres|endereço"
    "|endereco"
    "|morada|adresa|adresă|adresem|bydliště|osoite|adress|lakcím|cím|címe|διεύθυνση|адрес|адреса|住所|地址|주소|כתובת"
    "|العنوان|عنوان|آدرس|पता|ঠিকানা|ที่อยู่|địa chỉ|alamat|ünvan|ունեմ|მისამართი|հասցե|முகவரி|ठेगाना|पत्ता|ikheli"
    "|streetaddress|addressline|street|strasse"
)
# Behind these an address has to look like one: they announce places, people and times as well.
_VERBS: Final = (
    "lives at|live at|lived at|living at|lives in|live in|lived in|ship to|ship it to|shipped to|ship|deliver to"
    "|deliver it to"
    "|delivered to|delivery to|mail it to|mailed to|send it to|sent to|send to|moved to|move to|taxi to|located at"
    "|meet me at|home is|house is|staying at|stay at|wohne in|wohnt in|wohne|wohnt|vivo en|vive en|residente in"
    "|abito in"
    "|vivo in|habite au|habite|domicilié|réside au|livrer au|woon op|woont op|moro na|moro em|resido|mieszkam przy"
    "|mieszkam"
    "|zamieszkały|bor på|visit|come to|drop it at|pick up at|pick me up at|now live in|we are at|find us at"
    "|office is at"
)
# Up to the end of the sentence, and the lines behind it up to one that has a postcode. The dot of a short word is an
# abbreviation's.
_STOP: Final = (
    r"(?=[;!?\"<>{}\t\0]|(?<=[^\W\d_]{4})\.(?:\s|$)|(?<=\d)\.(?:\s|$)|\.?\n|\.?$"
    r"| (?:and|but|then|please|since|because|until|for|with|und|y|et) )"
)
_VALUE: Final = (
    rf"([^\n\0\"<>{{}};]{{4,120}}?{_STOP}"
    r"(?:,? ?\n(?:[^\n\0:=\"]{2,45}\n){0,2}?[^\n\0:=\"]{0,40}(?:\d{3}|\d[A-Z]{2}(?!\w))[^\n\0:=\".]{0,40})?)"
)
_GAP: Final = (
    r"(?: ?\((?:[^()\n]{1,20})\))?[\"'\\]{0,2}(?: ?[:=][ \"'\\\n]{0,4}"
    r"| (?:is|was|ist|lautet|to same|to|changed to|est|es|è|in|at|este|je|jest|er)[ :](?:in |at |at: )?"
    r"| (?=[A-ZÀ-Þ]\w|\d)|\n)"
)
_NO_ADDRESS: Final = (
    r"(?i:0x[0-9a-f]|https?:|\d{1,3}(?:\.\d{1,3}){3}|localhost|@\w|(?:[0-9a-f]{2}[:-]){3}|[0-9a-f]{4}::?[0-9a-f])"
)
_WIDE: Final = r"[^\W\d_A-Za-z\u00c0-\u052f]"
# A number beside a capitalised word, or a number in a text of an alphabet without capitals.
_LIKELY: Final = (
    rf"(?<![\w.$€£%:])\d{{1,5}}(?:[/-]\d{{1,5}}){{0,2}}[A-Za-z]{{0,2}},? ?{CAPITAL}[\w.'’-]{{2,}}"
    rf"|{CAPITAL}[\w'’.)-]{{1,40}},?[ ](?:[Nn][oº°r]\.? ?|\# ?)?(?!(?:19|20)\d\d\b)\d{{1,5}}[A-Za-z]?(?![\w%:]|\.\d)"
    rf"|{CAPITAL}[^\n]{{2,60}}(?:,|[ .]\w{{1,4}}\.) ?\d{{1,6}}[A-Za-z]?(?![\w%:]|\.\d)"
    rf"|{_WIDE}{{2}}[^\n]{{0,40}}\d|\d[^\n]{{0,12}}{_WIDE}{{2}}"
)
# A number, names, and behind a comma or on the next line a place; or a name, a number and the end or a place.
_TELLING: Final = (
    rf"\d{{1,4}}(?:/\d{{1,4}}){{1,2}} {CAPITAL}\w"
    rf"|\d{{1,5}}(?:[/-]\d{{1,5}})?[A-Za-z]?,? (?:{CAPITAL}[\w.'’-]{{1,24}} ?){{1,4}}[,\n] ?[\dA-Z{CAPITAL[1:-1]}]"
    rf"|{CAPITAL}[\w'’.-]{{2,40}} (?!(?:19|20)\d\d\b)\d{{1,4}}[A-Za-z]?(?:/\d{{1,4}})?\.?[,\n]+ ?[\d{CAPITAL[1:-1]}]"
    rf"|{CAPITAL}[^\n]{{2,40}},? (?:[Nn][oº°r]|буд|д|b|m)\.? ?\d{{1,5}}(?!\w)"
    rf"|{CAPITAL}[\w'’.-]{{2,40}} \d{{1,4}} [\w. ]{{1,20}}[,\n] ?{CAPITAL}[^\n]{{2,40}}\d{{5,7}}"
    rf"|{_WIDE}{{2}}[^\n]{{0,40}}\d|\d[^\n]{{0,12}}{_WIDE}{{2}}"
)


def _likely(found: str) -> bool:
    return bool(compiled(_LIKELY).search(found)) and not compiled(_NO_ADDRESS).search(found)


def _telling(found: str) -> bool:
    telling = compiled(_TELLING).search(found)
    return (
        telling is not None
        and telling[0].split()[0].lower() not in NO_STREETS
        and not compiled(_NO_ADDRESS).search(found)
    )


def _after(words: str, gap: str, check: Callable[[str], bool]) -> Rule:
    # A name of a field may count its lines; some languages add a particle to the word.
    behind = rf"(?:[ _]?(?:line)?[ _]?\d(?!\w))?(?:[은는이가はが是为為]|(?![^\W\d_])){gap}{_VALUE}"
    return announced(NAME, words, behind, check)


RULES: Final = (_after(_NOUNS, _GAP, _likely), _after(_VERBS, r"[: \n]{1,3}", _telling))
