"""A cluster's API on the loopback interface: good ones, and every way in which one can be amiss."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from socket import socket
from typing import Any, cast

import pytest

from cairn.ground.errors import CairnError, NotFound, PayloadTooLarge, PermissionDenied, SettingsError, Unavailable
from cairn.ground.settings import ClusterSettings
from cairn_sandbox import cluster
from cairn_sandbox.cluster import Cluster
from support.loopback import certified
from support.sandbox import Answer, Api, Exchange, Serve, pod, pod_list, says

pytestmark = pytest.mark.enable_socket

TOKEN = "canary-token-51c2"
PATIENCE_SECONDS = 8.0
"""How long a server keeps a caller waiting at most: far longer than any deadline of these tests."""


class FakeToken:
    """A token that counts how often it is given up."""

    def __init__(self, text: str = TOKEN) -> None:
        self.text = text
        self.forgotten = 0

    def read(self) -> str:
        return self.text

    def forget(self) -> None:
        self.forgotten += 1


def connected(api: Api, token: FakeToken | None = None, **knobs: Any) -> Cluster:
    return Cluster(ClusterSettings(base_url=api.url, **knobs), token or FakeToken())


def test_the_pods_of_a_namespace_are_read_with_the_token(serve: Serve) -> None:
    api = serve(says(pod_list(pod("a"), pod("b"))))

    assert connected(api).pods("shop") == [pod("a"), pod("b")]
    assert api.asked == [("/api/v1/namespaces/shop/pods?limit=200", f"Bearer {TOKEN}")]


def test_one_pod_is_read_by_its_name(serve: Serve) -> None:
    api = serve(says(pod("a")))

    assert connected(api).pod("shop", "a") == pod("a")
    assert [path for path, _ in api.asked] == ["/api/v1/namespaces/shop/pods/a"]


def test_a_name_cannot_lead_elsewhere(serve: Serve) -> None:
    api = serve(says(pod_list()))

    connected(api).pods("../secrets?x=1")
    connected(api).pod("shop", "a/log")

    assert [path for path, _ in api.asked] == [
        "/api/v1/namespaces/..%2Fsecrets%3Fx%3D1/pods?limit=200",
        "/api/v1/namespaces/shop/pods/a%2Flog",
    ]


def test_warnings_are_those_about_pods_or_about_the_one(serve: Serve) -> None:
    api = serve(says(pod_list(kind="EventList")))

    connected(api).warnings("shop", None)
    connected(api).warnings("shop", "a")

    path, selector = "/api/v1/namespaces/shop/events", "involvedObject.kind%3DPod%2Ctype%3DWarning"
    assert [asked for asked, _ in api.asked] == [
        f"{path}?fieldSelector={selector}&limit=200",
        f"{path}?fieldSelector={selector}%2CinvolvedObject.name%3Da&limit=200",
    ]


def test_an_api_below_a_path_is_asked_below_it(serve: Serve) -> None:
    api = serve(says(pod_list()))
    below = ClusterSettings(base_url=f"{api.url}/k8s/clusters/c-1/")

    assert Cluster(below, FakeToken()).pods("shop") == []
    assert api.asked[0][0].startswith("/k8s/clusters/c-1/api/v1/namespaces/shop/pods?")


def test_a_long_list_is_read_page_by_page_to_its_end(serve: Serve) -> None:
    pages: dict[str | None, tuple[list[str], str]] = {
        None: (["a", "b"], "one/two=="),
        "one%2Ftwo%3D%3D": (["c"], "3"),
        "3": ([], ""),
    }

    def page(exchange: Exchange) -> None:
        found = re.search(r"continue=([^&]+)", exchange.path)
        names, following = pages[found[1] if found else None]
        exchange.say({**pod_list(*map(pod, names)), "metadata": {"continue": following}})

    api = serve(page)

    assert [each["metadata"]["name"] for each in cast("list[Any]", connected(api).pods("shop"))] == ["a", "b", "c"]
    assert len(api.asked) == 3
    assert all("limit=200" in path for path, _ in api.asked)


REFUSALS: dict[int, tuple[type[CairnError], str]] = {
    401: (Unavailable, "refuses its token"),
    403: (PermissionDenied, "may not read"),
    404: (Unavailable, "no cluster's API"),
    410: (Unavailable, "status 410"),
    429: (Unavailable, "status 429"),
    500: (Unavailable, "status 500"),
    503: (Unavailable, "status 503"),
    204: (Unavailable, "status 204"),
    799: (Unavailable, "status 799"),
}


@pytest.mark.parametrize("status", REFUSALS)
def test_every_refusal_is_an_error_that_repeats_nothing_of_the_answer(status: int, serve: Serve) -> None:
    kind, said = REFUSALS[status]

    with pytest.raises(kind, match=said) as raised:
        connected(serve(says({"message": f"canary {TOKEN}"}, status))).pods("shop")

    assert "canary" not in f"{raised.value} {raised.value.details} {raised.value.__cause__} {raised.value.__context__}"


def test_a_pod_that_is_not_there_is_not_found(serve: Serve) -> None:
    with pytest.raises(NotFound):
        connected(serve(says({"kind": "Status"}, 404))).pod("shop", "absent")


def test_a_denied_namespace_is_named(serve: Serve) -> None:
    with pytest.raises(PermissionDenied) as raised:
        connected(serve(says({}, 403))).pods("shop")

    assert raised.value.details == {"namespace": "shop", "operation": "read"}


def test_a_refused_token_is_given_up_so_that_a_new_one_can_come(serve: Serve) -> None:
    refused, accepted = FakeToken(), FakeToken()

    with pytest.raises(Unavailable):
        connected(serve(says({}, 401)), refused).pods("shop")
    connected(serve(says(pod_list())), accepted).pods("shop")

    assert (refused.forgotten, accepted.forgotten) == (1, 0)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_and_the_token_goes_nowhere_else(status: int, serve: Serve) -> None:
    elsewhere = serve(says(pod_list(pod())))
    api = serve(says({}, status, Location=f"{elsewhere.url}/api/v1/namespaces/shop/pods"))

    with pytest.raises(Unavailable, match=f"status {status}"):
        connected(api).pods("shop")

    assert elsewhere.asked == []


BROKEN: dict[str, Answer] = {
    "no JSON": says(b"<html>canary"),
    "no text": says(b'{"a": "\xff"}'),
    "JSON nested 100,000 deep": says(b"[" * 100_000),
    "a list instead of an object": says([]),
    "items that are no list": says({"items": {"a": 1}}),
    "metadata that is no object": says({"items": [], "metadata": [1]}),
    "no HTTP": lambda exchange: exchange.wfile.write(b"canary\r\n\r\n"),
    "no word at all": lambda exchange: exchange.connection.close(),
    "an end before the end": lambda exchange: exchange.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}"),
    "a chunk that ends early": lambda exchange: exchange.wfile.write(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{}"
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_answer_that_makes_no_sense_is_unavailable(case: str, serve: Serve) -> None:
    with pytest.raises(Unavailable) as raised:
        connected(serve(BROKEN[case])).pods("shop")

    assert "canary" not in str(raised.value)


def test_more_bytes_than_the_bound_are_refused_over_all_pages(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(json.dumps({"items": [], "metadata": {"continue": "more"}}))
    monkeypatch.setattr(cluster, "MAX_BYTES", size * 3)
    api = serve(says({"items": [], "metadata": {"continue": "more"}}))

    with pytest.raises(PayloadTooLarge, match="name one"):
        connected(api).pods("shop")

    assert len(api.asked) == 4


def test_a_server_that_says_nothing_is_given_up(serve: Serve) -> None:
    began = time.monotonic()

    with pytest.raises(Unavailable, match="TimeoutError"):
        connected(serve(lambda exchange: exchange.api.ended.wait(PATIENCE_SECONDS)), timeout_ms=50).pods("shop")

    assert time.monotonic() - began < PATIENCE_SECONDS / 2


def test_a_body_that_trickles_is_given_up_when_the_time_is_over(serve: Serve) -> None:
    def trickle(exchange: Exchange) -> None:
        exchange.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
        given_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < given_up and not exchange.api.ended.wait(0.02):
            exchange.wfile.write(b" ")

    began = time.monotonic()

    with pytest.raises(Unavailable, match="TimeoutError"):
        connected(serve(trickle), timeout_ms=150).pods("shop")

    assert time.monotonic() - began < PATIENCE_SECONDS / 2


def test_pages_without_end_are_given_up_when_the_time_is_over(serve: Serve) -> None:
    with pytest.raises(Unavailable, match="TimeoutError"):
        connected(serve(says({"items": [], "metadata": {"continue": "more"}})), timeout_ms=150).pods("shop")


def test_an_address_where_nothing_listens_is_unavailable() -> None:
    with socket() as bound:
        bound.bind(("127.0.0.1", 0))
        silent = ClusterSettings(base_url=f"http://127.0.0.1:{bound.getsockname()[1]}")

        with pytest.raises(Unavailable, match="ConnectionRefusedError"):
            Cluster(silent, FakeToken()).pods("shop")


@pytest.mark.parametrize("token", ["", "two words", "line\r\nX-Other: 1", "schlüssel"])
def test_a_token_that_cannot_stand_in_a_header_is_a_wrong_setting_and_is_not_shown(token: str, serve: Serve) -> None:
    api = serve(says(pod_list()))

    with pytest.raises(SettingsError, match="token: must be") as raised:
        connected(api, FakeToken(token)).pods("shop")

    assert api.asked == []
    assert not token or token not in str(raised.value)


def test_a_token_that_cannot_be_had_is_not_blamed_on_the_cluster(serve: Serve) -> None:
    class Lost(FakeToken):
        def read(self) -> str:
            raise ValueError("GetSecretValue failed: ValidationException")

    with pytest.raises(ValueError, match="GetSecretValue"):
        connected(serve(says(pod_list())), Lost()).pods("shop")


def test_an_api_with_the_configured_certificate_is_asked(serve: Serve, tmp_path: Path) -> None:
    api = serve(says(pod_list(pod("a"))), certified(tmp_path / "certificate.pem"))
    public = (tmp_path / "certificate.pem").read_text(encoding="utf-8").partition("-----BEGIN CERT")
    ca_pem = public[1] + public[2]

    assert connected(api, ca_pem=ca_pem).pods("shop") == [pod("a")]


def test_an_api_with_any_other_certificate_never_gets_the_token(serve: Serve, tmp_path: Path) -> None:
    api = serve(says(pod_list()), certified(tmp_path / "certificate.pem"))

    with pytest.raises(Unavailable, match="SSLCertVerificationError"):
        connected(api).pods("shop")

    assert api.asked == []


def test_a_certificate_that_is_none_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match=r"^settings.mcp.cluster.ca_pem: "):
        Cluster(ClusterSettings(base_url="https://127.0.0.1:1", ca_pem="-----BEGIN CERTIFICATE-----"), FakeToken())
