"""Verify check digits, which tell numbers of a kind from other numbers.

A check takes a number without separators, letters in capitals, and tells whether its check digits hold. The makers of
checks (`weighted`, `dated`, `both`) serve the table of national ids, whose weights are what each country publishes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

Check = Callable[[str], bool]

_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
# The letter of a DNI stands at the place of its number modulo 23.
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_LETTERS: Final = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_PPS_LETTERS: Final = "WABCDEFGHIJKLMNOPQRSTUV"
_CURP_LETTERS: Final = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ"
# The letters of Singapore's series by remainder; what is added to the sum keeps the series apart.
_NRIC_LETTERS: Final = {
    "S": (0, "JZIHGFEDCBA"),
    "T": (4, "JZIHGFEDCBA"),
    "F": (0, "XWUTRQPNMLK"),
    "G": (4, "XWUTRQPNMLK"),
    "M": (3, "XWUTRQPNJLK"),
}
# Taiwan counts its places of birth from 10 on in this order of letters.
_TAIWAN_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
# What a character at an odd place of a codice fiscale counts, 0 to 9 as A to J.
_FISCAL_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
# Letters that replace digits where two people would have the same code.
_FISCAL_DIGITS: Final = str.maketrans("LMNPQRSTUV", "0123456789")
# MOD 97-10 of ISO/IEC 7064.
_IBAN_DIVISOR: Final = 97
_PENTAGON: Final = 5
_MONTHS, _DAYS, _FIRST_UNKNOWN_MONTH = 12, 31, 20
# Verhoeff's permutation, which is applied once more at each further digit.
_FIRST_SHUFFLE: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """Check a card number (ISO/IEC 7812)."""
    doubled = "".join(str(int(digit) * 2) for digit in digits[-2::-2])
    return (sum(map(int, doubled)) + sum(map(int, digits[-1::-2]))) % 10 == 0


def ean(digits: str) -> bool:
    """Check a number of GS1, such as an EAN-13 or ISBN-13."""
    return (sum(map(int, digits[-1::-2])) + 3 * sum(map(int, digits[-2::-2]))) % 10 == 0


def iban(text: str) -> bool:
    """Check an IBAN without spaces (ISO 13616)."""
    turned = text[4:] + text[:4]
    # Letters count as two digits, A as 10 to Z as 35: base 36 reads them so.
    return int("".join(str(int(char, 36)) for char in turned)) % _IBAN_DIVISOR == 1


def total(digits: str, weights: Sequence[int]) -> int:
    """Return the sum of the digits, each times its weight; those beyond the weights do not count."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def divides(modulus: int, *weights: int) -> Check:
    """Make a check that the weighted sum of all digits is a multiple of the modulus."""
    return lambda digits: total(digits, weights) % modulus == 0


def remainder(modulus: int, *weights: int) -> Check:
    """Make a check that the last digit is the weighted sum of the others modulo the modulus, 10 written as 0."""
    return lambda digits: total(digits, weights) % modulus % 10 == int(digits[-1])


def complement(modulus: int, *weights: int, rest: str = "") -> Check:
    """Make a check that the last digit fills the weighted sum of the others up to the modulus.

    `rest` holds the character of each remainder where it is not that digit, 10 written as 0.
    """
    written = rest or "".join(str(-number % modulus % 10) for number in range(modulus))
    return lambda text: written[total(text[:-1], weights) % modulus] == text[-1]


def both(*checks: Check) -> Check:
    """Make a check that holds where all of some do."""
    return lambda text: all(check(text) for check in checks)


def either(*checks: Check) -> Check:
    """Make a check that holds where one of some does."""
    return lambda text: any(check(text) for check in checks)


def dated(order: str, start: int = 0, months: Sequence[int] = (0,), days: Sequence[int] = (0,)) -> Check:
    """Make a check that a date of birth stands in a number: `order` has y, m and d where its digits are.

    `months` and `days` hold what a country adds to them to tell centuries, sexes or kinds of residents, 0 for nothing.
    """
    years, of_month, of_day = ([start + at for at, part in enumerate(order) if part == kind] for kind in "ymd")

    def check(text: str) -> bool:
        year, month, day = ("".join(text[at] for at in places) for places in (years, of_month, of_day))
        return (
            (len(year) < len("1985") or year.startswith(("19", "20")))
            and any(1 <= int(month) - more <= _MONTHS for more in months)
            and any(1 <= int(day) - more <= _DAYS for more in days)
        )

    return check


def french_nir(text: str) -> bool:
    """Check a French social security number of 15 characters; Corsica's 2A and 2B count as 19 and 18."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    if not number.isdecimal() or int(text[13:]) != _IBAN_DIVISOR - int(number) % _IBAN_DIVISOR:
        return False
    # Months over 12 stand for papers that do not tell the month.
    return 1 <= int(number[3:5]) <= _MONTHS or int(number[3:5]) >= _FIRST_UNKNOWN_MONTH


def spanish_dni(text: str) -> bool:
    """Check a Spanish DNI, or an NIE, which begins with X, Y or Z for 0, 1 or 2."""
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdecimal() and _DNI_LETTERS[int(number) % len(_DNI_LETTERS)] == text[-1]


def brazilian_cpf(digits: str) -> bool:
    """Check a Brazilian CPF of 11 digits."""
    # Eleven equal digits fulfil the sums and belong to nobody.
    if len(set(digits)) == 1:
        return False
    return all(total(digits, range(length + 1, 1, -1)) * 10 % 11 % 10 == int(digits[length]) for length in (9, 10))


def mod_11_10(digits: str) -> bool:
    """Check digits by ISO/IEC 7064, MOD 11,10, as in German tax ids and Croatian OIBs."""
    product = 10
    for digit in digits[:-1]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[-1])


def verhoeff(digits: str) -> bool:
    """Check digits by Verhoeff's scheme, as in Aadhaar numbers."""
    check = 0
    shuffle = list(range(10))
    for digit in reversed(digits):
        check = _turn(check, shuffle[int(digit)])
        shuffle = [shuffle[place] for place in _FIRST_SHUFFLE]
    return check == 0


def _turn(left: int, right: int) -> int:
    """Combine two elements of the dihedral group of a pentagon: 0 to 4 turn it, 5 to 9 flip it."""
    turned = left + right if left < _PENTAGON else left - right
    flipped = (left < _PENTAGON) != (right < _PENTAGON)
    return turned % _PENTAGON + (_PENTAGON if flipped else 0)


def belgian(digits: str) -> bool:
    """Check a Belgian national number; a 2 before it tells those who were born from 2000 on."""
    rest = _IBAN_DIVISOR - int(digits[9:])
    return any(int(century + digits[:9]) % _IBAN_DIVISOR == rest % _IBAN_DIVISOR for century in ("", "2"))


def baltic(digits: str) -> bool:
    """Check a personal code of Estonia or Lithuania: where the first sum leaves 10, a second decides."""
    first = total(digits, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    second = total(digits, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11
    return (first if first < len("0123456789") else second % 10) == int(digits[-1])


def turkish(digits: str) -> bool:
    """Check a Turkish identity number of 11 digits."""
    odd, even = sum(map(int, digits[0:9:2])), sum(map(int, digits[1:8:2]))
    return (7 * odd - even) % 10 == int(digits[9]) and sum(map(int, digits[:10])) % 10 == int(digits[10])


def finnish(text: str) -> bool:
    """Check a Finnish personal identity code without the sign of its century."""
    return _HETU_LETTERS[int(text[:9]) % len(_HETU_LETTERS)] == text[9]


def irish(text: str) -> bool:
    """Check an Irish PPS number, of seven digits, a check letter and perhaps one letter more."""
    more = "WABCDEFGHI".find(text[8:9] or "W")
    # T, W and X as a second letter are of old numbers and count nothing.
    return _PPS_LETTERS[(total(text[:7], range(8, 1, -1)) + 9 * max(0, more)) % 23] == text[7]


def italian(text: str) -> bool:
    """Check an Italian codice fiscale of a person."""
    plain = "".join(
        char.translate(_FISCAL_DIGITS) if at in {6, 7, 9, 10, 12, 13, 14} else char for at, char in enumerate(text)
    )
    places = [int(char) if char.isdecimal() else ord(char) - ord("A") for char in text[:15]]
    in_form = plain[6:8].isdecimal() and plain[9:11].isdecimal() and plain[12:15].isdecimal() and plain[8].isalpha()
    return in_form and (sum(_FISCAL_ODD[at] for at in places[::2]) + sum(places[1::2])) % 26 == ord(text[15]) - ord("A")


def mexican(text: str) -> bool:
    """Check a Mexican CURP of 18 characters."""
    counted = sum(_CURP_LETTERS.index(char) * weight for char, weight in zip(text, range(18, 1, -1), strict=False))
    return -counted % 10 == int(text[17])


def singaporean(text: str) -> bool:
    """Check an NRIC or FIN of Singapore."""
    more, letters = _NRIC_LETTERS[text[0]]
    return letters[(total(text[1:8], (2, 7, 6, 5, 4, 3, 2)) + more) % len(letters)] == text[8]


def taiwanese(text: str) -> bool:
    """Check a national id of Taiwan, a letter and nine digits."""
    tens, ones = divmod(_TAIWAN_LETTERS.index(text[0]) + 10, 10)
    return (tens + 9 * ones + total(text[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def luxembourgish(digits: str) -> bool:
    """Check a Luxembourgish number of 13 digits, which has a digit by Luhn and one by Verhoeff."""
    return luhn(digits[:12]) and verhoeff(digits[:11] + digits[12])


def chilean(text: str) -> bool:
    """Check a Chilean RUT, whose weights run 2 to 7 again and again from the right."""
    weights = [2 + at % 6 for at in range(len(text) - 1)]
    return "0K987654321"[total(text[-2::-1], weights) % 11] == text[-1]


def colombian(digits: str) -> bool:
    """Check a Colombian NIT."""
    primes = (3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71)
    return "01987654321"[total(digits[-2::-1], primes) % 11] == digits[-1]


def bitcoin(address: str) -> bool:
    """Check a Bitcoin address in Base58Check."""
    number = 0
    for char in address:
        number = number * len(_BASE58) + _BASE58.index(char)
    # A byte of version, 20 of hash and 4 of checksum.
    if number.bit_length() > 8 * 25:
        return False
    decoded = number.to_bytes(25)
    return hashlib.sha256(hashlib.sha256(decoded[:-4]).digest()).digest()[:4] == decoded[-4:]
