"""The files that move when a page, a folder or a file gets another name, and what refuses that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from builder import paths
from builder.diagnostics import did_you_mean
from builder.errors import TwinpressError
from builder.paths import DOCS, PAGE_SUFFIXES, fold
from builder.store import PageFile
from builder.store.names import is_content, is_site_file, other_fault
from builder.unicode import normal


class RefusedMove(TwinpressError):
    """The move cannot be made: there is nothing to move, or something is in its way."""


class NothingToMove(RefusedMove):
    """There is no page, folder or file of this name."""


class Relocation(Struct, frozen=True):
    """Each file by its name on disk, with its new one. `pages` and `folders` have new paths by old ones.

    `left` are files of the folders that are none of the site's, which stay.
    """

    files: Mapping[str, str]
    pages: Mapping[str, str] = {}
    folders: Mapping[str, str] = {}
    left: tuple[str, ...] = ()

    def path(self, path: str) -> str:
        """Return the content path of a page, or of a folder, after the move."""
        if path in self.pages:
            return self.pages[path]
        for old, new in self.folders.items():
            if paths.is_within(path, old):
                return new + path[len(old) :]
        return path

    def is_apart_from(self, other: Relocation) -> bool:
        """Return whether both may be made in any order: neither is in what the other takes or gives.

        False for a file that is neither a page nor in a folder that moves.
        """
        own, others = self._places(), other._places()
        pairs = ((one, another) for one in own for another in others)
        return bool(own and others) and not any(
            paths.is_within(fold(one), fold(another)) or paths.is_within(fold(another), fold(one))
            for one, another in pairs
        )

    def _places(self) -> tuple[str, ...]:
        return tuple(path for pair in (*self.pages.items(), *self.folders.items()) for path in pair)


def relocations(
    pages: Sequence[PageFile], names: Sequence[str], moves: Sequence[tuple[str, str]]
) -> list[Relocation]:
    """Return which files move for each OLD that is to be NEW. Raises RefusedMove and InvalidPath.

    `names` are all files of the site as they are on disk, hidden ones too.
    """
    relocating = _Relocating(pages, names)
    return [relocating.found(old, new) for old, new in moves]


def joined(found: Sequence[Relocation]) -> Relocation:
    """Return several relocations as one; they are apart from each other."""
    files, pages, folders = dict[str, str](), dict[str, str](), dict[str, str]()
    for one in found:
        files |= one.files
        pages |= one.pages
        folders |= one.folders
    return Relocation(files, pages, folders, tuple(file for one in found for file in one.left))


def free_name(names: Sequence[str], file: str) -> bool:
    """Return whether no file has this name, in whatever case."""
    return fold(file) not in set(map(fold, names))


class _Relocating:
    def __init__(self, pages: Sequence[PageFile], names: Sequence[str]) -> None:
        self._pages = pages
        self._names = {normal("NFC", name): name for name in names}
        self._folders = {name[:at] for name in self._names for at in _slashes(name)}

    def found(self, old: str, new: str) -> Relocation:
        asked, name = _tidy(old), _tidy(new)
        page = next((each for each in self._pages if asked in (each.path, normal("NFC", each.file))), None)
        is_folder = asked in self._folders
        if page and is_folder and asked == page.path and not old.endswith("/"):
            hint = f"write `{page.file}` for the page, or `{asked}/` for the folder"
            raise RefusedMove("there is a page and a folder of this name", path=asked, hint=hint)
        into = new.endswith("/")
        if page and not (is_folder and old.endswith("/")):
            found = self._page(page, name, into=into)
        elif is_folder:
            found = self._folder(asked, name, into=into)
        elif asked in self._names:
            found = self._file(asked, name, into=into)
        else:
            known = [each.path for each in self._pages]
            hint = (
                did_you_mean(asked, known) or "name a page, a folder or a file, such as `docs/guide/install`"
            )
            raise NothingToMove("there is no such page, folder or file", path=asked or old, hint=hint)
        self._refuse_taken(found)
        return found

    def _page(self, page: PageFile, name: str, *, into: bool) -> Relocation:
        suffix = next(each for each in PAGE_SUFFIXES if page.file.endswith(each))
        if into:
            name = f"{name}/{page.path.rpartition('/')[2]}"
        given = next((each for each in PAGE_SUFFIXES if name.endswith(each)), suffix)
        if given != suffix:
            raise RefusedMove(f"the page is written as `{suffix}`, which a move leaves", path=name)
        path = paths.parse(name.removesuffix(suffix))
        if path == page.path:
            raise RefusedMove("it is there already", path=path)
        if path in self._folders and not into and given not in name:
            hint = f"write `{path}/` to move it into the folder, or `{path}{suffix}` for a page beside it"
            if f"{path}{suffix}" != name:
                raise RefusedMove("there is a folder of this name", path=path, hint=hint)
        files = {page.file: f"{path}{suffix}"}
        if page.twin_file:
            files[page.twin_file] = f"{path}{paths.TWIN_SUFFIX}"
        return Relocation(files, pages={page.path: path})

    def _folder(self, old: str, name: str, *, into: bool) -> Relocation:
        if into:
            name = f"{name}/{old.rpartition('/')[2]}"
        if "/" not in old or not old.startswith(f"{DOCS}/"):
            raise RefusedMove("this folder stays where it is", path=old, hint="move a folder below `docs`")
        new = paths.parse_folder(name)
        if paths.is_within(new, old):
            raise RefusedMove("a folder cannot move into itself", path=new)
        if fold(new) == fold(old):
            hint = "move it to another name, and from there to this one"
            raise RefusedMove(
                "both names differ only in case, as not every system can tell", path=new, hint=hint
            )
        if new in self._folders:
            hint = f"write `{new}/` to move it into that folder"
            raise RefusedMove("there is a folder of this name", path=new, hint=hint)
        inside = {nfc: name for nfc, name in self._names.items() if nfc.startswith(f"{old}/")}
        files = {name: new + nfc[len(old) :] for nfc, name in inside.items() if is_site_file(nfc)}
        for file in files.values():
            if is_content(file) and "/_" not in file:
                paths.parse(_stem(file))
        return Relocation(files, folders={old: new}, left=tuple(sorted(set(inside.values()) - files.keys())))

    def _file(self, old: str, name: str, *, into: bool) -> Relocation:
        base = old.rpartition("/")[2]
        new = normal("NFC", f"{name}/{base}" if into else name)
        if not is_site_file(old) or old.endswith(tuple(f"/{each}" for each in _CATEGORIES)) or "/" not in old:
            raise RefusedMove(
                "this file stays where it is", path=old, hint="name a page, a folder or an image"
            )
        if new == old:
            raise RefusedMove("it is there already", path=new)
        if new in self._folders:
            hint = f"write `{new}/` to move it into the folder"
            raise RefusedMove("there is a folder of this name", path=new, hint=hint)
        is_part = is_content(old)
        fault = "" if is_part else other_fault(new)
        if is_part and not (is_content(new) and ("/_" in new or new.startswith("_"))):
            fault = (
                "a part has a `_` before its name, or before that of its folder, and ends in `.mdx` or `.md`"
            )
        if fault:
            raise RefusedMove(fault, path=new)
        return Relocation({self._names[old]: new})

    @cached_property
    def _taken(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The names that are taken, in whatever case: each by its name on disk, and as it is told."""
        found: dict[str, list[tuple[str, str]]] = {}
        for each in self._pages:
            found.setdefault(fold(each.path), []).append((each.file, each.file))
        for nfc, name in self._names.items():
            found.setdefault(fold(nfc), []).append((name, nfc))
        return found

    def _refuse_taken(self, found: Relocation) -> None:
        """Refuse a new name that a file has already, in whatever case, and a page beside itself."""
        for file in found.files.values():
            is_page = is_content(file) and not file.endswith(paths.TWIN_SUFFIX)
            keys = {fold(file), fold(_stem(file)) if is_page else fold(file)}
            there = (each for key in sorted(keys, reverse=True) for each in self._taken.get(key, ()))
            told = next((told for name, told in there if name not in found.files), None)
            if told is not None:
                raise RefusedMove(f"`{told}` is there already", path=file, hint="use another name")


_CATEGORIES = ("_category_.yml", "_category_.yaml", "_category_.json")
_Read = Callable[[str], bytes]


def _stem(file: str) -> str:
    for suffix in (paths.TWIN_SUFFIX, *PAGE_SUFFIXES):
        if file.endswith(suffix):
            return file.removesuffix(suffix)
    return file


def _slashes(name: str) -> list[int]:
    return [at for at, char in enumerate(name) if char == "/"]


def _tidy(text: str) -> str:
    """A path as it is typed: with `./` before it, or a slash at its end."""
    return normal("NFC", text).removeprefix("./").rstrip("/")
