"""The settings of a site as text, `site.yml` and `sidebar.yml`: read, and checked before they are saved."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from msgspec import Struct, structs

from builder.config import SiteConfig
from builder.config.settings_text import LONG, InvalidSettings, is_long, with_redirect
from builder.config.site_yml import read, with_sidebar
from builder.diagnostics import Diagnostic
from builder.errors import ConfigError, RevisionMismatch
from builder.plan.layout import lay_out
from builder.plan.make_shared import link_table
from builder.plan.redirects import check_redirects
from builder.site import CONFIG_FILE, SIDEBAR_FILE, Site
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
    """Add a redirect that a build would not refuse. Raises as `add_redirect`; not for the event loop."""
    try:
        site = opened.service.whole()
    except ConfigError:
        site = None  # then adding it says why
    fault = redirect_fault(site, _readable(old), _readable(new)) if site else None
    if fault is not None:
        message = fault.message.removeprefix(f"redirect from `{_readable(old)}`: ")
        raise InvalidSettings(message, path=CONFIG_FILE, hint=fault.hint)
    add_redirect(opened, old, new, by)


def redirect_fault(site: Site, old: str, new: str) -> Diagnostic | None:
    """Return what a build would say of one more redirect, None where it would say nothing."""
    known = {source: target for source, target in site.config.redirects.items() if source != new}
    before = {each.message for each in _redirect_faults(site, known)}
    now = _redirect_faults(site, {**known, old: new})
    return next((each for each in now if each.message not in before), None)


def _redirect_faults(site: Site, redirects: dict[str, str]) -> Sequence[Diagnostic]:
    config = replace(site.config, redirects=redirects)
    layout = lay_out(structs.replace(site, config=config))
    targets = check_redirects(config, layout.redirect_targets(), link_table(layout, drafts=False))
    return [*layout.diagnostics, *targets]


def _readable(address: str) -> str:
    """Return the address as people write it; where that is not the same one, as it is."""
    decoded = unquote(address)
    is_same = "%" not in decoded and "\ufffd" not in decoded and decoded.isprintable()
    return decoded if is_same and address.startswith("/") else address
