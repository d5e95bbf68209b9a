"""Sites that are published without a service: files become a release, and hosts lead to it."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Mapping
from pathlib import Path

from server.releases.folder_store import FolderStore
from server.releases.hosts import Hosts, MountedHost, write_hosts
from server.releases.object_store import ObjectStore
from server.releases.packed_object import is_text, pack
from server.releases.release import ReleasedFile, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.split_object import gathers, split

SITE, HOST = "site_quay", "quay.localhost"


def release_store(data: Path, site: str = SITE) -> ReleaseStore:
    """The releases of a site in a service's folder."""
    return ReleaseStore(FolderStore(data / "releases" / site))


def publish(store: ReleaseStore, files: Mapping[str, bytes], now: int = 0) -> int:
    """Add a release with these files, as a build gives them; readers have it. Gives its number."""
    found = dict[str, ReleasedFile]()
    for path, data in files.items():
        digest = hashlib.sha256(data).digest()
        if gathers(path, len(data)):
            store.keep_split(dict([split(io.BytesIO(data), len(data), {}, store.objects.put)]))
        else:
            store.keep(digest, pack(data, compress=is_text(path)))
        found[path] = ReleasedFile(digest, len(data))
    record = ReleaseRecord(
        number=store.next_number(),
        created_at=now or int(time.time()),
        by="account",
        plan="free",
        version="1",
        pages=1,
        files=len(found),
        size=sum(map(len, files.values())),
    )
    store.add(record, found, {})
    return record.number


def folder_files(folder: Path) -> dict[str, bytes]:
    """All files below a folder, such as that of a build."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def mount(data: Path, hosts: Mapping[str, str | MountedHost]) -> None:
    """Have these hosts lead to sites, named by their ids."""
    mount_in(FolderStore(data / "releases"), hosts)


def mount_in(objects: ObjectStore, hosts: Mapping[str, str | MountedHost]) -> None:
    """Have these hosts lead to sites, in the store of all sites."""
    mounted = {name: MountedHost(site) if isinstance(site, str) else site for name, site in hosts.items()}
    write_hosts(objects, Hosts("localhost", mounted))
