"""A release of a site: what was published when and by whom, and its files by the digests of their bytes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from builder.errors import TwinpressError
from server.struct_types import prepare

Digest = bytes
"""SHA-256 of a file's bytes, which is the name of its object."""


class ReleasedFile(Struct, frozen=True, array_like=True, gc=False):
    """A file of a release: the digest of its bytes, and their number."""

    digest: Digest
    size: int


Files = Mapping[str, ReleasedFile]
"""The files of a release by output path, such as `docs/guide.html`, or its sources by path in the site."""


class ReleaseRecord(Struct, frozen=True):
    """Facts about a release; times are whole seconds since 1970, UTC.

    `by` is the actor as the activity has it, `version` Twinpress's. `pages` and `files` are numbers, `size`
    all bytes of its files; `errors` and `warnings` are those that its build had to say. Its pages name `url`
    as the address of the site. `job` is the number of the publish of which it has come, 0 where that is
    not known. With `counts_searches` its search tells of what it does not find.
    """

    number: int
    created_at: int
    by: str
    plan: str
    version: str
    pages: int
    files: int
    size: int
    errors: int = 0
    warnings: int = 0
    url: str = ""
    job: int = 0
    counts_searches: bool = False


class ReleaseNotFound(TwinpressError):
    """The site has no such release, or not any more."""


class DamagedRelease(TwinpressError):
    """A release's record or list of files cannot be read."""


prepare(ReleaseRecord)
_FILES = msgspec.msgpack.Decoder(dict[str, ReleasedFile])


def digest_key(folder: str, digest: Digest) -> str:
    """Return the key in a folder of the store of what a digest names."""
    name = digest.hex()
    return f"{folder}/{name[:2]}/{name}"


def encode_files(files: Files) -> bytes:
    """Return a list of files as bytes, the same for the same files."""
    return msgspec.msgpack.encode(dict(sorted(files.items())))


def decode_files(data: bytes) -> dict[str, ReleasedFile]:
    """Read a list of files. Raises DamagedRelease."""
    try:
        return _FILES.decode(data)
    except msgspec.DecodeError as error:
        raise DamagedRelease(f"the list of files of a release cannot be read: {error}") from None
