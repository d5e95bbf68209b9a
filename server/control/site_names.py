"""Names of sites: each is a label of host names, so that a site can be published below its name."""

from __future__ import annotations

import re

from server.control.errors import InvalidSiteName
from server.control.keys.key_text import redacted

LONGEST = 40
# A label of DNS (RFC 1035, section 2.3.1; RFC 1123, section 2.1). Two hyphens in a row are left to names in
# other scripts (RFC 5891, section 4.2.3.1), of which we have none: what looks the same is the same.
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = frozenset({
    "about", "abuse", "account", "admin", "administrator", "api", "app", "assets", "autoconfig",
    "autodiscover", "billing", "blog", "cdn", "dashboard", "dev", "docs", "download", "example", "ftp",
    "help", "host", "hostmaster", "imap", "import", "info", "internal", "isatap", "localdomain", "localhost",
    "login", "mail", "metrics", "mx", "new", "news", "noreply", "ns", "ns1", "ns2", "operator", "pop",
    "pop3", "postmaster", "preview", "previews", "root", "security", "service", "site", "sites", "smtp",
    "ssl", "staging", "static", "status", "support", "system", "test", "twinpress", "webmaster",
    "webmail", "wpad", "www",
})  # fmt: skip
"""Names that readers would take for the service's own, and those that networks look for (RFC 2142)."""
_RESERVED_BEGINNING = "preview-"
"""Of the host names of previews."""


def check_site_name(text: str) -> str:
    """The name, without the spaces around it and in small letters. Raises InvalidSiteName."""
    name = text.strip().lower()
    if not _NAME.fullmatch(name) or not 2 <= len(name) <= LONGEST:
        shown = redacted(name[: LONGEST + 1])
        hint = f"use 2 to {LONGEST} of a-z and 0-9, with single hyphens between them, such as `acme-docs`"
        raise InvalidSiteName(f"`{shown}` cannot be the name of a site", hint=hint)
    if name in _RESERVED or name.startswith(_RESERVED_BEGINNING):
        raise InvalidSiteName(f"the name `{name}` is reserved", hint=f"use another, such as `{name}-docs`")
    return name
