"""Where `cairn serve` listens, and by which names it may be reached."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address

from cairn.ground.errors import SettingsError

LOOPBACK_HOST = "127.0.0.1"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """An IPv4 address of this machine, its ports, and the names beside its own that a request may be sent to.

    A second port, if there is one, is for clients that sign in; it stays on 127.0.0.1.
    """

    host: str = LOOPBACK_HOST
    port: int = 8787
    oauth_port: int | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse, with SettingsError, what is no IPv4 address and what is no name; a wildcard is none."""
        try:
            IPv4Address(self.host)
        except AddressValueError:
            raise SettingsError("--host: must be an IPv4 address of this machine, or 0.0.0.0 for all of them") from None
        if any(not _NAME.fullmatch(each) for each in self.names):
            raise SettingsError("--allow-host: must be a name or an IPv4 address, without scheme, port or wildcard")

    @property
    def is_open(self) -> bool:
        """Tell whether other machines can reach it."""
        return not IPv4Address(self.host).is_loopback

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """Return the hosts that requests may name: a web page that points a name of its own here names another."""
        own = () if IPv4Address(self.host).is_unspecified else (self.host,)
        return tuple(dict.fromkeys((LOOPBACK_HOST, "localhost", *own, *self.names)))

    @property
    def shown_host(self) -> str:
        """Return the host of the address that is printed for clients."""
        if IPv4Address(self.host).is_unspecified:
            return next(iter(self.names), LOOPBACK_HOST)
        return self.host

    def warning(self) -> str | None:
        """Return what whoever opens it to other machines has to know; None where nobody else can reach it."""
        if not self.is_open:
            return None
        names = ", ".join(self.allowed_hosts)
        return (
            f"Warning: other machines can reach this server on {self.host}, and what is sent is not encrypted: put a "
            "proxy with TLS before it. Only the API key keeps others out; /healthz, /metrics and /v1/runtime-config "
            f"need none. It answers requests to {names} alone; --allow-host NAME adds one."
        )
