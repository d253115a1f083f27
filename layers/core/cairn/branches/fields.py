"""Fields that the tool of branches takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, Field, model_validator

from cairn.branches.model import Merged, named
from cairn.edge.fields import ProjectInput, SessionName
from cairn.edge.validation import refused
from cairn.ground import ids
from cairn.ground.ids import Project
from cairn.log.branches import Branch

Name = Annotated[
    str, Field(pattern="^[A-Za-z0-9_.-]{1,64}$", description="The branch's own name: 1-64 letters, digits, _, . or -.")
]


class BranchInput(ProjectInput):
    """What to do with which branch."""

    action: Annotated[Literal["create", "list", "merge", "drop"], Field(description="list needs no name.")]
    name: Name | None = None
    session_id: Annotated[SessionName | None, Field(description="create: a branch of this session alone.")] = None
    at: Annotated[
        AwareDatetime | None, Field(strict=False, description="create: as all was then; left out, as it is now.")
    ] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.name is None and self.action != "list":
            raise refused("is required, but to list", "name")
        return self

    @property
    def branch(self) -> Project:
        """Return what calls name to work on the branch."""
        return ids.branch_project(self.project, self.name or "")

    @property
    def key(self) -> str | None:
        """Return what the call's record says of it."""
        return None if self.name is None else named(self.action, self.name)


class BranchLine(BaseModel):
    """A branch."""

    project: Annotated[str, Field(description="What calls name as their project to work on the branch.")]
    at: Annotated[datetime, Field(description="Up to when it knows what its project knows, in UTC.")]
    session_id: Annotated[str | None, Field(description="The session that it is of; null: of the whole project.")]
    closing: Annotated[str, Field(description="merge or drop, where that began and is to be called again, else empty.")]

    @classmethod
    def of(cls, branch: Branch) -> BranchLine:
        """Return a branch as it is told."""
        return cls(
            project=branch.project,
            at=branch.at,
            session_id=branch.session_id,
            closing=branch.closing,
        )


class MergedLine(BaseModel):
    """What a branch brought to its project."""

    turns: Annotated[int, Field(description="Turns that came.")]
    changes: Annotated[int, Field(description="Changes that no turn made, such as memories kept or forgotten.")]
    left_out: Annotated[int, Field(description="Turns of an id that the project's session has already.")]

    @classmethod
    def of(cls, merged: Merged) -> MergedLine:
        """Return it as it is told."""
        return cls(turns=merged.turns, changes=merged.changes, left_out=merged.left_out)


class BranchesTold(BaseModel):
    """What was made, listed or merged."""

    branches: Annotated[list[BranchLine], Field(description="The one that was made, or all of the project.")]
    merged: Annotated[
        MergedLine | None, Field(description="merge: what came to the project, told again for a week.")
    ] = None
