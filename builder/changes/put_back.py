"""Rules for settings that are put back as they were: a key may put back what it might change anew today.

Links that follow a page or a folder may always go back with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import repeat
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from builder.changes.file_names import page_path, parent_folders
from builder.config.navigation_text import FIELDS, Texts, navigation_in
from builder.errors import TwinpressError
from builder.site import CONFIG_FILE, Site
from builder.unicode import normal


class OwnersNavigation(TwinpressError):
    """The navigation is to be another one, and who asks may not change it."""


class PutBackPlaces(Struct, frozen=True):
    """Places as links name them: content paths, addresses, files, and their folders.

    `names` are those that are there again, and `others` all whose files are others then, or gone: pages that
    had changed places are there before and after, and what had come is not. `there` are all places of before.
    """

    names: frozenset[str]
    others: frozenset[str]
    there: frozenset[str]
    base: str

    @staticmethod
    def of(before: Site, site: Site, again: Iterable[str], files: Iterable[str]) -> PutBackPlaces:
        """Return those of files that are there `again` in `site`, and of all `files` that are put back."""
        files = tuple(files)
        others = _named(site, files) | _named(before, files)
        there = _named(before, (page.file for page in (*before.pages, *before.drafts)))
        return PutBackPlaces(_named(site, again), others, there, site.config.base_path)

    def follows(self, old: object, new: object) -> bool:
        """Return whether a value of the settings becomes `new` because a page goes back to that place.

        It may lead nowhere now: a page that had moved may have been deleted there.
        """
        if self._leads(new, self.names):
            return True
        is_lost = isinstance(old, str) and old.startswith("/") and not self._leads(old, self.there)
        return self._leads(new, self.others) and (is_lost or self._leads(old, self.others))

    def _leads(self, address: object, names: frozenset[str]) -> bool:
        if not isinstance(address, str):
            return False
        place = _plain(urlsplit(address).path.removeprefix(self.base))
        return place in names or page_path(place) in names


def _named(site: Site, files: Iterable[str]) -> frozenset[str]:
    paths = {page_path(file) or file for file in files}
    urls = {_plain(page.url) for page in (*site.pages, *site.drafts) if page.path in paths}
    return frozenset(name for place in (*paths, *urls) for name in (place, *parent_folders(place)))


def _plain(address: str) -> str:
    return normal("NFC", unquote(address)).strip("/")


def refuse_navigation(before: Texts, now: Texts, places: PutBackPlaces) -> None:
    """Raise OwnersNavigation where the navigation is another one but for links to what is there again."""
    (old, old_file), (new, new_file) = navigation_in(before), navigation_in(now)
    if old_file != new_file or not all(_follows(old.get(name), new.get(name), places) for name in FIELDS):
        hint = "ask the owner of the site, or undo other changes by their ids"
        message = "it changes the navigation, which this key may not change any more"
        raise OwnersNavigation(message, path=CONFIG_FILE, hint=hint)


def _follows(old: object, new: object, places: PutBackPlaces) -> bool:
    """Return whether two values differ by nothing but links to these places."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return list(old) == list(new) and all(_follows(old[name], new[name], places) for name in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_follows, old, new, repeat(places)))
    return old == new or (isinstance(old, str) and places.follows(old, new))
