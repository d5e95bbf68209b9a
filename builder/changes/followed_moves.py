"""The moves of a change, put together: from where each file was before the change to where it is after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from builder import paths
from builder.changes.file_names import page_path
from builder.changes.steps import MoveStep
from builder.moves.move_plan import bare
from builder.moves.move_redirects import MoveRedirects
from builder.moves.moved_places import MovedPlaces
from builder.moves.redirect_plan import own_redirects
from builder.moves.relocation import Relocation
from builder.plan.layout import lay_out
from builder.site import Site

Existed = Callable[[str], bool]
"""Tells of a file whether it was there before the change."""


class FollowedMoves:
    """Follows files and folders from move to move. A file whose first move is silent leaves no redirect."""

    def __init__(self, existed: Existed) -> None:
        self._existed = existed
        self._files: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._silent: set[str] = set()
        self._passed: set[str] = set()

    def move(self, files: Mapping[str, str], folders: Mapping[str, str], *, silent: bool) -> None:
        """Note that files and folders have moved, each from where it was by then."""
        found: dict[str, str] = {}
        for old, new in files.items():
            first = self.origin(old)
            if first or (self._existed(old) and old not in self._files):
                found[first or old] = new
                self._silent |= {old} if silent and not first else set()
        self._forget(files)
        self._files |= found
        self._origins |= {new: first for first, new in found.items()}
        for old, new in folders.items():
            self._move_folder(old, new)

    def delete(self, files: Iterable[str], address: str) -> None:
        """Note that a page's files are gone; `address` is where it had moved to, "" for one that had not."""
        self._passed |= {address} if address else set()
        self._forget(files)

    def _forget(self, files: Iterable[str]) -> None:
        for file in files:
            self._files.pop(self._origins.pop(file, ""), None)

    @property
    def has_passed(self) -> bool:
        """True if something that had moved was deleted where it had moved to."""
        return bool(self._passed)

    def origin(self, file: str) -> str:
        """Return the name that a file which has moved had before the change, "" for any other."""
        return self._origins.get(file, "")

    def redirects(
        self, before: Site, now: Callable[[], Site], there: Mapping[str, str]
    ) -> tuple[Mapping[str, str], Sequence[str]]:
        """Return the redirects that the moves come to, in the place of those that are `there`.

        The sites are loaded with their drafts. One that had followed a page to where that was deleted leads
        again where it had led. Sentences say why a redirect is missing.
        """
        own = own_redirects(before.config)
        known = {old: own.get(old, to) if to in self._passed else to for old, to in there.items()}
        if not self._files:
            return known, ()
        site, moved = now(), self._relocation()
        layouts = lay_out(bare(before)), lay_out(bare(site))
        places = MovedPlaces.of(*layouts, moved, layouts[1].site.pages)
        arrived = frozenset(self._files.values())
        return MoveRedirects(*layouts, moved, places, arrived).planned(site.config, known, add=True)

    def _relocation(self) -> Relocation:
        """All that has moved and is to leave redirects."""
        files = {old: new for old, new in self._files.items() if old != new and old not in self._silent}
        pages = {page_path(old): page_path(new) for old, new in files.items() if page_path(old)}
        folders = {old: new for old, new in self._folders.items() if old != new and _holds(old, files)}
        return Relocation(files, pages, folders)

    def _move_folder(self, old: str, new: str) -> None:
        """Follow a folder, and those that had come into it."""
        into = {first: now for first, now in self._folders.items() if paths.is_within(now, old)}
        from_ = next((first for first, now in self._folders.items() if paths.is_within(old, now)), "")
        origin = from_ + old[len(self._folders[from_]) :] if from_ else old
        self._folders |= {first: new + now[len(old) :] for first, now in into.items()}
        self._folders.setdefault(origin, new)


def _holds(folder: str, files: Mapping[str, str]) -> bool:
    return any(file.startswith(f"{folder}/") for file in files)


def mover_of(file: str, moves: Sequence[tuple[int, MoveStep]]) -> int:
    """Return the number of the move that gives a file its name, else the first one."""
    path = page_path(file) or file
    found = (index for index, step in moves if paths.is_within(path, _target(step)))
    return next(found, moves[0][0])


def _target(step: MoveStep) -> str:
    old, new = (name.removeprefix("./").rstrip("/") for name in (step.old, step.new))
    name = f"{new}/{old.rpartition('/')[2]}" if step.new.endswith("/") else new
    return page_path(name) or name
