from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.urls import responses_url


@pytest.mark.parametrize(
    ("base_url", "endpoint"),
    [
        pytest.param("https://h.example/v1/responses", "https://h.example/v1/responses", marks=pytest.mark.req("R066")),
        pytest.param("https://h.example/v1/responses/", "https://h.example/v1/responses"),
        pytest.param("https://h.example", "https://h.example/v1/responses", marks=pytest.mark.req("R067")),
        pytest.param("https://h.example/", "https://h.example/v1/responses", marks=pytest.mark.req("R067")),
        pytest.param("https://h.example/v1", "https://h.example/v1/responses", marks=pytest.mark.req("R067")),
        pytest.param("https://h.example/v1/", "https://h.example/v1/responses", marks=pytest.mark.req("R067")),
        pytest.param("https://h.example/api", "https://h.example/api/v1/responses"),
        pytest.param("https://h.example:8443/api/v1", "https://h.example:8443/api/v1/responses"),
        pytest.param("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/responses"),
        pytest.param("http://[::1]:8000/v1", "http://[::1]:8000/v1/responses"),
        pytest.param("http://localhost", "http://localhost/v1/responses"),
    ],
)
def test_a_base_url_leads_to_the_responses_endpoint(base_url: str, endpoint: str) -> None:
    assert responses_url(base_url) == endpoint


@pytest.mark.parametrize(
    "base_url",
    [
        pytest.param("https://h.example?key=1", marks=pytest.mark.req("R068")),
        pytest.param("https://h.example/v1#part", marks=pytest.mark.req("R068")),
        pytest.param("https://h.example/v1?", marks=pytest.mark.req("R068")),
        "",
        "h.example/v1",
        "//h.example",
        "https:///v1",
        "ftp://h.example",
        pytest.param("http://h.example", marks=pytest.mark.req("R266")),
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        pytest.param("https://user:secret@h.example", marks=pytest.mark.req("R266")),
        "https://user@h.example",
        "https://h.example:port",
        "https://h.example:99999",
        "https://[::1",
        "https://h.example\\@evil.example",
        "https://h .example",
        "https://h.example\n",
    ],
)
def test_a_base_url_that_could_lead_astray_is_refused(base_url: str) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        responses_url(base_url)


@given(st.text(max_size=80))
def test_any_text_is_an_endpoint_or_refused_without_being_quoted(text: str) -> None:
    try:
        assert responses_url(text).endswith("/v1/responses")
    except ValueError as error:
        assert str(error).startswith("must ")  # noqa: PT017 - either outcome is right
