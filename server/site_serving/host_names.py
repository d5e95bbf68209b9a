"""The name of the host that a request is for."""

from __future__ import annotations

import re

import idna
from aiohttp import hdrs, web

_HOST = re.compile(r"([^:/?#@\[\]\s]{1,254})(:[0-9]{0,5})?")
_ABSOLUTE = re.compile(r"https?://([^/?#@]*)", re.IGNORECASE)
"""The form of a target that a proxy is asked with."""
_MOST_KNOWN = 4096
_known: dict[str, str] = {}


class BadHost(Exception):
    """The request names no host, or more than one."""


def host_name(request: web.BaseRequest) -> str:
    """Return the name, in lower case and as A-labels. The port is of no account. Raises BadHost."""
    values = request.headers.getall(hdrs.HOST, ())
    if len(values) != 1:
        raise BadHost
    name = normal(values[0])
    if request.raw_path[:1] != "/":
        named = _ABSOLUTE.match(request.raw_path)
        if named is None or normal(named[1]) != name:
            raise BadHost
    return name


def port_of(request: web.BaseRequest) -> str:
    """Return the port in the `Host` header, with its colon; "" where there is none."""
    found = _HOST.fullmatch(request.headers.get(hdrs.HOST, ""))
    return (found[2] or "") if found else ""


def normal(value: str) -> str:
    """Return the name in a `Host` header, in lower case and as A-labels. Raises BadHost."""
    found = _known.get(value)
    if found is None:
        found = _normal(value)
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[value] = found
    return found


def _normal(value: str) -> str:
    form = _HOST.fullmatch(value)
    if form is None:
        raise BadHost
    name = form[1].lower().removesuffix(".")
    if name.isascii():
        return name
    try:
        return idna.encode(name, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise BadHost from None
