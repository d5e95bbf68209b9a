"""The files that move when a page, a folder or a file gets another name, and what refuses that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
    """Each file by its name on disk, with its new one. `page` and `folder` are the old and new paths.

    `left` are files of the folder that are none of the site's, which stay.
    """

    files: Mapping[str, str]
    page: tuple[str, str] | None = None
    folder: tuple[str, str] | None = None
    left: tuple[str, ...] = ()

    def path(self, path: str) -> str:
        """Return the content path of a page, or of a folder, after the move."""
        if self.folder and paths.is_within(path, self.folder[0]):
            return self.folder[1] + path[len(self.folder[0]) :]
        return self.page[1] if self.page and path == self.page[0] else path


def relocation(pages: Sequence[PageFile], names: Sequence[str], old: str, new: str) -> Relocation:
    """Return which files move when OLD is to be NEW. Raises RefusedMove and InvalidPath.

    `names` are all files of the site as they are on disk, hidden ones too.
    """
    return _Relocating(pages, names).found(old, new)


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
        return Relocation(files, page=(page.path, path))

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
        return Relocation(files, folder=(old, new), left=tuple(sorted(set(inside.values()) - files.keys())))

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

    def _refuse_taken(self, found: Relocation) -> None:
        """Refuse a new name that a file has already, in whatever case, and a page beside itself."""
        stay = [nfc for nfc, name in self._names.items() if name not in found.files]
        taken = {fold(name): name for name in stay}
        taken |= {fold(each.path): each.file for each in self._pages if each.file not in found.files}
        for file in found.files.values():
            is_page = is_content(file) and not file.endswith(paths.TWIN_SUFFIX)
            there = taken.get(fold(file)) or (taken.get(fold(_stem(file))) if is_page else None)
            if there is not None:
                raise RefusedMove(f"`{there}` is there already", path=file, hint="use another name")


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
