"""Find personal data: numbers with check digits, and numbers that follow a telling word."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Final

from cairn.detection import check_digits
from cairn.detection.rules import Rule, always

_SEPARATORS = str.maketrans("", "", " .-/()")
# Visa, Mastercard (two ranges), American Express, Discover, JCB, Diners Club, UnionPay: a number of these that also
# passes Luhn is seldom another one.
_NETWORKS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
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
_STREET = r"(?:[A-Z][\w'.-]{1,20} ){1,3}"


def _compact(check: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda found: check(found.translate(_SEPARATORS))


def _after(name: str, words: str, value: str, check: Callable[[str], bool] = always) -> Rule:
    """Make a rule for a value that one of some words announces; the words are its anchors."""
    pattern = (
        rf"""(?<![A-Za-z])(?i:{words})(?i:[ _-]?(?:number|num|nummer|nr|no|id|code|#)\b)?\.?["'\\\])]{{0,4}}"""
        rf"""[ \t_:=#]{{0,4}}+(?i:(?:is|was|on|at|ist|es|est|del?)\b[: ]{{1,2}})?["'\\]{{0,3}}({value})(?![\w])"""
    )
    return Rule(name, "personal", tuple(words.split("|")), pattern, check)


def _form(name: str, pattern: str, check: Callable[[str], bool] = always) -> Rule:
    return Rule(name, "personal", (), pattern, check)


def _card(digits: str) -> bool:
    return bool(_NETWORKS.fullmatch(digits)) and check_digits.luhn(digits)


def _mail(found: str) -> bool:
    return not found.lower().endswith(_NO_MAIL_DOMAINS) and not found.startswith((".", "git@"))


def _phone(found: str) -> bool:
    return 7 <= len(found.translate(_SEPARATORS).lstrip("+")) <= 15  # noqa: PLR2004  the bounds of E.164


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
        r"(?:\d{3}([ .-]{1,2})\d{4}\2\d{4}\2\d{4}(?:\2\d{3})?|\d{3}([ .-])\d{6}\3\d{4,5}|\d{14,18}))(?!\w|[ .-]\d)",
        _compact(_card),
    ),
    # Neither the middle nor the last group of a number that was given out is all zeros.
    _form("us_ssn", r"(\d(?<![\w.-]\d)\d\d([- ])(?!00)\d\d\2(?!0000)\d{4})(?![\w-])"),
    # Area codes of North America begin with 2 to 9, which tells them from years, versions and prices.
    _form("phone", r"\((?<!\w\()[2-9]\d\d\)[ -]?\d{3}[ .-]\d{4}(?![\w-])"),
    _form("phone", r"[2-9](?<![\w.+/-]\d)\d\d[.-]\d{3}[ .-]\d{4}(?![\w-]|\.\d)"),
    _form("phone", r"0(?<![\w.+-]0)(?:\d{4} \d{6}|\d{2,4} \d{3,4} \d{3,4}|\d(?: \d\d){4})(?![\w-]| \d)"),
    _form("phone", r"1(?<![\w.+/-]1)[ .-]\(?[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}(?![\w-]|\.\d)"),
    Rule(
        "phone",
        "personal",
        ("+",),
        r"\+(?<![\w+]\+)(?:\(?[1-9])(?:[ ().\-/\u2011]{0,2}\d){6,14}(?![\w-])",
        _phone,
    ),
    _after(
        "phone",
        r"phone|telephone|mobile|cell phone|cell number|cellphone|whatsapp|fax|telefon|handy|tel|tél|téléphone|móvil"
        r"|teléfono|my number|his number|her number|their number|your number",
        r"[+(]{0,2}\d(?:[ ().\-/]{0,2}\d){6,14}",
        _phone,
    ),
    _after(
        "phone", "call|call me|text me|ring me|reach me", r"[+(0][ ()\d.\-/]{0,3}\d(?:[ ().\-/]{0,2}\d){6,13}", _phone
    ),
    _form(
        # A country, two check digits, and up to 30 more in groups of four as they are printed (ISO 13616).
        "iban",
        r"[A-Z]{2}(?<!\w[A-Z]{2})\d{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}(?!\w)",
        _compact(check_digits.iban),
    ),
    _form(
        "uk_national_insurance",
        # Letters that no prefix has are left out; QQ is what official examples use.
        r"(?:[A-CEGHJ-PR-TW-Z](?<!\w[A-Z])[A-CEGHJ-NPR-TW-Z]|QQ(?<!\wQQ)) ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)",
    ),
    _form(
        "french_nir",
        r"[12](?<![\w.-]\d) ?\d\d ?\d\d ?\d\d ?\d{3} ?\d{3} ?\d\d(?!\w)",
        _compact(check_digits.french_nir),
    ),
    _form("brazilian_cpf", r"\d(?<![\w.-]\d)\d\d\.\d{3}\.\d{3}-\d\d(?!\w)", _compact(check_digits.brazilian_cpf)),
    _form(
        "indian_aadhaar",
        r"[2-9](?<![\w.-]\d)(?<!\d \d)\d{3}[ -]\d{4}[ -]\d{4}(?![\w-]| \d)",
        _compact(check_digits.indian_aadhaar),
    ),
    _form("italian_tax_code", r"[A-Z]{6}(?<!\w[A-Z]{6})\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)"),
    _form("mexican_curp", r"[A-Z]{4}(?<!\w[A-Z]{4})\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)"),
    # From here on forms that many numbers have: only a word before them makes them personal (decision 15).
    _after("us_ssn", "ssn|social security|itin", r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    _after(
        "german_tax_id",
        "steuer|steuer-id|steueridentifikations|steueridentifikationsnummer|idnr|tax|taxpayer|tax id|tin",
        r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}",
        _compact(check_digits.german_tax_id),
    ),
    _after("spanish_dni", "dni|nif|nie", r"(?:\d{8}|[XYZ]\d{7})[ -]?[A-Z]", _compact(check_digits.spanish_dni)),
    _after("brazilian_cpf", "cpf", r"\d{11}", check_digits.brazilian_cpf),
    _after("indian_aadhaar", "aadhaar|aadhar", r"\d{12}", check_digits.indian_aadhaar),
    _after("indian_pan", "pan", r"[A-Z]{5}\d{4}[A-Z]"),
    _after(
        "national_id",
        "tfn|national insurance|national id|identity card|id card|nhs|sin|bsn|pesel|medicare|medical record|mrn|curp"
        "|personnummer",
        r"[A-Z]{0,3}\d[\d -]{5,12}\d[A-Z]?",
    ),
    _after(
        "passport",
        "passport|passeport|reisepass|pasaporte|passaporto",
        r"[A-Z]{0,2}\d{6,9}|[A-Z]\d[A-Z0-9]{7}|[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{8}",
    ),
    _after(
        "driving_licence",
        "driver's license|drivers license|driver license|driver's licence|driving licence|driving license"
        "|führerschein|dl",
        r"[A-Z]{0,2}\d[\dA-Z-]{5,15}",
    ),
    _after(
        "date_of_birth",
        "date of birth|birth date|birthdate|birthday|birth|dob|date_of_birth|dateofbirth|birth_date|born"
        "|geburtsdatum|geboren|née le"
        "|né le|date de naissance|fecha de nacimiento",
        _DATE,
    ),
    _after(
        "bank_account",
        "account number|account no|account_number|accountnumber|acct|bank account|routing|sort code|kontonummer|iban",
        r"\d[\d -]{6,15}\d",
    ),
    _form(
        "postal_address",
        rf"\d(?<![\w.-]\d)\d{{0,4}}[A-Za-z]? {_STREET}"
        r"(?:(?:Street|Avenue|Ave|Road|Rd|Lane|Ln|Boulevard|Blvd|Terrace|Parkway|Highway)(?!\w)"
        # Short ones are words and titles too, as in "3 Red St Bernard": they need a place behind them.
        r"|(?:St|Drive|Dr|Way|Court|Ct|Place|Pl|Square|Sq)(?=\.?, [A-Z]))"
        r"(?:[., ]{1,2}[A-Z][a-zA-Z. ]{1,30}+)?(?:, ?[A-Z]{2},? \d{5}(?:-\d{4})?)?",
    ),
    Rule(
        "postal_address",
        "personal",
        ("straße", "strasse", "str. ", "weg ", "platz ", "allee ", "gasse "),
        r"(?i:straße|strasse|str\.|weg|platz|allee|gasse) \d{1,4}[a-z]?, ?\d{5} [A-ZÄÖÜ][\wäöüß-]{1,30}",
        before=r"[\w-]{1,30}",
    ),
    # Ethereum, then Bitcoin in Bech32 (no 1, b, i or o) and in Base58Check (no 0, O, I or l).
    _form("crypto_wallet", r"0x(?<![\w]0x)[0-9a-fA-F]{40}(?!\w)"),
    _form("crypto_wallet", r"bc1(?<!\wbc1)[02-9ac-hj-np-z]{11,71}(?!\w)"),
    _form("crypto_wallet", r"[13](?<![\w/+=.-][13])[1-9A-HJ-NP-Za-km-z]{25,34}+(?![\w/+=-])", check_digits.bitcoin),
    _after(
        "ip_address",
        "client ip|client_ip|user ip|user_ip|visitor ip|visitor_ip|remote_addr|x-forwarded-for|x-real-ip"
        "|ip address|ip_address",
        r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{0,40}+",
        _global,
    ),
)
