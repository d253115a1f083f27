"""Find postal addresses by the forms in which countries write them: from a house number, or from a postcode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from cairn.detection.personal_labels import announced, spellings
from cairn.detection.rules import Hit, Rule, compiled

NAME: Final = "postal_address"
# The capitals of the alphabets that have them.
CAPITAL: Final = "[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶŁĻĽŃŅŇŌŐŒŘŚŞŠȘŤȚŪŮŰŲŸŹŻŽƏΆ-ΏΑ-ΫЀ-ЯҐԱ-Ֆ]"
# Letters of scripts that have none, and what their words are made of.
_SCRIPTS: Final = "\u0590-\u06ff\u0900-\u10ff\u3012\u4e00-\u9fff\uac00-\ud7a3"
WIDE: Final = r"[\u0590-\u06ff\u0900-\u0e7f\u10a0-\u10ff]"
MARKS: Final = r"\u0590-\u06ff\u0900-\u0e7f\u10a0-\u10ff\u200d"
_WORD: Final = rf"{WIDE}[{MARKS}.'-]{{0,30}}"
_NAME: Final = rf"(?:{CAPITAL}[\w'’.-]{{0,23}}\w)"
_PLACE: Final = rf"{_NAME}(?:\.?[ -]{_NAME}){{0,3}}"
_HOUSE: Final = r"\d(?<![\w.,:$€£/-]\d)\d{0,4}(?:[/-]\d{1,4})?[A-Za-z]?"
_UNIT: Final = (
    r"(?:[, \n]{1,2}(?:(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|Building|Bldg|Level|Depto|Piso|Edif"
    r"|Oficina)\b\.?|#)"
    r" ?#?[\w-]{1,6})"
)
# Kinds of streets that end an English name, and those that are words of other things too: these need a place behind.
_SUFFIXES: Final = (
    "Street|Avenue|Ave|Road|Rd|Lane|Ln|Boulevard|Blvd|Terrace|Parkway|Pkwy|Highway|Hwy|Crescent|Grove|Mews|Turnpike"
    "|Causeway|Expressway|Freeway|Throughway|Trafficway|Gardens|Close|Alley|Motorway|Esplanade|Parade|Umgwaqo"
)
_WORDS: Final = "St|Drive|Dr|Way|Court|Ct|Place|Pl|Square|Sq|Circle|Cir|Trail|Trl|Plaza|Loop|Hill|Row|Walk|Green"
_SUFFIX: Final = rf"(?:(?:{_SUFFIXES})(?!\w)|(?:{_WORDS})(?=\.?(?:{_UNIT}|, ?{CAPITAL}|\n{CAPITAL})))"
_US_STATES: Final = (
    "A[AEKLPRSZ]|C[AOT]|D[CE]|F[LM]|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEHINOPST]|N[CDEHJMVY]|O[HKR]|P[ARW]|RI|S[CD]|T[NX]"
    "|UT|V[AIT]|W[AIVY]"
)
_US: Final = rf"(?:{_US_STATES}),? \d{{5}}(?:-\d{{4}})?"
_AUSTRALIAN: Final = r"(?:ACT|NSW|NT|QLD|SA|TAS|VIC|WA),? \d{4}"
_BRITISH: Final = r"[A-PR-UWYZ][A-HK-Y]?\d[\dA-HJKMNP-Y]? ?\d[ABD-HJLNP-UW-Z]{2}"
_IRISH: Final = r"[AC-FHKNPRTV-Y]\d[\dW] ?[0-9AC-FHKNPRTV-Y]{4}"
_CANADIAN: Final = (
    r"(?:(?:AB|BC|MB|N[BLSTU]|ON|PE|QC|SK|YT),? )?[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d"
)
_ENDS: Final = f"(?:{_US}|{_AUSTRALIAN}|{_BRITISH}|{_IRISH}|{_CANADIAN})" + r"(?!\w)"
_TO_THE_END: Final = rf"(?:[ ,\n]{{1,2}}(?:{CAPITAL}|\d|\#)[\w'’.\#/-]{{0,24}}){{1,9}}?[ ,\n]{{1,2}}"
_FRENCH: Final = (
    "rue|avenue|av\\.|boulevard|bd|place|chemin|allée|impasse|quai|cours|route|square|passage|ruelle|faubourg|sentier"
    "|voie|villa|cité|esplanade|promenade|montée|rond-point|résidence|lotissement"
)
_FRENCH_STREET: Final = (
    rf"\d(?<![\w.,:$€£/-]\d)\d{{0,4}}(?: ?(?:bis|ter|quater|[A-D]))?,? (?i:{_FRENCH}) "
    rf"(?:(?:de|du|des|la|le|les) |d['’]|l['’]){{0,3}}{_PLACE}"
)

RULES: Final = tuple(
    Rule(NAME, "personal", (), pattern)
    for pattern in (
        # 12 Elm Street, Springfield, IL 62701
        rf"{_HOUSE} (?:{_NAME}\.? ){{1,4}}{_SUFFIX}(?:\.?{_UNIT})?(?:\.?[,\n ]{{1,2}}{_PLACE})?(?:,? ?{_ENDS})?",
        # A house number, some names, and an end that only addresses have.
        rf"{_HOUSE}{_TO_THE_END}{_ENDS}",
        rf"(?:Flat|Studio|Apartment|Unit) (?<!\w.{{5}})\d{{1,4}}[A-Za-z]?{_TO_THE_END}{_ENDS}",
        # 12 bis, rue de la Paix, 75002 Paris
        rf"{_FRENCH_STREET}(?:[, \n]{{1,2}}\d{{5}} {_PLACE})?",
    )
)
LABELLED: Final = (
    announced(
        NAME,
        "po box|p.o. box|p o box|p.o.box|post office box|postfach|apartado|apartado de correos|casella postale"
        "|caixa postal|boîte postale|postbus|postboks|po-box",
        r" #?\d{1,6}(?!\w)(?:, \d{4,5} [A-Z]\w{1,30})?",
    ),
)
_OTHER_SCRIPTS: Final = tuple(
    Rule(NAME, "personal", (), pattern)
    for pattern in (
        # 東京都港区芝公園4丁目2番8号, 〒105-0011, 北京市朝阳区建国路88号, 臺北市大安路79號, 강남구 테헤란로 152
        r"(?:〒 ?\d{3}-\d{4}[ \n]?)?[一-龯][一-龯々ァ-ヶー]{2,16}\d{1,4}(?:丁目|番|-\d)[\d丁目番号地-]{0,12}",
        r"〒 ?\d{3}-\d{4}",
        r"(?:\d{5} ?)?[一-龯]{2,24}[路街巷弄道段][一-龯]{0,4}\w{1,5}[号號座室](?:之\d{1,3})?(?: \d{6})?",
        # Scripts without capitals: a house number, names, a postcode, in this or in the other order.
        rf"\d(?<![\w.,:/-]\d)\d{{0,4}}(?:/\d{{1,4}})?,? ?(?:{_WORD}[ ,\n-]{{1,2}}){{1,8}}(?<!\d)\d{{5,7}}(?![\w-])",
        rf"(?:{_WORD} ){{1,4}}\d{{1,4}}, (?:{_WORD}[ ,]{{1,2}}){{1,4}}\d{{5,7}}(?!\w)",
        r"[가-힣]{1,7}(?:시|도) [가-힣 ]{1,14}[가-힣\d]{1,9}(?:로|길|가) ?\d{1,4}(?:-\d{1,4})?",
    )
)

# Kinds of streets that begin a name.
_KINDS: Final = """
    calle avenida avda av carrera cra paseo plaza plazuela glorieta camino callejón callejon ronda cuesta vial pasaje
    acceso rambla travesía urbanización avinguda carrer circuito retorno privada prolongación andador calzada diagonal
    transversal blv quadra corredor eje viaducto peatonal cerrada ampliación continuación periférico dg transv
    via viale piazza piazzale corso vicolo strada contrada borgo rotonda incrocio canale stretto lungomare largo
    rua travessa praça alameda rodovia estrada viela ladeira conjunto favela quinta praceta vereda parque r av. trecho
    setor residencial núcleo morro vale viaduto loteamento colônia sítio fazenda aeroporto campo chácara condomínio área
    esplanada estação feira jardim lago lagoa passarela pátio recanto via rotunda largo avenida beco azinhaga
    ul ul. ulica aleja aleje al al. os os. osiedle plac pl pl. ulice náměstí trg cesta nám.
    str str. bulevardul bulevard bd b-dul aleea calea șoseaua intrarea splaiul
    jalan jl jl. jln gang gg gg. đường phố rue avenue chemin route boulevard place impasse quai cours
    ул ул. улица просп просп. проспект пр пр. пер пер. переулок бул бул. бульвар наб наб. набережная ш ш. шоссе алл
    аллея пл пл. площадь вул вул. вулиця провулок узвіз шосе проїзд бульвар майдан набережна
    οδός οδ λεωφόρος λεωφ
"""
_ENDINGS: Final = (
    "straße|strasse|str\\.|gasse|straat|laan|gracht|dreef|plein|singel|steeg|gatan|vägen|gränd|stigen|torget"
    "|vej|gade|vænget|stræde|veien|vegen|gaten|katu|kuja|polku|kaari|bulevardi|allee|platz|utca|ulica|ulice"
    "|cesta|cadde|caddesi|sokak|sokağı|bulvarı|küçəsi|utja|tér|körút|ქ\\."
)
# A house number behind a word: 5, 12a, 7/3, 22-15.
_NUMBER: Final = (
    r"\d(?<=[ .#°º]\d)(?<!\d[ .]\d)\d{0,4}[A-Za-zа-я]?(?:[/-]\d{1,4}[A-Za-zа-я]?){0,2}(?![\w%$€£:])(?![.,]\d)"
)
# What stands before it, from right to left: "nº", "d.", and a name.
_NAME_BEFORE: Final = (
    r"(?:[ #]{0,2}(?:[.°º]?(?:[NnMmкdд]|[orº]N|[ort]n|д[уy]б))?[ ,.]{1,2}|[ ,.#]{1,3})[)]?(?:[a-zà-ž]{2,20} )?"
    rf"[\w'’.-]{{0,30}}{CAPITAL}(?!\w)"
)
_MORE_NAMES: Final = (
    rf"[ ,.]{{1,3}}(?:[a-zà-ž]{{2,20}} )?(?:[\w'’.-]{{0,24}}{CAPITAL}(?!\w)"
    rf"(?: (?:\w{{1,3}} ){{0,2}}(?={CAPITAL}|\w{{0,24}}{CAPITAL}(?!\w)))?){{1,4}}"
)
_REACH: Final = 64
# What may stand within the name of a street, and before its number.
_PARTICLES: Final = """
    de del la las los le les el da do dos das di dei degli della delle e y i du des en od na z im van von den der bis
    sur km # n n° nº no nr d д m м k к b буд бyд
"""
_WITHIN: Final = frozenset(_PARTICLES.split())
_MOST_WORDS: Final = 8
_SPELLED_WORD: Final = r"[^\s,;:(\"']+"
_ENDING_BEFORE: Final = (
    rf"({CAPITAL}[\w'’.-]{{0,24}}(?:[ -][\w'’.-]{{1,24}}){{0,3}}?(?:{_ENDINGS})),? $"
    rf"|({CAPITAL}[\w'’.-]{{1,24}}[ -](?i:{_ENDINGS})),? $"
)
_POSTCODE: Final = (
    r"\.?(?:,{1,2} ?\n?| ?\n| - )(?:[A-Z]{1,2}[ -])?"
    rf"(?:\d{{4,5}}|\d{{3}} \d\d|\d\d-\d{{3}}|\d{{4}} ?[A-Z]{{2}}|\d{{4}}-\d{{3}}|\d{{5}}-\d{{3}})(?:,? |\n){_PLACE}"
    rf"|(?: [\w.,]{{1,12}} [\w-]{{1,5}}){{0,2}} ?(?:,? ?\n|, ){_PLACE}(?:, {_PLACE})?(?:, | |-)\d{{5,7}}(?!\w)"
)
# Words before a number that are no street's: a month, or a part of a text or of a program.
_NO_STREETS: Final = """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec januar februar märz mai juni juli oktober dezember chapter figure fig table page section
    version python step day week item line level part phase room gate group task issue number year top session turn
    question episode season round team user test case error code port build release windows ubuntu java node volume vol
    act article option model note appendix mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday
    sunday worker thread process http status exit pid row column id the
"""
NO_STREETS: Final = frozenset(_NO_STREETS.split())
# A year, or behind a comma a round number, which counts something: "Boeing 747, 40000 feet".
_NO_POSTCODE: Final = r"\.?\D+(?:19|20)\d\d\D|\.?, \d{2,3}[05]00 "


def hits(text: str, lower: str) -> Iterator[Hit]:
    """Yield the addresses that are known by a number behind a street: Hauptstraße 5, calle Mayor 12, Na Kozinci 3."""
    if compiled(f"[{_SCRIPTS}]").search(text):
        for rule in _OTHER_SCRIPTS:
            yield from rule.hits(text, lower)
    reversed_name, number = compiled(_NAME_BEFORE), compiled(_NUMBER)
    for match in number.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()].rpartition("\0")[2]
        if reversed_name.match(before[::-1]) and before.split()[-1].strip(".,").lower() not in NO_STREETS:
            start = _street(before)
            behind = compiled(_POSTCODE).match(text, match.end())
            start = _named(before) if start < 0 and behind and _postcode(behind) else start
            if start >= 0:
                yield Hit(NAME, "personal", match.start() - len(before) + start, (behind or match).end())


def _postcode(behind: re.Match[str]) -> bool:
    return not compiled(_NO_POSTCODE).match(behind[0])


def _street(before: str) -> int:
    """Return where a street begins that ends right before its number, -1 where there is none that its kind tells."""
    named = False
    for word in list(compiled(_SPELLED_WORD).finditer(before))[: -_MOST_WORDS - 1 : -1]:
        plain = word[0].rstrip(".").lower()
        if named and plain in _kinds():
            return word.start()
        capital = word[0][0].isupper()
        if not (capital or word[0][0].isdigit() or plain in _WITHIN):
            break
        named = named or (capital and plain not in _WITHIN)
    ended = compiled(_ENDING_BEFORE).search(before)
    return max(ended.start(1), ended.start(2)) if ended else -1


def _named(before: str) -> int:
    """Return where the capitalised words begin that end right before a number, -1 where they are no street's."""
    names = compiled(_MORE_NAMES).match(before[::-1])
    return len(before) - names.end() if names else -1


@cache
def _kinds() -> frozenset[str]:
    return frozenset(spellings("|".join(word.rstrip(".") for word in _KINDS.split())).split("|"))
