"""The addresses of a release: all that it lists, and those of its pages by the settings and slugs of then."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from builder import config, paths
from builder.config import SiteConfig
from builder.paths import PAGE_SUFFIXES
from builder.plan.addresses import Addresses, read_addresses
from builder.plan.site_files import ADDRESSES
from builder.site import CONFIG_FILE, SitePage, address_of, has_slugs, place_alike, place_by_path, placed
from builder.store import PAGE_LIMIT, Source
from server.releases.release import Files, ReleasedFile
from server.releases.release_store import ReleaseStore

LONGEST_LIST = 32 * 1024 * 1024
"""Bytes of a list of addresses."""


def addresses_in(releases: ReleaseStore, number: int) -> Addresses:
    """Return the addresses that a release has. Raises ReleaseNotFound, DamagedRelease and StorageError."""
    return addresses_among(releases, releases.files(number))


def addresses_among(releases: ReleaseStore, files: Files) -> Addresses:
    """Return the addresses that files have which are kept as objects. Raises as `addresses_in`."""
    file = files.get(ADDRESSES)
    data = releases.data(file.digest, LONGEST_LIST) if file else None
    return read_addresses(data.decode()) if data else Addresses({}, {})


class FormerAddresses:
    """Says where pages lie in the release that has these `sources`."""

    def __init__(self, releases: ReleaseStore, sources: Mapping[str, ReleasedFile]) -> None:
        self._releases = releases
        self._sources = sources
        self._settings = config.load(self._text(CONFIG_FILE))[0]
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Return the address of a page of the release. Raises StorageError."""
        if path not in self._known:
            self._known[path] = self._found(path)
        return self._known[path]

    def unchanged(self, page: SitePage) -> str:
        """Return the former address of a page whose files are as they were."""
        return placed(replace(page, place=""), self._settings).url

    def differ_from(self, now: SiteConfig) -> bool:
        """Return whether pages whose files stay may have other addresses with the settings of now."""
        return not place_alike(self._settings, now)

    def _found(self, path: str) -> str:
        if has_slugs(self._settings):
            for suffix, format in PAGE_SUFFIXES.items():
                file = f"{path}{suffix}"
                if file in self._sources:
                    text = self._text(file).decode("utf-8", "replace")
                    return address_of(Source(path, format, text, None, "", file), self._settings)
        return paths.url(path, place_by_path(path, self._settings))

    def _text(self, file: str) -> bytes:
        found = self._sources.get(file)
        return (self._releases.data(found.digest, PAGE_LIMIT) if found else None) or b""
