"""`twinpress admin releases ...`: the releases of published sites, wherever they are."""

from __future__ import annotations

from pathlib import Path

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.control.sqlite.data_folder import existing_data
from server.releases.copy_releases import copy_releases
from server.releases.site_stores import readers_stores, service_stores
from server.service.published_sites import service_id

FOLDER = "folder"


def copy(*, data: Path, to: str, releases: str) -> int:
    """Copy all releases into a bucket, or from there into the folder of the data."""
    place = "" if to == FOLDER else to
    if place.rstrip("/") == releases.rstrip("/"):
        hint = "say with --releases where they are now; without it, and without TWINPRESS_RELEASES, in DIR"
        raise TwinpressError(f"the releases are in `{to}` already", hint=hint)
    with existing_data(data) as control:
        target = service_stores(place, data, service_id(control))
    copied = copy_releases(
        readers_stores(releases, data), target, lambda id: console.note(f"Copying {id} ...")
    )
    for key in copied.damaged:
        console.note(f"Damaged, and not copied: {key}")
    console.note(f"Releases of {copied.sites} sites are in {to} now; {copied.objects} files were new there.")
    return 1 if copied.damaged else 0
