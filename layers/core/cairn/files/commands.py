"""The commands of the memory tool: what each takes, and what it makes of an owner's files as they are.

What is answered and refused, also of directories that stay empty, is as Anthropic's local tool has it. Where that one
fails with an error of the operating system, as for a path that leads through a file, InvalidArgument names the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cairn.files import memory_texts, paths
from cairn.files.memory_paths import PREFIX, stored
from cairn.files.memory_texts import Entry
from cairn.files.memory_tree import Changes, MemoryTree
from cairn.files.refusals import refused
from cairn.files.store import StoredFile
from cairn.ground.errors import CairnError, Conflict, InvalidArgument, NotFound

AT_ONCE = 15
"""How many files of a directory are deleted in one transaction of at most 100 writes."""


@dataclass(frozen=True, slots=True)
class View:
    """Show a directory, or lines of a file."""

    path: str
    view_range: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Create:
    """Make a file."""

    path: str
    file_text: str


@dataclass(frozen=True, slots=True)
class StrReplace:
    """Change the one place in a file where a text stands."""

    path: str
    old_str: str
    new_str: str


@dataclass(frozen=True, slots=True)
class Insert:
    """Put text behind a line of a file."""

    path: str
    insert_line: int
    insert_text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete a file, or a directory with all in it."""

    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Move a file or a directory."""

    old_path: str
    new_path: str


@dataclass(frozen=True, slots=True)
class Write:
    """Put a content in the place of a file's, which is made if absent; None deletes it. No command of the tool's."""

    path: str
    content: str | None


Command: TypeAlias = Create | StrReplace | Insert | Remove | Rename | Write


@dataclass(frozen=True, slots=True)
class Plan:
    """What a command changes and answers, and which file's version it tells; what it raises once that is stored.

    A plan that is not the `last` is carried out before the command is planned anew.
    """

    changes: Changes
    words: str = ""
    versioned: bool = True
    existed: bool = True
    error: CairnError | None = None
    last: bool = True


def target(command: Command | View) -> str:
    """Return where the file stands that a command is about; InvalidArgument names a path that cannot be."""
    return stored(command.old_path, "old_path") if isinstance(command, Rename) else stored(command.path)


def view(tree: MemoryTree, command: View) -> tuple[str, StoredFile | None]:
    """Return what is to be shown, and the file where it is one."""
    path = stored(command.path)
    tree.look(path)
    file = tree.file(path)
    if file is not None:
        return memory_texts.content(command.path, tree.content(path, file), command.view_range), file
    if not tree.is_directory(path):
        raise _missing(command.path)
    return memory_texts.listing(command.path, _entries(tree, path)), None


def planned(tree: MemoryTree, command: Command) -> Plan:
    """Return what a command comes to; the errors of commands are refusals in the words of the tool."""
    match command:
        case Create():
            return _create(tree, command)
        case StrReplace():
            path, text = _edited(tree, command.path)
            after, words = memory_texts.replaced(command.path, text, command.old_str, command.new_str)
            return Plan(Changes({path: _bytes("new_str", after)}), words)
        case Insert():
            path, text = _edited(tree, command.path)
            after, words = memory_texts.inserted(command.path, text, command.insert_line, command.insert_text)
            return Plan(Changes({path: _bytes("insert_text", after)}), words)
        case Remove():
            return _remove(tree, command)
        case Rename():
            return _rename(tree, command)
        case Write():
            return _write(tree, command)


def _create(tree: MemoryTree, command: Create) -> Plan:
    path = stored(command.path)
    tree.look(path)
    if tree.file(path) is not None or tree.is_directory(path):
        raise refused(Conflict("There is one already"), f"File {command.path} already exists")
    _check_way(tree, path)
    made = Changes({path: _bytes("file_text", command.file_text)}, tree.directories | _above(path))
    return Plan(made, f"File created successfully at: {command.path}", existed=False)


def _edited(tree: MemoryTree, named: str) -> tuple[str, str]:
    """Return where a file that is to be edited stands, and what it holds."""
    path = stored(named)
    tree.look(path)
    file = tree.file(path)
    if file is not None:
        return path, tree.content(path, file)
    if not tree.is_directory(path):
        raise _missing(named)
    raise refused(InvalidArgument("path", "is a directory"), f"The path {named} is not a file.")


def _remove(tree: MemoryTree, command: Remove) -> Plan:
    path = stored(command.path)
    if path == paths.MEMORIES:
        words = f"Cannot delete the {PREFIX} directory itself"
        raise refused(InvalidArgument("path", "stays"), words)
    tree.look(path)
    words, kept = f"Successfully deleted {command.path}", tree.directories | _above(path)
    if tree.file(path) is not None:
        return Plan(Changes({path: None}, kept), words, versioned=False)
    if not tree.is_directory(path):
        raise refused(NotFound("No such path"), f"The path {command.path} does not exist")
    files = tree.files_below(path)
    some, last = files[:AT_ONCE], len(files) <= AT_ONCE
    left = frozenset(each for each in kept if not _is_at(each, path)) if last else kept
    return Plan(Changes(dict.fromkeys(some), left), words, versioned=False, last=last)


def _rename(tree: MemoryTree, command: Rename) -> Plan:
    """Return the plan of a move; the directories on the way to its end are made whatever comes of it."""
    old, new = stored(command.old_path, "old_path"), stored(command.new_path, "new_path")
    if old == paths.MEMORIES:
        words = f"Cannot rename the {PREFIX} directory itself"
        raise refused(InvalidArgument("old_path", "stays"), words)
    tree.look(old, new, paths.directory_of(old))
    if tree.file(new) is not None or tree.is_directory(new):
        words = f"The destination {command.new_path} already exists"
        raise refused(Conflict("The destination is there"), words)
    is_blocked = tree.leads_through_a_file(new)
    if is_blocked and tree.file(paths.directory_of(new)) is None:
        raise _no_way("new_path")
    made = tree.directories if is_blocked else tree.directories | _above(new)
    error = _obstacle(tree, command, old, new, made)
    return _moved(tree, command, old, new, made) if error is None else Plan(Changes(directories=made), error=error)


def _obstacle(tree: MemoryTree, command: Rename, old: str, new: str, made: frozenset[str]) -> CairnError | None:
    """Return why what is at `old` cannot be moved, in the order in which an operating system finds out."""
    missing = refused(NotFound("No such path"), f"The path {command.old_path} does not exist")
    if tree.leads_through_a_file(old):
        return _no_way("old_path")
    if not tree.is_directory(paths.directory_of(old)) and paths.directory_of(old) not in made:
        return missing
    if tree.leads_through_a_file(new):
        return _no_way("new_path")
    if tree.file(old) is None and not tree.is_directory(old) and old not in made:
        return missing
    return InvalidArgument("new_path", "is within what is to be moved") if paths.is_below(new, old) else None


def _moved(tree: MemoryTree, command: Rename, old: str, new: str, made: frozenset[str]) -> Plan:
    held = _contents(tree, old)
    files = {f"{new}{path[len(old) :]}": content for path, content in held.items()}
    directories = {f"{new}{each[len(old) :]}" if _is_at(each, old) else each for each in made | _above(old)}
    is_file = tree.file(old) is not None
    after = frozenset(directories if is_file else {*directories, new})
    changes = Changes({**dict.fromkeys(held), **files}, after, frozenset(held))
    return Plan(changes, f"Successfully renamed {command.old_path} to {command.new_path}", versioned=is_file)


def _no_way(field: str) -> InvalidArgument:
    return InvalidArgument(field, "leads through a file")


def _write(tree: MemoryTree, command: Write) -> Plan:
    path = stored(command.path)
    tree.look(path)
    existed = tree.file(path) is not None
    if not existed and tree.is_directory(path):
        raise InvalidArgument("path", "is a directory")
    if command.content is None:
        changes = Changes({path: None}, tree.directories | _above(path)) if existed else Changes()
        return Plan(changes, versioned=False, existed=existed)
    _check_way(tree, path)
    content = _bytes("content", command.content)
    return Plan(Changes({path: content}, tree.directories | _above(path)), existed=existed)


def _contents(tree: MemoryTree, path: str) -> Mapping[str, bytes]:
    """Return what the file at a path holds, or all those in the directory there."""
    wanted = [path] if tree.file(path) is not None else tree.files_below(path)
    tree.look_at_files(wanted)
    held = ((each, tree.file(each)) for each in wanted)
    return {each: tree.content(each, file).encode() for each, file in held if file is not None}


def _entries(tree: MemoryTree, path: str) -> Iterable[Entry]:
    def names(each: str) -> tuple[str, ...]:
        return tuple(map(paths.decoded, each[len(path) + 1 :].split("/")))

    directories = {each for each in tree.directories if paths.is_below(each, path)}
    for info in tree.infos_below(path):
        file = tree.relative(info)
        directories.update(each for each in paths.ancestors(file) if paths.is_below(each, path))
        yield Entry(names(file), info.size)
    yield from (Entry(names(each)) for each in directories)


def _check_way(tree: MemoryTree, path: str) -> None:
    if tree.leads_through_a_file(path):
        raise _no_way("path")


def _missing(named: str) -> CairnError:
    return refused(NotFound("No such path"), f"The path {named} does not exist. Please provide a valid path.")


def _bytes(field: str, content: str) -> bytes:
    try:
        return content.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(field, "must be text that UTF-8 can hold") from None


def _above(path: str) -> frozenset[str]:
    """Return the directories on the way to a path, without the root."""
    return frozenset(each for each in paths.ancestors(path) if each not in {"", paths.MEMORIES})


def _is_at(path: str, directory: str) -> bool:
    return path == directory or paths.is_below(path, directory)
