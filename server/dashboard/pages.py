"""Render the dashboard's pages, with the headers and the menu that every one of them has."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from msgspec import Struct

from builder.theme.templates import Compiled
from server.control.accounts.account import Account
from server.dashboard.template_filters import FILTERS

_HERE = Path(__file__).parent
_TEMPLATES = _HERE / "templates"
_MAKERS = (Path(__file__), _HERE / "template_filters.py")
"""What says how templates are compiled; Jinja applies filters to what is constant in them."""
STATIC = _HERE / "static"
ASSETS = "/_tp/"
CSP = "Content-Security-Policy"
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    CSP: (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex",
}
"""Of every page: what it shows is one person's, and nothing of it runs or leaves."""


class DashboardPages:
    """The templates, and the addresses of the files that go with them."""

    def __init__(self, prefix: str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=Compiled(_TEMPLATES, b"".join(each.read_bytes() for each in _MAKERS)),
        )
        self._environment.filters |= FILTERS
        files = {path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.is_file()}
        # A new version of a file has a new address: browsers may keep each for a year.
        self.files = {f"{prefix}{_digest(data)}-{name}": data for name, data in files.items()}
        self._environment.globals["asset"] = {
            name: f"{prefix}{_digest(data)}-{name}" for name, data in files.items()
        }

    def show(
        self, template: str, values: Mapping[str, object], status: int = 200, frames: str = ""
    ) -> web.Response:
        """Return a page made of a template; it may have `frames` of this source, "" for none."""
        text = self._environment.get_template(template).render(values)
        headers = HEADERS if not frames else {**HEADERS, CSP: f"{HEADERS[CSP]}; frame-src {frames}"}
        return web.Response(text=text, content_type="text/html", status=status, headers=headers)


def see(path: str) -> web.Response:
    """Return where to go on behind a change: a reload of what is shown then changes nothing again."""
    return web.Response(status=303, headers={**HEADERS, "Location": path})


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:10]


class MenuEntry(Struct, frozen=True):
    """One line; `icon` is a name in `static/icons.svg`."""

    path: str
    label: str
    icon: str


class MenuGroup(Struct, frozen=True):
    """Lines under a title, "" for none."""

    title: str
    entries: tuple[MenuEntry, ...]


_SITES = MenuGroup("", (MenuEntry("/sites", "Sites", "book-open"),))
_DATABASES = MenuGroup(
    "Databases",
    (MenuEntry("/databases", "Databases", "database"), MenuEntry("/databases/keys", "API Keys", "key")),
)
_ACCOUNT = (MenuEntry("/activity", "Activity", "activity"), MenuEntry("/account", "Account", "user"))
_OPERATOR = MenuEntry("/operator", "Operator", "shield")


def menu(account: Account, site: str = "") -> tuple[MenuGroup, ...]:
    """The groups of an account's menu, with one for the site that is open, by its name."""
    own = (*_ACCOUNT, _OPERATOR) if account.operator and not account.suspended else _ACCOUNT
    opened = (MenuGroup(site, _site_entries(site)),) if site else ()
    return (_SITES, *opened, _DATABASES, MenuGroup("Account", own))


def _site_entries(site: str) -> tuple[MenuEntry, ...]:
    home = f"/sites/{site}"
    return (
        MenuEntry(home, "Overview", "house"),
        MenuEntry(f"{home}/pages", "Pages", "files"),
        MenuEntry(f"{home}/keys", "Keys", "key-round"),
        MenuEntry(f"{home}/publish", "Publish", "rocket"),
        MenuEntry(f"{home}/releases", "Releases", "history"),
        MenuEntry(f"{home}/domains", "Domains", "link"),
        MenuEntry(f"{home}/readers", "Readers", "chart-column"),
        MenuEntry(f"{home}/settings", "Settings", "settings"),
    )


def here_of(groups: Sequence[MenuGroup], path: str) -> str:
    """The path of the menu's entry that a page belongs to: the longest one that its own path begins with."""
    entries = (entry.path for group in groups for entry in group.entries)
    return max((each for each in entries if f"{path}/".startswith(f"{each}/")), key=len, default="")
