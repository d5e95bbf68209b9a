"""The address of a bucket, and what of this machine is needed to reach it: variables and files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from builder.errors import TwinpressError

SCHEMES = ("s3", "gs", "az")
SITES = "sites"
"""The folder of sites below a prefix, of which no prefix may have a part."""
_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_FORM = "write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX"
_VARIABLES = re.compile(r"(?:AWS|GOOGLE|AZURE|SSL_CERT)_\w+|HOME|(?i:https?_proxy|all_proxy|no_proxy)")
_FILES = re.compile(r"(?:AWS|GOOGLE|AZURE|SSL_CERT)_\w*(?:FILE|CREDENTIALS|ACCOUNT|DIR|PATH)")
_CONNECTING = (
    *("/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates"),
    *(
        "/etc/hosts",
        "/etc/resolv.conf",
        "/etc/nsswitch.conf",
        "/etc/host.conf",
        "/etc/gai.conf",
        "/etc/services",
    ),
    *("/run/systemd/resolve", "/var/run/secrets", "~/.aws", "~/.azure", "~/.config/gcloud"),
)
"""Certificates of authorities, addresses of names, and credentials where the stores' own tools keep them."""


class InvalidBucket(TwinpressError):
    """The address of a bucket cannot be right, or the bucket cannot hold releases."""


class BucketAddress(Struct, frozen=True):
    """The place of releases in an object store: `prefix` is what all their keys begin with, or empty."""

    scheme: str
    bucket: str
    prefix: str

    def __str__(self) -> str:
        """As operators write it."""
        return f"{self.scheme}://{self.bucket}/{self.prefix}".rstrip("/")


def bucket_address(text: str) -> BucketAddress:
    """Read the address of a bucket. Raises InvalidBucket."""
    found = urlsplit(text)
    prefix = found.path.strip("/")
    plain = not (found.query or found.fragment or "@" in found.netloc)
    if found.scheme not in SCHEMES or not found.netloc or not plain:
        raise InvalidBucket(f"`{text}` is no address of a bucket", hint=_FORM)
    if prefix and not _PREFIX.fullmatch(prefix):
        message = f"`{prefix}` is no prefix for releases"
        raise InvalidBucket(message, hint="use letters, digits, dots, hyphens and slashes")
    if SITES in prefix.split("/"):
        raise InvalidBucket(
            f"no part of a prefix is called `{SITES}`", hint="another service may have its own there"
        )
    return BucketAddress(found.scheme, found.netloc, prefix)


def store_environment() -> dict[str, str]:
    """Return the variables by which a store is reached: its credentials above all."""
    return {name: value for name, value in os.environ.items() if _VARIABLES.fullmatch(name)}


def files_to_connect() -> list[Path]:
    """Return the files and folders that whoever asks a store may have to read, as far as there are any."""
    named = (value for name, value in os.environ.items() if _FILES.fullmatch(name))
    found = (Path(each).expanduser() for each in (*_CONNECTING, *named) if each)
    return [path for path in found if path.is_absolute() and path.exists()]
