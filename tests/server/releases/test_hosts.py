"""The file of hosts: read as it was written, and never written with what cannot be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.releases.folder_store import FolderStore
from server.releases.hosts import HOSTS, Hosts, InvalidHosts, MountedHost, read_hosts, write_hosts

GOOD = Hosts(
    "docs.example.net",
    {
        "quay.docs.example.net": MountedHost("site_1", "xn--bcher-kva.example"),
        "www.xn--bcher-kva.example": MountedHost("site_1", "xn--bcher-kva.example"),
        "xn--bcher-kva.example": MountedHost("site_1"),
        "reef.docs.example.net": MountedHost("site_2"),
    },
)
SITE = MountedHost("site_1")
BAD = {
    "upper case": {"Quay.example": SITE},
    "no ASCII": {"bücher.example": SITE},
    "a port": {"quay.example:80": SITE},
    "a dot at the end": {"quay.example.": SITE},
    "an empty name": {"": SITE},
    "an empty part": {"a..b": SITE},
    "a long part": {"a" * 64: SITE},
    "a site that leaves the folder": {"a.example": MountedHost("../x")},
    "a site without an id": {"a.example": MountedHost("")},
    "a redirect to nowhere": {"a.example": MountedHost("site_1", "b.example")},
    "a redirect to itself": {"a.example": MountedHost("site_1", "a.example")},
    "a redirect to another site": {"a.example": MountedHost("site_2", "b.example"), "b.example": SITE},
    "a redirect in two steps": {
        "a.example": MountedHost("site_1", "b.example"),
        "b.example": MountedHost("site_1", "c.example"),
        "c.example": SITE,
    },
}


def test_hosts_are_read_as_they_were_written(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "releases")
    assert read_hosts(store) == Hosts()
    write_hosts(store, GOOD)
    version = store.version(HOSTS)
    assert read_hosts(store) == GOOD
    write_hosts(store, Hosts())
    assert store.version(HOSTS) != version
    assert read_hosts(store) == Hosts()


@pytest.mark.parametrize("hosts", BAD.values(), ids=BAD)
def test_what_cannot_be_right_is_not_written(tmp_path: Path, hosts: dict[str, MountedHost]) -> None:
    write_hosts(FolderStore(tmp_path), GOOD)
    with pytest.raises(InvalidHosts):
        write_hosts(FolderStore(tmp_path), Hosts("localhost", hosts))
    assert read_hosts(FolderStore(tmp_path)) == GOOD


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"hosts": {"a": 1}}', b'{"hosts": {"A": {"site": "a"}}}']
)
def test_a_damaged_file_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / HOSTS).write_bytes(data)
    with pytest.raises(InvalidHosts):
        read_hosts(FolderStore(tmp_path))
