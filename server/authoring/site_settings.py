"""The settings of a site as text, `site.yml` and `sidebar.yml`: read, and checked before they are saved."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from urllib.parse import unquote

from msgspec import Struct

from builder.config import SiteConfig
from builder.config.settings_text import LONG, is_long, redirects_in, with_redirect
from builder.config.site_yml import read, with_sidebar
from builder.diagnostics import Diagnostic
from builder.errors import RevisionMismatch
from builder.moves.redirect_rules import plan_of_owner, rewritten
from builder.site import CONFIG_FILE, SIDEBAR_FILE
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor


class SettingsText(Struct, frozen=True):
    """The file as it is, and the revision of its bytes, "" where there is none."""

    text: str
    revision: str


def load(opened: OpenSite, file: str = CONFIG_FILE) -> SettingsText:
    """Read one of the files. Raises StorageError."""
    data = opened.bytes_of(file)
    return (
        SettingsText("", "") if data is None else SettingsText(data.decode(errors="replace"), _revision(data))
    )


def check(text: str, file: str = CONFIG_FILE) -> Sequence[Diagnostic]:
    """Say what is wrong with a text. Not for the event loop: it may take most of a second."""
    if is_long(text):
        return (Diagnostic(file, 0, 0, "config-invalid", LONG, "make it shorter"),)
    if file == SIDEBAR_FILE:
        return with_sidebar(SiteConfig(), text.encode())[1]
    return read(text, CONFIG_FILE)[1]


def save(opened: OpenSite, text: str, revision: str, by: ChangeAuthor, file: str = CONFIG_FILE) -> None:
    """Write the file over the one with this revision. Raises RevisionMismatch, StorageError, Failure."""
    data = opened.bytes_of(file)
    if (_revision(data) if data is not None else "") != revision:
        raise RevisionMismatch("the settings were changed meanwhile", path=file, hint="look at them again")
    opened.service.take_room(len(text), by)
    opened.store.replace_file(file, text.encode(), expected=data, note=by.note, permit=by.permit)
    opened.parts.changed(file)


def _revision(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def add_redirect(opened: OpenSite, old: str, new: str, by: ChangeAuthor) -> None:
    """Lead readers from an address of the site, percent-encoded or not, to another; all other lines stay.

    Raises InvalidSettings where `site.yml` cannot be read, RevisionMismatch, StorageError.
    """
    now = load(opened)
    save(opened, with_redirect(now.text, _readable(old), _readable(new)), now.revision, by)


def add_checked_redirect(opened: OpenSite, old: str, new: str, by: ChangeAuthor) -> None:
    """Add a redirect as `twinpress redirect add` does, that a build would not refuse.

    Raises RefusedRedirect, and as `add_redirect`; not for the event loop.
    """
    now = load(opened)
    redirects_in(now.text)  # says why it cannot be read
    site = opened.service.view.whole()
    plan = plan_of_owner(site, _readable(old), _readable(new))
    save(opened, rewritten(now.text, site.config, plan), now.revision, by)


def _readable(address: str) -> str:
    """Return the address as people write it; where that is not the same one, as it is."""
    decoded = unquote(address)
    is_same = "%" not in decoded and "\ufffd" not in decoded and decoded.isprintable()
    return decoded if is_same and address.startswith("/") else address
