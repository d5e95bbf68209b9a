"""The shared cache of a build as a command names it: by addresses, with secrets from the environment."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from builder.cache.fingerprint import fingerprint
from builder.cache.shared_cache import SharedCache, own_prefix
from builder.errors import TwinpressError
from server.releases.bucket_address import SCHEMES, bucket_address
from server.shared_caches.pack_folder import PackFolder
from server.shared_caches.pack_server import PackServer

if TYPE_CHECKING:
    from server.shared_caches.pack_bucket import PackBucket

    Store = PackFolder | PackServer | PackBucket

SECRET = "TWINPRESS_CACHE_SECRET"  # noqa: S105 - the name of a variable
READ_TOKEN = "TWINPRESS_CACHE_READ_TOKEN"  # noqa: S105
WRITE_TOKEN = "TWINPRESS_CACHE_WRITE_TOKEN"  # noqa: S105
SCOPE = "TWINPRESS_CACHE_SCOPE"
_SHORTEST = 32
"""Characters of a secret; `openssl rand -hex 32` gives twice as many."""
_SCOPES = (
    *(SCOPE, "GITHUB_REF", "CI_MERGE_REQUEST_REF_PATH", "CI_COMMIT_REF_NAME", "BITBUCKET_BRANCH"),
    *("BUILD_SOURCEBRANCH", "CIRCLE_BRANCH", "BUILDKITE_BRANCH", "CHANGE_BRANCH", "BRANCH_NAME"),
)
"""Variables of CI systems that name what is built."""
_NO_ADDRESS = "this is no address of a shared cache"
_KINDS = "write a folder, http://HOST, https://HOST, s3://BUCKET, gs://BUCKET or az://CONTAINER"
_LIKE_A_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_TOKEN = re.compile(r"[!-~]+(?: [!-~]+)*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


class InvalidCache(TwinpressError):
    """The address of a shared cache cannot be right, or something that it needs is missing."""


def open_cache(source: str, target: str, published: Sequence[Path] = ()) -> SharedCache | None:
    """Return the cache that is read at one address and written at another, each possibly "".

    None when both are. Nothing is asked of it yet. `published` are the folders whose files readers get.
    Raises InvalidCache, and InvalidBucket for a bucket.
    """
    if not source and not target:
        return None
    reads = _store(source, READ_TOKEN) if source else None
    writes = store_to(target) if target else None
    for store in (reads, writes):
        _check_place(store, published)
    found = SharedCache(reads, writes, secret=_secret(), scope=_scope())
    if isinstance(reads, PackFolder) and not reads.is_there and source != target:
        found.tell(f"{reads.name} is not there; the build goes on without", "look at the path")
    return found


def _check_place(store: Store | None, published: Sequence[Path]) -> None:
    for folder in published:
        if isinstance(store, PackFolder) and store.lies_in(folder):
            message = f"a shared cache cannot be in {folder.name}/, whose files are published"
            raise InvalidCache(message, path=store.name, hint="name a folder outside of the site")


def store_to(target: str) -> Store:
    """Return the store that is written at an address. Raises as `open_cache` does."""
    return _store(target, WRITE_TOKEN)


def seen_from_anywhere(target: str) -> str:
    """Return the address at which another process, with another current folder, finds the same store."""
    return target if _SCHEME.match(target) else str(Path(target).absolute())


def chunk_prefix() -> str:
    """Return a prefix for names of what waits in a store until this build takes it."""
    return f"{own_prefix(_secret(), _scope())}/{fingerprint().hex()}/chunks-{secrets.token_hex(8)}"


def _store(address: str, variable: str) -> Store:
    """Return the place at an address, of which no message says more than where it is."""
    if not _SCHEME.match(address):
        return _folder(address)
    try:
        found = urlsplit(address)
    except ValueError as error:
        raise InvalidCache(f"{_NO_ADDRESS}: {error}", path=_shown(address), hint=_KINDS) from None
    if found.scheme == "file" and not found.netloc:
        return PackFolder(Path(unquote(found.path)))
    is_plain = not (found.query or found.fragment or "@" in found.netloc)
    if not is_plain or not (found.hostname or found.scheme in SCHEMES):
        hint = f"put a token into {READ_TOKEN} or {WRITE_TOKEN}; leave out passwords and what comes after `?`"
        raise InvalidCache(_NO_ADDRESS, path=_shown(address), hint=_KINDS if is_plain else hint)
    if found.scheme in {"http", "https"}:
        return PackServer(address, _token(variable))
    if found.scheme in SCHEMES:
        return _bucket(address)
    raise InvalidCache(_NO_ADDRESS, path=_shown(address), hint=_KINDS)


def _folder(address: str) -> PackFolder:
    if _LIKE_A_SCHEME.match(address):
        hint = f"{_KINDS}; for a folder with a colon in its name, begin with ./"
        raise InvalidCache(_NO_ADDRESS, path=address, hint=hint)
    return PackFolder(Path(address).absolute())


def _shown(address: str) -> str:
    """The address; of one with what may be a password or a signature, the scheme alone."""
    return address if not re.search("[@?#]", address) else f"{address.partition(':')[0]}://..."


def _token(variable: str) -> str:
    """The token in a variable, of which no message has a part."""
    token = os.environ.get(variable, "").strip()
    if token and not _TOKEN.fullmatch(token):
        raise InvalidCache(f"the token in {variable} has characters that no header may have")
    return token


def _bucket(address: str) -> PackBucket:
    if find_spec("obstore") is None:
        hint = "pip install 'twinpress[objects]'"
        raise InvalidCache("needs a package that is not installed: obstore", path=address, hint=hint)
    from server.shared_caches.pack_bucket import PackBucket  # noqa: PLC0415 - an extra of the package

    return PackBucket(bucket_address(address))


def _scope() -> str:
    return next((os.environ[name] for name in _SCOPES if os.environ.get(name)), "")


def _secret() -> bytes:
    found = os.environ.get(SECRET, "").strip()
    if SECRET in os.environ and not found:
        # A CI gives the empty text for a secret that it does not have: nobody is to take that for trust.
        hint = "set the secret, or leave the variable away for a build that is not trusted"
        raise InvalidCache(f"{SECRET} is empty", hint=hint)
    if len(found) < _SHORTEST and found:
        hint = f"take {_SHORTEST} characters or more, such as those of `openssl rand -hex 32`"
        raise InvalidCache(f"the secret in {SECRET} is too short", hint=hint)
    return found.encode(errors="surrogateescape")
