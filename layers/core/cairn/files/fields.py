"""Fields that the tools of memory files take and give: whose files, paths, versions and operations."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, cast

from pydantic import Field, ValidationInfo, model_validator

from cairn.edge.fields import ProjectInput, SessionName, UserName, with_defaults
from cairn.edge.validation import refused
from cairn.files import commands, owners
from cairn.files.commands import Command, View
from cairn.files.memory_files import Condition
from cairn.files.receipts import Operation
from cairn.ground import codec
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Tenant
from cairn.ground.session import Session

_MOST_PATH: Final = 1024
_MOST_ID: Final = 512

_TAKES: Final = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
_MAKES: Final[Mapping[str, type[Any]]] = {
    "view": View,
    "create": commands.Create,
    "str_replace": commands.StrReplace,
    "insert": commands.Insert,
    "delete": commands.Remove,
    "rename": commands.Rename,
}

Path: TypeAlias = Annotated[str, Field(max_length=_MOST_PATH)]
Whose: TypeAlias = Literal["session", "user", "project"]
OperationId: TypeAlias = Annotated[
    str | None,
    Field(min_length=1, max_length=_MOST_ID, description="This call's id: made again with it, it is done once."),
]
ExpectedVersion: TypeAlias = Annotated[
    int | None, Field(ge=0, description="Only if the file has this version now; 0: if there is none.")
]
Version: TypeAlias = Annotated[int | None, Field(description="The file's version; null where there is no file.")]
Replayed: TypeAlias = Annotated[bool, Field(description="The operation was done before, and nothing was changed.")]


class OwnerInput(ProjectInput):
    """What a tool takes that is about someone's files."""

    user_id: Annotated[UserName | None, Field(description="Whose files.")] = None
    session_id: Annotated[SessionName | None, Field(description="The conversation whose files, if no user's.")] = None
    whose: Annotated[
        Whose | None, Field(description="Of those named: the user's, or else the session's, or else the project's.")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: object, info: ValidationInfo) -> object:
        """Let no session be named by default: its files would take the place of the project's."""
        filled = with_defaults(data, info)
        if not isinstance(data, dict) or not isinstance(filled, dict) or "session_id" in data:
            return cast("object", filled)
        named = cast("dict[str, object]", filled)
        return {name: value for name, value in named.items() if name != "session_id"}

    def owner(self, tenant: Tenant) -> Session:
        """Return whose files are meant, as the tenant's; InvalidArgument where `whose` asks for who is not named."""
        wanted = self.whose or ("user" if self.user_id else "session" if self.session_id else "project")
        if wanted == "project":
            return owners.of_project(tenant, self.project)
        if wanted == "user":
            if self.user_id is None:
                raise InvalidArgument("user_id", "is required for a user's files")
            return owners.of_user(tenant, self.project, self.user_id)
        if self.session_id is None:
            raise InvalidArgument("session_id", "is required for a session's files")
        return Session(tenant, self.project, self.session_id)


class ChangeInput(OwnerInput):
    """What a tool takes that changes files."""

    expected_version: ExpectedVersion = None
    operation_id: OperationId = None

    def condition(self, arguments: Any, fingerprint: str | None = None) -> Condition:
        """Return what the change holds to; what stands for its arguments is a hash of them, unless it is given."""
        if self.operation_id is None:
            return Condition(version=self.expected_version)
        stands_for = fingerprint or sha256(codec.canonical(arguments)).hexdigest()
        return Condition(version=self.expected_version, operation=Operation(self.operation_id, stands_for))


class CommandInput(ChangeInput):
    """A command and what it takes."""

    command: Annotated[
        Literal["view", "create", "str_replace", "insert", "delete", "rename"], Field(description="What to do.")
    ]
    path: Annotated[Path | None, Field(description="Such as /memories/notes.md; for all but rename.")] = None
    view_range: Annotated[list[int] | None, Field(description="For view: first and last line, -1 for the end.")] = None
    file_text: Annotated[str | None, Field(description="For create: what the file shall hold.")] = None
    old_str: Annotated[str | None, Field(description="For str_replace: text that is in the file once.")] = None
    new_str: Annotated[str | None, Field(description="For str_replace: what takes its place.")] = None
    insert_line: Annotated[int | None, Field(description="For insert: after which line; 0 for the beginning.")] = None
    insert_text: Annotated[str | None, Field(description="For insert: the text.")] = None
    old_path: Annotated[Path | None, Field(description="For rename: what to move.")] = None
    new_path: Annotated[Path | None, Field(description="For rename: where to.")] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name in _TAKES[self.command]:
            if getattr(self, name) is None:
                raise refused(f"is required for {self.command}", name)
        return self

    def given(self) -> dict[str, Any]:
        """Return what the command takes."""
        return {name: getattr(self, name) for name in _TAKES[self.command]}

    def made(self) -> Command | View:
        """Return the command."""
        given = self.given()
        if self.command == "view":
            given["view_range"] = self.view_range
        return _MAKES[self.command](**given)
