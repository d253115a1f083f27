"""List the national ids of Europe: one row a number, with its forms, its check and the words that announce it."""

from __future__ import annotations

from typing import Final

from cairn.detection import check_digits as cd
from cairn.detection.check_digits import both, complement, dated, divides, either, remainder
from cairn.detection.national_id_kinds import begins, kind
from cairn.detection.rules import always


def _national_insurance(text: str) -> bool:
    # Letters that no prefix has are left out; QQ is what official examples use.
    likely = text[0] not in "DFIQUV" and text[1] not in "DFIOQUV"
    return text[-1] in "ABCD" and (likely or text.startswith("QQ"))


def _austrian(digits: str) -> bool:
    return cd.total(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(digits[3])


def _czech(digits: str) -> bool:
    # Nine digits were given out until 1953, without a check. Where the rest is 10 the last digit is 0.
    return len(digits) == len("531231123") or int(digits[:9]) % 11 % 10 == int(digits[9])


def _utr(digits: str) -> bool:
    return "21987654321"[cd.total(digits[1:], (6, 7, 8, 9, 10, 5, 4, 3, 2)) % 11] == digits[0]


def _latvian(digits: str) -> bool:
    # Codes that begin with 32 hide the date of birth and follow no published sum.
    hidden = digits.startswith("32")
    return hidden or (1101 - cd.total(digits, (1, 6, 3, 7, 9, 10, 5, 8, 4, 2))) % 11 % 10 == int(digits[10])


def _russian_inn(digits: str) -> bool:
    tenth = cd.total(digits, (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    return tenth == int(digits[10]) and remainder(11, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)(digits)


def _snils(digits: str) -> bool:
    return cd.total(digits, range(9, 0, -1)) % 101 % 100 == int(digits[9:])


def _german(digits: str) -> bool:
    # Of the first ten digits one stands there twice or three times.
    return digits[0] != "0" and len(set(digits[:10])) in {8, 9} and cd.mod_11_10(digits)


def _not_a_time(digits: str) -> bool:
    # 251102-1022 is a day and a minute of these years more often than a child's number.
    hour, minute = int(digits[6:8]), int(digits[8:10])
    return not (hour < 24 and minute < 60 and any(15 <= int(digits[at : at + 2]) < 40 for at in (0, 4)))  # noqa: PLR2004


_SWEDISH: Final = either(
    both(lambda text: len(text) == len("8803200016"), dated("yymmdd", days=(0, 60)), cd.luhn),
    both(
        lambda text: len(text) == len("198803200016"), dated("yyyymmdd", days=(0, 60)), lambda text: cd.luhn(text[2:])
    ),
)


_FINNISH: Final = both(dated("ddmmyy"), lambda text: cd.finnish(text[:6] + text[-4:]))


_DANISH: Final = both(dated("ddmmyy"), divides(11, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1))


_ICELANDIC: Final = both(
    dated("ddmmyy", days=(0, 40)), divides(11, 3, 2, 7, 6, 5, 4, 3, 2, 1), lambda digits: digits[9] in "890"
)


_NORWEGIAN: Final = both(
    dated("ddmmyy", months=(0, 40, 80), days=(0, 40)),
    divides(11, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1),
    divides(11, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1),
)


_YUGOSLAV: Final = both(
    dated("ddmm"),
    lambda digits: digits[4] in "90",
    complement(11, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2),
)


_HUNGARIAN_WEIGHTS: Final = range(1, 11)


_HUNGARIAN: Final = either(
    lambda digits: cd.total(digits, _HUNGARIAN_WEIGHTS) % 11 == int(digits[10]),
    lambda digits: cd.total(digits, _HUNGARIAN_WEIGHTS[::-1]) % 11 == int(digits[10]),
)


EUROPE: Final = (
    # The British Isles
    kind(
        "uk_national_insurance",
        "AA999999A|AA 99 99 99 A|AA-99-99-99-A|AA 999999 A|AA999999 A|AA 999999A|AA 99 99 99A|AA99 99 99 A",
        "AA99-99-99A",
        _national_insurance,
        "nino|national insurance|insurance number|ni number|ni no|ni",
    ),
    kind("uk_nhs", "", "9999999999 999-999-9999", divides(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1), "nhs|health service"),
    kind("uk_tax_reference", "", "9999999999 99999-99999", _utr, "utr|unique taxpayer|taxpayer reference"),
    kind(
        "irish_pps", "9999999AA", "9999999A 9999999-A 9999999-AA", cd.irish, "pps|ppsn|pps no|public service|pps number"
    ),
    # Western Europe
    kind(
        "german_tax_id",
        "99 999 999 999",
        "99999999999",
        _german,
        "steuer|steuer id|steueridentifikationsnummer|steuernummer|steuerid|idnr|tax|taxpayer|tax id|tin|id nr"
        "|tax number",
    ),
    kind(
        "german_social_insurance",
        "",
        "99999999A999 99-999999-A-999 99-999999-A-99-9 99-999999-A999",
        dated("ddmmyy", 2),
        "sozialversicherungsnummer|rentenversicherungsnummer|versicherungsnummer|rvnr|svnr|sozialversicherung"
        "|social insurance|social security",
    ),
    kind(
        "austrian_svnr",
        "9999 999999",
        "9999999999 9999-999999",
        both(dated("ddmmyy", 4), _austrian),
        "svnr|sozialversicherungsnummer|versicherungsnummer|sv nummer|sozialversicherung|vnr|vsnr|sv nr"
        "|social security|social insurance",
    ),
    kind(
        "swiss_ahv",
        "999.9999.9999.99|9999999999999",
        "999-9999-9999-99",
        both(begins("756"), cd.ean),
        "ahv|avs|ahv nr|ahv nummer|numéro avs",
    ),
    kind(
        "french_nir",
        "999999999999999|9 99 99 99 999 999 99|9 99 99 9A 999 999 99|999999A99999999",
        "9-99-99-99-999-999-99 9999999999999-99 9-99-99-9A-999-999-99",
        both(begins("1", "2", "3", "4", "7", "8"), cd.french_nir),
        "nir|insee|sécurité sociale|securite sociale|numéro de sécurité|social security",
    ),
    kind(
        "french_tax_number",
        "",
        "9999999999999 99-99-999-999-999",
        lambda digits: digits[0] in "0123",
        "spi|numéro fiscal|numero fiscal|référence fiscale|nif",
    ),
    kind(
        "belgian_national_number",
        "99.99.99-999.99|99999999999|99 99 99 999 99|99.99.99.999.99",
        "99-99-99-999-99 999999-999-99 999999-99999",
        both(dated("yymmdd", months=(0, 20, 40)), cd.belgian),
        "nn|rijksregisternummer|registre national|numéro national|nationaal nummer|insz|niss|rrn|national number"
        "|national register",
    ),
    kind(
        "dutch_bsn",
        "",
        "999999999 9999-99-999 999-999-999 99999999",
        lambda digits: divides(11, 9, 8, 7, 6, 5, 4, 3, 2, -1)(digits.zfill(9)),
        "bsn|burgerservicenummer|burgerservice|sofi|sofinummer|sofi nummer|citizen service",
    ),
    kind(
        "luxembourgish_id",
        "9999999999999",
        "99999999-99999 9999-9999-99999",
        both(dated("yyyymmdd"), cd.luxembourgish),
        "matricule|cns|matricule national|sozialversicherung",
    ),
    # Southern Europe
    kind(
        "italian_tax_code",
        "AAAAAA99A99A999A",
        "AAAAAAA9A99A999A AAAAAA9AA99A999A AAAAAA99AA9A999A AAAAAA99A9AA999A AAAAAA99A99AA99A AAAAAA99A99A9A9A"
        " AAAAAA99A99A99AA AAA-AAA-99A99-A999A AAA-AAA-99-A-99-A999-A",
        cd.italian,
        "codice|fiscale|codice fiscale|cf|fiscal code|tax code|cod fiscale",
    ),
    kind(
        "spanish_dni",
        "99999999A|99999999-A|A9999999A|A-9999999-A|A9999999-A|99.999.999-A|A-9999999A|99.999.999A",
        "99-999-999A 99999999-A A9999999-A A-9999999-A 9999999A 9999999-A 99-999-999-A",
        lambda text: text[0] in "0123456789XYZ" and cd.spanish_dni(text),
        "dni|nif|nie|documento|documento nacional|identidad",
    ),
    kind(
        "portuguese_nif",
        "",
        "999999999 999-999-999 AA999999999 AA-999-999-999",
        lambda text: complement(11, 9, 8, 7, 6, 5, 4, 3, 2)(text.removeprefix("PT")),
        "nif|contribuinte|número fiscal|numero de contribuinte|número de contribuinte|identificação fiscal|nif pt",
    ),
    kind(
        "portuguese_citizen_card",
        "99999999 9 AA9|999999999AA9",
        "99999999-9-AA9 99999999-9AA9",
        always,
        "cartão de cidadão|cartão|cidadão|citizen card|cc",
    ),
    kind("greek_amka", "", "99999999999 999999-99999", both(dated("ddmmyy"), cd.luhn), "amka|αμκα|α μ κ"),
    kind(
        "greek_afm",
        "",
        "999999999",
        lambda digits: cd.total(digits, (256, 128, 64, 32, 16, 8, 4, 2)) % 11 % 10 == int(digits[8]),
        "afm|αφμ|α φ μ",
    ),
    # Northern Europe
    kind(
        "finnish_hetu", "999999-999A|999999A999A|999999A9999|999999+999A", "999999-9999", _FINNISH, "hetu|henkilötunnus"
    ),
    kind("finnish_hetu", "999999-9999", "", both(_not_a_time, _FINNISH), "hetu"),
    kind(
        "swedish_personnummer",
        "99999999-9999|999999+9999",
        "9999999999 999999999999 999999-9999 99999999-9999",
        _SWEDISH,
        "personnummer|personnr|pnr|personal identity|samordningsnummer|person nummer|personal number|pers nr",
    ),
    kind("swedish_personnummer", "999999-9999", "", both(_not_a_time, _SWEDISH), "personnummer"),
    kind(
        "danish_cpr",
        "",
        "9999999999 999999-9999",
        dated("ddmmyy"),
        "cpr|cpr nr|cpr nummer|personnummer|personal number|civil registration",
    ),
    kind("danish_cpr", "999999-9999", "", both(_not_a_time, _DANISH), "cpr"),
    kind("icelandic_kennitala", "", "9999999999 999999-9999", _ICELANDIC, "kennitala|kt|kennitalan"),
    kind("icelandic_kennitala", "999999-9999", "", both(_not_a_time, _ICELANDIC), "kennitala"),
    kind(
        "norwegian_fodselsnummer",
        "99999999999|999999 99999",
        "999999-99999",
        _NORWEGIAN,
        "fødselsnummer|fodselsnummer|personnummer|fnr|fødselsnr|d nummer|national identity",
    ),
    kind(
        "estonian_isikukood",
        "",
        "99999999999",
        both(begins(*"12345678"), dated("yymmdd", 1), cd.baltic),
        "isikukood|isikukoodi|personal code|ik",
    ),
    kind(
        "lithuanian_asmens_kodas",
        "",
        "99999999999",
        both(begins(*"123456"), dated("yymmdd", 1), cd.baltic),
        "asmens kodas|asmens|personal code|ak",
    ),
    kind(
        "latvian_personas_kods",
        "999999-99999",
        "99999999999 999999-99999",
        both(either(begins("32"), dated("ddmmyy")), _latvian),
        "personas kods|personas|pk|personal code",
    ),
    # Central and Eastern Europe
    kind(
        "polish_pesel",
        "",
        "99999999999",
        both(dated("yymmdd", months=(0, 20, 40, 60, 80)), divides(10, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)),
        "pesel|pesel numer|numer pesel",
    ),
    kind("polish_nip", "", "9999999999 999-999-99-99 999-99-99-999", remainder(11, 6, 5, 7, 2, 3, 4, 5, 6, 7), "nip"),
    kind(
        "czech_rodne_cislo",
        "999999/9999",
        "9999999999 999999999 999999-9999 999999-999",
        both(dated("yymmdd", months=(0, 20, 50, 70)), _czech),
        "rodné číslo|rodne cislo|rodného čísla|rč|rc|r č|birth number|rodné",
    ),
    kind(
        "hungarian_personal_id",
        "",
        "99999999999 9-999999-9999",
        both(dated("yymmdd", 1), _HUNGARIAN),
        "személyi|személyi szám|személyi azonosító|személyazonosító|personal id|szemelyi",
    ),
    kind(
        "hungarian_tax_id",
        "",
        "9999999999",
        both(begins("8"), lambda digits: cd.total(digits, range(1, 10)) % 11 == int(digits[9])),
        "adóazonosító|adóazonosító jel|adóazonosítója|adoazonosito",
    ),
    kind("hungarian_taj", "", "999999999 999-999-999", remainder(10, 3, 7, 3, 7, 3, 7, 3, 7), "taj|taj szám"),
    kind(
        "romanian_cnp",
        "",
        "9999999999999",
        both(
            begins(*"123456789"),
            dated("yymmdd", 1),
            complement(11, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9, rest="01234567891"),
        ),
        "cnp|cod numeric|cod numeric personal",
    ),
    kind(
        "bulgarian_egn",
        "",
        "9999999999",
        both(dated("yymmdd", months=(0, 20, 40)), remainder(11, 2, 4, 8, 5, 10, 9, 7, 3, 6)),
        "egn|егн|единен граждански",
    ),
    kind(
        "croatian_oib",
        "",
        "99999999999 AA99999999999 AA-99999999999",
        lambda text: cd.mod_11_10(text.removeprefix("HR")),
        "oib|osobni identifikacijski",
    ),
    kind(
        "yugoslav_jmbg",
        "",
        "9999999999999",
        _YUGOSLAV,
        "jmbg|emšo|emso|matična številka|enotna matična|matični broj|maticni broj|матични број|јмбг|ембг|embg",
    ),
    kind(
        "ukrainian_tax_number",
        "",
        "9999999999",
        remainder(11, -1, 5, 7, 9, 4, 6, 10, 5, 7),
        "рнокпп|іпн|ипн|rnokpp|ipn|інн|податковий номер|tax number",
    ),
    kind("russian_inn", "", "999999999999", _russian_inn, "инн|inn|tax number"),
    kind("russian_snils", "999-999-999 99|999-999-999-99", "99999999999 999-999-999-99", _snils, "снилс|snils"),
)
