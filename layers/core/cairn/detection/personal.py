"""Find personal data: numbers with check digits, and numbers that follow a telling word."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from typing import Final

from cairn.detection import address_labels, addresses, check_digits, national_ids, phones
from cairn.detection.personal_labels import Announcing, announced
from cairn.detection.rules import Hit, Rule, always, compiled

_SEPARATORS = str.maketrans("", "", " .-/_\t")
# Visa, Mastercard (two ranges), American Express, Discover, JCB, Diners Club, UnionPay, Maestro, Mir, RuPay, Troy: a
# number of these that also passes Luhn is seldom another one.
_NETWORKS: Final = (
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}(?:\d{3})?|35(?:2[89]|[3-8]\d)\d{12}|(?:2131|1800)\d{11}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|3(?:09|[689]\d)\d{13}|62\d{14,17}|(?:50(?:18|20|38)|5[6-8]\d\d|6304|6390|67\d\d)\d{12,15}|220[0-4]\d{12}"
    r"|(?:508\d|606\d|60\d\d|8[12]\d\d|9792)\d{12}|63[6-9]\d{13}"
)
_FEWEST_OF_A_DOCUMENT: Final = 5
_PLAIN_DATE: Final = r"(?:19|20)\d\d[-./ ][01]?\d[-./ ][0-3]?\d(?!\d)|\d{1,2}[-./]\d{1,2}[-./]\d{4}$"
_FEWEST_OF_A_CARD, _MOST_OF_A_CARD, _LENGTH_OF_AN_EAN = 12, 19, 13
# "logo@2x.png" and "db@host.internal" have the form of an address, and are none.
_NO_MAIL_DOMAINS = (
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".svg",
    ".webp",
    ".js",
    ".ts",
    ".css",
    ".py",
    ".local",
    ".internal",
)
# Year first, day or month first, day and named month, named month and day.
_DATE = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?\d{2,4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.)?[ -]?(?:of )?[A-Za-zäéû]{3,9},?[ -]\d{4}"
    r"|[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)


def _compact(check: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda found: check(found.translate(_SEPARATORS))


def _after(name: str, words: str, value: str, check: Callable[[str], bool] = always) -> Rule:
    """Make a rule for a value right behind one of some words."""
    behind = (
        r"""(?i:[ _-]?(?:number|num|nummer|nr|no|id|code|#)\b)?\.?["'\\\])]{0,4}"""
        rf"""[ \t_:=#]{{0,4}}+(?i:(?:is|was|on|at|ist|es|est|del?)\b[: ]{{1,2}})?["'\\]{{0,3}}({value})(?![\w])"""
    )
    return announced(name, words, behind, check)


def _form(name: str, pattern: str, check: Callable[[str], bool] = always) -> Rule:
    return Rule(name, "personal", (), pattern, check)


def _card(digits: str) -> bool:
    if not compiled(_NETWORKS).fullmatch(digits) or not check_digits.luhn(digits) or len(set(digits)) == 1:
        return False
    # Numbers on goods have 13 digits as old Visa cards do.
    return len(digits) != _LENGTH_OF_AN_EAN or not check_digits.ean(digits)


def _named_card(digits: str) -> bool:
    return _FEWEST_OF_A_CARD <= len(digits) <= _MOST_OF_A_CARD and check_digits.luhn(digits) and len(set(digits)) > 1


def _mail(found: str) -> bool:
    return not found.lower().endswith(_NO_MAIL_DOMAINS) and not found.startswith((".", "git@"))


def _numbered(found: str) -> bool:
    """Tell whether a value has the digits of a document's number, and none of the form of a date."""
    digits = sum(map(str.isdecimal, found))
    return digits >= _FEWEST_OF_A_DOCUMENT and not compiled(_PLAIN_DATE).match(found) and bool(found.strip("0- "))


def _global(found: str) -> bool:
    try:
        return ipaddress.ip_address(found).is_global
    except ValueError:
        return False


RULES: Final = (
    Rule(
        "email",
        "personal",
        ("@",),
        # 64 characters before the @ (RFC 5321), labels of up to 63 (RFC 1035).
        r"@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,5}[A-Za-z]{2,24}(?![\w@]|\.\w)",
        _mail,
        # Read from right to left: the "user:password@host" of a URL is the rule url_password's.
        before=r"[\w.+%'-]{1,64}(?!//|\w|:[\w.+%-]{1,40}//)",
    ),
    Rule(
        "email",
        "personal",
        (" at ",),
        r" (?i:at) (?:[\w-]{1,63} (?i:dot) ){1,4}[A-Za-z]{2,24}(?!\w)",
        before=r"[\w.+%-]{1,64}",
    ),
    Rule(
        "email",
        "personal",
        ("[at]", "(at)", "{at}", "[ at ]"),
        r"[\[({] ?(?i:at) ?[\])}] ?(?:[\w-]{1,63} ?(?:\.|[\[({] ?(?i:dot) ?[\])}]) ?){1,5}[A-Za-z]{2,24}(?!\w)",
        before=r" ?[\w.+%-]{1,64}",
    ),
    _form(
        "card_number",
        r"(\d(?<![\w.-]\d)(?<!\d[ .-]\d)"
        r"(?:\d{3}([ ./_\t-]{1,2})\d{4}\2\d{4}\2\d{1,4}(?:\2\d{3})?|\d{3}([ ./_\t-])\d{6}\3\d{4,5}|\d{12,18}"
        r"|\d{5}([ ./_\t-])\d{10,13}|\d{7}([ ./_\t-])\d{8}))(?!\w|[ .-]\d)",
        _compact(_card),
    ),
    _form(
        # A country, two check digits, and up to 30 more in groups of four as they are printed (ISO 13616).
        "iban",
        r"[A-Z]{2}(?<!\w[A-Z]{2})\d{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}(?!\w)",
        _compact(check_digits.iban),
    ),
    # Ethereum, then Bitcoin in Bech32 (no 1, b, i or o) and in Base58Check (no 0, O, I or l).
    _form("crypto_wallet", r"0x(?<![\w]0x)[0-9a-fA-F]{40}(?!\w)"),
    _form("crypto_wallet", r"bc1(?<!\wbc1)[02-9ac-hj-np-z]{11,71}(?!\w)"),
    _form("crypto_wallet", r"[13](?<![\w/+=.-][13])[1-9A-HJ-NP-Za-km-z]{25,34}+(?![\w/+=-])", check_digits.bitcoin),
    *phones.RULES,
    *addresses.RULES,
)

# Forms that many numbers have: only a word before them makes them personal (decision 15).
_LABELLED: Final = (
    # In other groups, or of a network that is not known, a card takes a word.
    announced(
        "card_number",
        "cards|card|credit|visa|mastercard|master card|amex|american express|maestro|diners|discover|jcb|kreditkarte"
        "|karte|kartennummer|tarjeta|carte|cartão|carta|cc|debit|payment|charge",
        r"(?![^\W\d_])[^\d\n\0]{0,32}?(\d(?:[ .\-/_\t]{0,2}\d){11,18})(?![\w]|[.-]\d)",
        _compact(_named_card),
    ),
    _after(
        "national_id",
        "ssn|social security|social insurance|national insurance|national id|national identity|national identification"
        "|nationalid|identity card|identity number|id card|personal id|citizen id|citizenship|tax id|taxpayer|taxid"
        "|itin"
        "|tfn|tax file|nhs|sin|bsn|pesel|medicare|medical record|mrn|curp|personnummer|aadhaar|aadhar|steuer-id"
        "|steuer id"
        "|steueridentifikationsnummer|steueridentifikations|personalausweis|ausweis|codice fiscale|cédula|cedula|dni"
        "|cpf"
        "|passport card|nin|fødselsnummer|henkilötunnus|isikukood|asmens kodas|personas kods|rodné číslo|rodne cislo"
        "|kennitala|oib|jmbg|emšo|egn|cnp|amka|kimlik|tckn|teudat zehut|nric|mykad|cnic|nik|ktp|philhealth|umid|sss"
        "|burgerservicenummer|rijksregisternummer|emirates id|cuit|cuil|rfc|voter id|epic|身份证|身分證|マイナンバー"
        "|주민등록번호|егн|снилс|инн|паспорт|رقم الهوية|תעודת זהות|health card|health insurance|insurance id|member id"
        "|nit|rif|ird|npwp|ruc|idnr|tckimlik|residence permit|green card|alien|ppsn|pps|nir",
        r"[A-Z]{0,4}[ -]?\d[\dA-Z./ -]{4,16}[\dA-Z]",
        _numbered,
    ),
    _after(
        "passport",
        "passport|passports|passeport|reisepass|reisepassnummer|pasaporte|passaporto|passnummer|pass|paspoort|paszport"
        "|passaporte|pasaport|pas|paspoortnummer|passi|útlevél|pașaport|護照|护照|旅券|パスポート|여권|паспорт|جواز|דרכון",
        r"[A-Z]{0,3}[ -]?\d{6,9}[A-Z]{0,2}|[A-Z]\d[A-Z0-9]{6,7}|[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{8,9}|\d\d[A-Z]{2}\d{5}"
        r"|\d\d ?\d\d ?\d{6}|[A-Z]{2}\d[A-Z0-9]{2}\d{4}",
        _numbered,
    ),
    _after(
        "driving_licence",
        "driver's license|drivers license|driver license|driver's licence|drivers licence|driving licence"
        "|driving license"
        "|driver’s license|driver’s licence|driverslicense|driverlicense|license number|licence number|dl number"
        "|dlnumber"
        "|führerschein|führerscheinnummer|permis de conduire|carnet de conducir|licencia de conducir|patente di guida"
        "|patente|rijbewijs|prawo jazdy|körkort|førerkort|kørekort|ajokortti|carteira de motorista|cnh|dl",
        r"[A-Z]{0,5}[ -]?\d[\dA-Z -]{3,16}[\dA-Z]|[A-Z]{2}\d[A-Z]\d{5}[A-Z]|[A-Z9]{5}\d[\dA-Z]{8,12}"
        r"|[A-Z]\d[\dA-Z]{4,14}",
        _numbered,
    ),
    _after(
        "date_of_birth",
        "date of birth|birth date|birthdate|birthday|birth|dob|d.o.b|date_of_birth|dateofbirth|birth_date|born"
        "|geburtsdatum|geburtstag|geboren|geb|née le|né le|née|né|date de naissance|fecha de nacimiento|nacimiento"
        "|nacido"
        "|nacida|data di nascita|nato il|nata il|nato|nata|data de nascimento|nascimento|nascido|nascida|geboortedatum"
        "|data urodzenia|urodzony|urodzona|ur|datum narození|narozen|narozena|född|født|fødselsdato|födelsedatum"
        "|syntymäaika|syntynyt|született|data nașterii|дата рождения|родился|родилась"
        "|дата народження|生年月日|出生日期|생년월일",
        _DATE,
    ),
    _after(
        "bank_account",
        "account number|account no|account_number|accountnumber|acct|bank account|routing|sort code|kontonummer|iban"
        "|número de cuenta|numéro de compte|numero di conto|rekeningnummer|numer konta|kontonr",
        r"\d[\d -]{6,15}\d",
    ),
    _after(
        "ip_address",
        "client ip|client_ip|user ip|user_ip|visitor ip|visitor_ip|remote_addr|x-forwarded-for|x-real-ip"
        "|ip address|ip_address",
        r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{0,40}+",
        _global,
    ),
    *phones.LABELLED,
    *addresses.LABELLED,
    *address_labels.RULES,
)

_ANNOUNCING: Final = Announcing(_LABELLED)


def hits(text: str, lower: str) -> Iterator[Hit]:
    """Yield what words announce and what takes more than a pattern: national ids, addresses by their house number."""
    # The ids come first, since of two findings in one place the first gives the name.
    yield from national_ids.hits(text, lower)
    yield from _ANNOUNCING.hits(text, lower)
    yield from addresses.hits(text, lower)
