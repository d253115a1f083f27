"""Verify check digits, which tell numbers of a kind from other numbers."""

from __future__ import annotations

import hashlib
from typing import Final

_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
# The letter of a DNI stands at the place of its number modulo 23.
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
# MOD 97-10 of ISO/IEC 7064.
_IBAN_DIVISOR: Final = 97
_PENTAGON: Final = 5
# Verhoeff's permutation, which is applied once more at each further digit.
_FIRST_SHUFFLE: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """Check a card number (ISO/IEC 7812)."""
    doubled = "".join(str(int(digit) * 2) for digit in digits[-2::-2])
    return (sum(map(int, doubled)) + sum(map(int, digits[-1::-2]))) % 10 == 0


def iban(text: str) -> bool:
    """Check an IBAN without spaces (ISO 13616)."""
    turned = text[4:] + text[:4]
    # Letters count as two digits, A as 10 to Z as 35: base 36 reads them so.
    return int("".join(str(int(char, 36)) for char in turned)) % _IBAN_DIVISOR == 1


def french_nir(digits: str) -> bool:
    """Check a French social security number of 15 digits."""
    return int(digits[13:]) == _IBAN_DIVISOR - int(digits[:13]) % _IBAN_DIVISOR


def spanish_dni(text: str) -> bool:
    """Check a Spanish DNI, or an NIE, which begins with X, Y or Z for 0, 1 or 2."""
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(number) % len(_DNI_LETTERS)] == text[-1]


def brazilian_cpf(digits: str) -> bool:
    """Check a Brazilian CPF of 11 digits."""
    # Eleven equal digits fulfil the sums and belong to nobody.
    if len(set(digits)) == 1:
        return False
    for length in (9, 10):
        total = sum(int(digit) * (length + 1 - at) for at, digit in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != int(digits[length]):
            return False
    return True


def german_tax_id(digits: str) -> bool:
    """Check a German tax id of 11 digits (ISO/IEC 7064, MOD 11,10)."""
    product = 10
    for digit in digits[:-1]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[-1])


def indian_aadhaar(digits: str) -> bool:
    """Check an Aadhaar number of 12 digits (Verhoeff)."""
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
