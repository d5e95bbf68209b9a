"""The hosts of published sites, in a file that the service writes and the process for readers reads.

{"domain": "docs.example.net",
 "hosts": {"quay.docs.example.net": {"site": "site_1", "redirect": "quay.example.org"},
           "quay.example.org": {"site": "site_1"}}}
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from msgspec import Struct, field

from builder.errors import TwinpressError
from server.releases.object_store import ObjectStore
from server.struct_types import prepare

HOSTS = "hosts.json"
PREVIEW_PREFIX = "preview-"
"""The beginning of the first part of the name of a preview's host; no site has such a name."""
_PART = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_PART}(?:\.{_PART})*")
_SITE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class MountedHost(Struct, frozen=True, omit_defaults=True):
    """The site of a host, by its id; with `redirect`, the host of the same site to which readers are led."""

    site: str
    redirect: str = ""


class Hosts(Struct, frozen=True):
    """Hosts by name, in lower case and as A-labels. `domain` is the one below which default hosts are.

    A host below `domain` whose first part begins with PREVIEW_PREFIX is that of a preview.
    """

    domain: str = "localhost"
    hosts: Mapping[str, MountedHost] = field(default_factory=dict)


class InvalidHosts(TwinpressError):
    """The hosts of published sites cannot be right."""


prepare(Hosts)


def write_hosts(objects: ObjectStore, hosts: Hosts) -> None:
    """Put the hosts in the place of former ones, whole or not at all.

    Raises InvalidHosts, ReplacedMeanwhile and StorageError.
    """
    _check(hosts)
    data = msgspec.json.format(msgspec.json.encode(hosts, order="sorted"), indent=1)
    objects.replace(HOSTS, data, objects.version(HOSTS))


def read_hosts(objects: ObjectStore) -> Hosts:
    """Read the hosts; there are none without a file. Raises InvalidHosts and StorageError."""
    found = objects.read(HOSTS)
    if found is None:
        return Hosts()
    try:
        hosts = msgspec.json.decode(found.data, type=Hosts)
    except msgspec.DecodeError as error:
        raise InvalidHosts(f"{HOSTS} cannot be read: {error}") from None
    _check(hosts)
    return hosts


def _check(hosts: Hosts) -> None:
    """Raise InvalidHosts for names that no request has, and for redirects to another site or in a circle."""
    for name, host in {hosts.domain: None, **hosts.hosts}.items():
        if not _NAME.fullmatch(name):
            raise InvalidHosts(f"`{name}` is no name of a host in lower case and ASCII")
        if host is None:
            continue
        if not _SITE.fullmatch(host.site):
            raise InvalidHosts(f"`{host.site}` is no id of a site")
        if host.redirect and hosts.hosts.get(host.redirect) != MountedHost(host.site):
            raise InvalidHosts(f"`{name}` leads to `{host.redirect}`, which does not answer for its site")
