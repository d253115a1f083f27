"""List and call Cairn's catalog for MCP clients, and show as resources and prompts what its reading tools tell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cairn
from cairn.edge import problems, schema
from cairn.ground.errors import VERBATIM, CairnError, Disabled
from cairn.tool.call import MEMORY_ACTIONS, Call, execute
from cairn.tool.catalog import only
from cairn.tool.tool import Tool, visible
from cairn_mcp import page
from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.library import Asked, Partial
from cairn_mcp.profiles import WHOLE, Profile
from cairn_mcp.reader import Reader
from cairn_mcp.server import Server, ToolCall


def server(profile: Profile) -> Server:
    """Return the server as the clients of a profile are told of it."""
    return Server(name="cairn", title="Cairn memory", version=cairn.__version__, instructions=profile.instructions)


@dataclass(frozen=True, slots=True)
class CatalogTools:
    """Calls the tools of a profile in this process, for one caller.

    Resources, prompts and completions are the same in every profile: they cost a client's prompts nothing. A
    client that shows pages is told of the page too, and of its tools.
    """

    catalog: Sequence[Tool]
    context: Call
    profile: Profile = WHOLE

    def with_pages(self) -> CatalogTools:
        """Return the toolbox as a client that shows pages is told of it."""
        return replace(self, profile=self.profile.with_page(page.TOOLS))

    def listing(self) -> Sequence[Mapping[str, Any]]:
        """Return the listed tools that the caller may use, in the catalog's order."""
        offered = self.profile.listed(self.catalog)
        told = set[tuple[str, str]]()
        return [self._described(tool, told) for tool in visible(offered, self.context)]

    def call(self, call: ToolCall) -> Mapping[str, Any]:
        """Return the tool's answer, or its failure as a result the model can act on.

        RpcError for a tool that does not exist; one that is switched off or not of the profile looks the same. Of these
        the memory actions' is a result.
        """
        found = only(self.catalog, call.name)
        tools = self.profile.tools(found)
        try:
            answer = execute(tools, call.name, call.arguments, self.context)
        except CairnError as error:
            if (isinstance(error, Disabled) and call.name not in MEMORY_ACTIONS) or len(tools) < len(found):
                raise RpcError(INVALID_PARAMS, "Unknown tool: tools/list names those there are") from None
            return _result(_advice(error), problems.envelope(error), failed=True)
        told = _result(_words(answer, in_words=self.profile.in_words), answer, failed=False)
        return told | {"_meta": {page.MAY: self._may()}} if self._shows_pages and call.name == page.SHOWN else told

    def resources(self, cursor: str | None) -> Mapping[str, Any]:
        """Return a page of what the caller may read."""
        from cairn_mcp.resources import Resources  # noqa: PLC0415 - most processes are asked for tools alone

        listed = Resources(self._reader).page(cursor)
        if not self._shows_pages or cursor is not None or not self._reader.may(page.SHOWN):
            return listed
        return {**listed, "resources": [page.LISTED, *listed["resources"]]}

    def templates(self) -> Sequence[Mapping[str, Any]]:
        """Return how the URIs of resources are made."""
        from cairn_mcp.resources import TEMPLATES  # noqa: PLC0415 - as above

        return TEMPLATES

    def read(self, uri: str) -> Mapping[str, Any]:
        """Return what a resource holds; one that the caller may not read is missing."""
        from cairn_mcp.resources import Resources  # noqa: PLC0415 - as above

        if uri == page.URI and self._reader.may(page.SHOWN):
            return page.read()
        return Resources(self._reader).read(uri)

    def prompts(self) -> Sequence[Mapping[str, Any]]:
        """Return the prompts."""
        from cairn_mcp.prompts import listed  # noqa: PLC0415 - as above

        return listed(self._reader)

    def prompt(self, asked: Asked) -> Mapping[str, Any]:
        """Return a prompt with what memory holds about it."""
        from cairn_mcp.prompts import filled  # noqa: PLC0415 - as above

        return filled(self._reader, asked)

    def complete(self, partial: Partial) -> Mapping[str, Any]:
        """Return what an argument may go on as."""
        from cairn_mcp.completions import completed  # noqa: PLC0415 - as above

        return completed(self._reader, partial)

    @property
    def _shows_pages(self) -> bool:
        return bool(self.profile.on_page)

    @property
    def _reader(self) -> Reader:
        return Reader(self.catalog, self.context)

    def _described(self, tool: Tool, told: set[tuple[str, str]]) -> dict[str, Any]:
        """Return the `Tool` object, with what its host is told if it is of the page; no model reads the hidden."""
        if tool.name not in self.profile.on_page:
            return _describe(tool, self.profile, self.context, told)
        heard = set[tuple[str, str]]() if page.is_hidden(tool.name) else told
        return page.described(_describe(tool, self.profile, self.context, heard))

    def _may(self) -> list[str]:
        """Return which of the page's tools the caller may use."""
        used = [tool for tool in self.profile.tools(self.catalog) if tool.name in page.USED]
        return [tool.name for tool in visible(used, self.context)]


def _describe(tool: Tool, profile: Profile, context: Call, told: set[tuple[str, str]]) -> dict[str, Any]:
    """Return the `Tool` object; a field that the request names need not be an argument, a bound one is none at all.

    What tools before it have told of a field of its name, in the same words, is not told again.
    """
    takes, caller = schema.listed(tool.input_schema()), context.caller
    named = {name: each for name, each in takes["properties"].items() if name not in caller.bound}
    shown = {name: _once(name, each, told) for name, each in named.items() if profile.shows(tool, name)}
    wanted = dict.fromkeys([*takes.get("required", ()), *(["user_id"] if caller.users and "user_id" in shown else [])])
    required = [name for name in wanted if name in shown and name not in context.known_names]
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.summary,
        "inputSchema": {**takes, "properties": shown, "required": required},
        "annotations": _hints(tool),
    }


def _once(name: str, field: dict[str, Any], told: set[tuple[str, str]]) -> dict[str, Any]:
    """Return a field without its description where that was told, and note it where it was not."""
    said = (name, str(field.get("description")))
    if said in told:
        return {key: value for key, value in field.items() if key != "description"}
    told.add(said)
    return field


def _hints(tool: Tool) -> dict[str, bool]:
    """Return the annotations; what is left out is as the specification has it then, or means nothing of a reader."""
    if tool.read_only:
        return {"readOnlyHint": True, "openWorldHint": False}
    return {"destructiveHint": tool.destructive, "idempotentHint": tool.idempotent, "openWorldHint": False}


def _words(answer: Mapping[str, Any], *, in_words: bool) -> str:
    """Return what a model reads of an answer: the text where it was asked for as one, or else JSON."""
    text = answer.get("text")
    if isinstance(text, str) and (in_words or "input_items" in answer):
        return text
    return json.dumps(answer, ensure_ascii=False)


def _result(text: str, structured: Mapping[str, Any], *, failed: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": failed}


def _advice(error: CairnError) -> str:
    if error.details.get(VERBATIM):
        return error.message
    advice = "\nTry again with the same arguments." if error.retryable else ""
    return f"{error.code}: {error.message}{advice}"
