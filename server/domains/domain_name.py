"""The rules of names: which may be a domain of a site, in the form that DNS has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import idna
import publicsuffixlist
from msgspec import Struct
from publicsuffixlist import PublicSuffixList

from builder.errors import TwinpressError
from builder.redaction import redacted

TXT = "_twinpress"
"""The label, before a domain, of the record that proves whose it is."""
LONGEST = 253 - len(TXT) - 1
_LONGEST_TEXT = 1024
"""Characters that are read at all: to encode a name takes longer than it is long."""
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label for which browsers and libraries take the whole as an address of IPv4 (WHATWG URL, 3.5)."""
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_HINT = "write it like docs.example.com"


class InvalidDomain(TwinpressError):
    """The text is no domain, or one that no site can have."""


class DomainRules(Struct, frozen=True):
    """The hosts of the service: neither they nor what is below them can be a domain of a site."""

    own: Sequence[str]

    def parse(self, text: str) -> str:
        """Return a name in lower case and as A-labels, without a dot at its end. Raises InvalidDomain."""
        shown = redacted(text.strip()[:80])
        if not shown or len(text) > _LONGEST_TEXT:
            raise InvalidDomain("this is no name of a domain", hint=_HINT)
        name = _ascii(_SCHEME.sub("", text.strip(), count=1).removesuffix("/"), shown)
        self._check_free(name)
        return name

    def owns(self, name: str) -> bool:
        """Return whether a name is one of the service, or below one."""
        return any(_is_below(name, own) for own in self.own)

    def _check_free(self, name: str) -> None:
        if _is_below(name, "localhost"):
            hint = "only a name that readers reach from elsewhere can be one"
            raise InvalidDomain(f"`{name}` is this machine alone", hint=hint)
        if self.owns(name):
            hint = "each site has a name of its own there: rename the site to change it"
            raise InvalidDomain(f"`{name}` belongs to this service", hint=hint)
        if suffix(name) == name:
            hint = f"add a name below it that you have registered, such as docs.{name}"
            raise InvalidDomain(f"`{name}` is an ending under which names are registered", hint=hint)


def registered(name: str) -> str:
    """Return the part of a domain that somebody has registered: the one at which there can be no CNAME."""
    return _suffixes().privatesuffix(name) or name


def suffix(name: str) -> str:
    """Return the ending under which a name is registered, such as `co.uk`."""
    return _suffixes().publicsuffix(name) or name


def companion(name: str) -> str:
    """Return the name with `www.` of a registered domain, or the one without; "" for all others."""
    base = name.removeprefix("www.")
    if base != registered(base):
        return ""
    return base if base != name else f"www.{name}"


def _ascii(text: str, shown: str) -> str:
    if ":" in text or text.startswith("["):
        raise InvalidDomain(f"`{shown}` is an address or has a port, and no name of a domain", hint=_HINT)
    try:
        name = idna.encode(text, uts46=True, std3_rules=True, transitional=False).decode().removesuffix(".")
        idna.decode(name, strict=True)
    except (idna.IDNAError, UnicodeError):
        raise InvalidDomain(f"`{shown}` is no name of a domain", hint=_HINT) from None
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        raise InvalidDomain(f"`{shown}` is an address, and no name of a domain", hint=_HINT)
    if len(name) > LONGEST or not all(map(_LABEL.fullmatch, labels)):
        raise InvalidDomain(f"`{shown}` is no name of a domain", hint=_HINT)
    return name


def _is_below(name: str, parent: str) -> bool:
    return name == parent or name.endswith(f".{parent}")


@cache
def _suffixes() -> PublicSuffixList:
    # The list that the package was released with: nobody is asked for another one.
    file = Path(publicsuffixlist.__file__).parent / "public_suffix_list.dat"
    return PublicSuffixList(file.read_text("utf-8").splitlines())
