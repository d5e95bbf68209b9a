"""The programs among the files of a site's own theme.

Templates run as whoever builds the site, and scripts run in each page, with the rights of its address. Style
sheets and words are data: browsers and templates show them, and run nothing of them.
"""

from __future__ import annotations

import hashlib
from fnmatch import fnmatchcase

from msgspec import Struct

from builder.theme.theme_folders import Folders

TEMPLATES = ("templates/*.html",)
SCRIPTS = ("js/*.js", "ondemand/*.js", "search/*.js", "boot.js")


class Programs(Struct, frozen=True):
    """The names of programs in the folder `theme`, sorted, and what tells these very programs from others."""

    templates: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    digest: str = ""

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.templates or self.scripts)


def programs(folders: Folders) -> Programs:
    """Return the programs of the site's own; the digest covers their names and all of their bytes."""
    templates, scripts = _named(folders, TEMPLATES), _named(folders, SCRIPTS)
    if not templates and not scripts:
        return Programs()
    found = hashlib.sha256()
    for name in (*templates, *scripts):
        data = folders.own[name].encode("utf-8")
        found.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    return Programs(templates, scripts, found.hexdigest())


def _named(folders: Folders, patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(name for name in folders.own if any(fnmatchcase(name, each) for each in patterns)))
