from __future__ import annotations

from collections.abc import Callable

import pytest

from cairn.detection import check_digits

# Specimens that issuers and registries publish.
SPECIMENS = [
    (check_digits.luhn, "4111111111111111"),
    (check_digits.luhn, "378282246310005"),
    (check_digits.iban, "DE89370400440532013000"),
    (check_digits.iban, "GB82WEST12345698765432"),
    (check_digits.french_nir, "255081416802538"),
    (check_digits.spanish_dni, "12345678Z"),
    (check_digits.spanish_dni, "X1234567L"),
    (check_digits.brazilian_cpf, "52998224725"),
    (check_digits.german_tax_id, "86095742719"),
    (check_digits.indian_aadhaar, "234123412346"),
    (check_digits.bitcoin, "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"),
]


@pytest.mark.parametrize(("check", "number"), SPECIMENS)
def test_a_specimen_passes_its_check(check: Callable[[str], bool], number: str) -> None:
    assert check(number)


@pytest.mark.parametrize(("check", "number"), SPECIMENS)
def test_a_wrong_digit_in_the_middle_fails_it(check: Callable[[str], bool], number: str) -> None:
    place = next(at for at in range(len(number) // 2, len(number)) if number[at].isdigit())
    others = set("123456789") - {number[place]}

    assert not any(check(f"{number[:place]}{digit}{number[place + 1 :]}") for digit in others)


def test_a_cpf_of_one_digit_throughout_is_none() -> None:
    assert not check_digits.brazilian_cpf("11111111111")
