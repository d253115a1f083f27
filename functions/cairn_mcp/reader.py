"""Read for a client what tools tell: each call is admitted, recorded and counted as any call of the tool is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cairn.edge import problems
from cairn.ground.errors import CairnError, Disabled, InvalidArgument, NotFound, PermissionDenied
from cairn.tool.call import Call, execute
from cairn.tool.catalog import only
from cairn.tool.tool import Tool, visible
from cairn_mcp.jsonrpc import INTERNAL_ERROR, RpcError


@dataclass(frozen=True, slots=True)
class Reader:
    """Calls tools that read, as one caller."""

    catalog: Sequence[Tool]
    context: Call

    def told(self, tool: str, **arguments: object) -> dict[str, Any] | None:
        """Return a tool's answer, None where the caller may not call it so or there is nothing; RpcError if it fails.

        Arguments that are None are left out.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            return execute(self.catalog, tool, given, self.context)
        except (Disabled, InvalidArgument, NotFound, PermissionDenied):
            return None
        except CairnError as error:
            status, headers = problems.http_status(error), problems.headers(error)
            raise RpcError(
                INTERNAL_ERROR, error.message, problems.envelope(error), status=status, headers=headers
            ) from None

    def may(self, tool: str) -> bool:
        """Tell whether the caller may call a tool at all."""
        return bool(visible(only(self.catalog, tool), self.context))

    @property
    def project(self) -> str | None:
        """Return the project that the request names, or that the caller is bound to."""
        return self.context.known_names.get("project")

    @property
    def users(self) -> tuple[str, ...]:
        """Return whom the caller speaks for: the user that is named, or else all that it is bound to."""
        named = self.context.known_names.get("user_id")
        return self.context.caller.users if named is None else (named,)
