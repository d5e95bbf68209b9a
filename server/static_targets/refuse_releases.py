"""Refuse to build into a folder of releases. Apart from these, as each build asks and few publish."""

from __future__ import annotations

from pathlib import Path

from builder.errors import OutputError

CURRENT, RELEASES = "current", "releases"
"""Names in a folder of releases, see `release_folder`."""


def refuse_releases(folder: Path) -> None:
    """Raise OutputError when a folder has releases, or is one: a build would change what readers have."""
    real = folder.resolve()
    for place in (real, real.parent.parent):
        link = place / CURRENT
        inside = place == real or real.parent.name == RELEASES
        if inside and link.is_symlink() and link.readlink().parent.name == RELEASES:
            hint = "build into another folder, or publish here with `twinpress publish --to`"
            raise OutputError("`twinpress publish` keeps releases here", path=str(folder), hint=hint)
