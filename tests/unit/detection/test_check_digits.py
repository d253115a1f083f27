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
    (check_digits.mod_11_10, "86095742719"),
    (check_digits.verhoeff, "234123412346"),
    (check_digits.ean, "4006381333931"),
    (check_digits.belgian, "85073003328"),
    (check_digits.baltic, "36805280109"),
    (check_digits.turkish, "17291716060"),
    (check_digits.luxembourgish, "1893120105732"),
    (check_digits.chilean, "760864285"),
    (check_digits.colombian, "2131234321"),
    (check_digits.italian, "RCCMNL83S18D969H"),
    (check_digits.mexican, "BOXW310820HNERXN09"),
    (check_digits.singaporean, "S1234567D"),
    (check_digits.taiwanese, "A123456789"),
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
