"""What stands in the way of taking back what was done to a page: files that others have made since."""

from __future__ import annotations

from collections.abc import Container, Mapping

from builder import paths
from builder.store.replacing import stem_of

Change = tuple[str | None, str | None]
"""From one content to another, by their ids."""


class Site:
    """The files of the site as they are, with the ids of their contents; `going` are those that will go."""

    def __init__(self, now: Mapping[str, str], going: Container[str]) -> None:
        self._now = now
        self._going = going
        self._pages: dict[str, list[str]] = {}
        self._folders: dict[str, dict[str, str]] = {}
        for file in now:
            if _is_page(file):
                self._pages.setdefault(paths.fold(page_of(file)), []).append(file)
            for folder in _folders(file):
                self._folders.setdefault(paths.fold(folder), {}).setdefault(folder, file)

    def in_the_way(self, page: str, wanted: Mapping[str, Change]) -> list[str]:
        """Files that cannot stand beside what is wanted of a page.

        The same page in another format or in other case, what is in a folder that differs from the page's
        only in case, and a twin that would be left alone.
        """
        if any(to and _is_page(file) for file, (_, to) in wanted.items()):
            return [*self._same(page, wanted), *self._beside(page)]
        if any(to for _, to in wanted.values()):
            return self._beside(page)
        return self._orphan(page, wanted)

    def has_room(self, folder: str) -> bool:
        """Whether no other folder differs from this one, or from one that it is in, only in case."""
        return not self._beside(f"{folder}/")

    def _same(self, page: str, wanted: Mapping[str, Change]) -> list[str]:
        found = self._pages.get(paths.fold(page), [])
        return sorted(file for file in found if file not in wanted and file not in self._going)

    def _beside(self, page: str) -> list[str]:
        for folder in _folders(page):
            spelled = self._folders.get(paths.fold(folder), {})
            if spelled and folder not in spelled:
                return sorted(spelled.values())
        return []

    def _orphan(self, page: str, wanted: Mapping[str, Change]) -> list[str]:
        twin = page + paths.TWIN_SUFFIX
        files = [page + suffix for suffix in paths.PAGE_SUFFIXES]
        goes = any(file in self._now for file in files if file in wanted)
        stays = any(file in self._now for file in files if file not in wanted)
        return [twin] if goes and not stays and twin in self._now and twin not in wanted else []


def page_of(file: str) -> str:
    """What a file belongs to: a page's path on disk, or the file itself."""
    return stem_of(file) or file


def _is_page(file: str) -> bool:
    return stem_of(file) is not None and not file.endswith(paths.TWIN_SUFFIX)


def _folders(file: str) -> list[str]:
    parts = file.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
