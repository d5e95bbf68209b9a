"""The settings of a site as text, `site.yml` and `sidebar.yml`: read, and checked before they are saved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from msgspec import Struct, structs

from builder.config import SiteConfig
from builder.config.site_yml import MAX_NODES, MAX_TEXT, read, with_sidebar
from builder.diagnostics import Diagnostic
from builder.errors import ConfigError, RevisionMismatch, TwinpressError
from builder.plan.layout import lay_out
from builder.plan.make_shared import link_table
from builder.plan.redirects import check_redirects
from builder.site import CONFIG_FILE, SIDEBAR_FILE, Site
from builder.yaml.safe import YamlFault
from builder.yaml.safe import load as load_yaml
from builder.yaml.write import edit, edit_inner
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor

LONGEST = 256 * 1024
"""Bytes of the file in a service: a longer one takes seconds to be looked through."""
_LONG = f"has more than {LONGEST // 1024} KB"


class InvalidSettings(TwinpressError):
    """The text cannot be read as settings, so that no field of it can be changed."""


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
    if _is_long(text):
        return (Diagnostic(file, 0, 0, "config-invalid", _LONG, "make it shorter"),)
    if file == SIDEBAR_FILE:
        return with_sidebar(SiteConfig(), text.encode())[1]
    return read(text, CONFIG_FILE)[1]


def _is_long(text: str) -> bool:
    return len(text) > LONGEST or len(text.encode()) > LONGEST


def save(opened: OpenSite, text: str, revision: str, by: ChangeAuthor, file: str = CONFIG_FILE) -> None:
    """Write the file over the one with this revision. Raises RevisionMismatch, StorageError."""
    data = opened.bytes_of(file)
    if (_revision(data) if data is not None else "") != revision:
        raise RevisionMismatch("the settings were changed meanwhile", path=file, hint="look at them again")
    opened.store.replace_file(file, text.encode(), expected=data, note=by.note, permit=by.permit)
    opened.handlers.changed(file)


def _revision(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text with some fields set, and those removed that are empty; every other line stays.

    Raises InvalidSettings when the text is no mapping that can be read.
    """
    loaded = _loaded(text)
    wanted = {
        name: value for name, value in {**loaded, **values}.items() if value != "" or name not in values
    }
    return _edited(text, loaded, wanted)


def with_redirect(text: str, old: str, new: str) -> str:
    """Return the text with a redirect from one address of the site to another. Raises InvalidSettings."""
    loaded = _loaded(text)
    redirects = loaded.get("redirects")
    known = dict(redirects) if isinstance(redirects, dict) else {}
    known.pop(new, None)  # what had moved away is here again
    known[old] = new
    wanted = {**loaded, "redirects": known}
    by_lines = edit_inner(text, "redirects", known, _newline(text))
    # An alias stands for a mapping elsewhere, which has to stay as it is.
    if by_lines is not None and _loaded(by_lines) == wanted:
        return by_lines
    return _edited(text, loaded, wanted)


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


def values(text: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the values of some fields as texts, "" for those that are not there. Raises InvalidSettings."""
    loaded = _loaded(text)
    return {name: "" if loaded.get(name) is None else str(loaded[name]) for name in names}


def _edited(text: str, loaded: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    newline = _newline(text)
    changed = edit(text, loaded, wanted, newline, max_nodes=MAX_NODES, max_text=MAX_TEXT)
    if _is_long(changed):
        raise InvalidSettings(f"it would be too long: it {_LONG}", path=CONFIG_FILE, hint="make it shorter")
    return changed if not changed or changed.endswith("\n") else changed + newline


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _loaded(text: str) -> dict[str, object]:
    if _is_long(text):
        raise InvalidSettings(_LONG, path=CONFIG_FILE, hint="make it shorter")
    try:
        found = load_yaml(text.removeprefix("\ufeff"), MAX_NODES, MAX_TEXT).value
    except YamlFault as fault:
        raise InvalidSettings(fault.message, path=CONFIG_FILE, hint=fault.hint) from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidSettings("expected a mapping of fields", path=CONFIG_FILE, hint="write `title: ...`")
    return {str(name): value for name, value in found.items()}
