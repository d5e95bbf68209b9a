"""Header, footer and sidebar in the texts of the settings: read as they are written, and changed.

All other lines stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from builder.config.fields import CONFIG_FILE, SIDEBAR_FILE, SiteConfig
from builder.config.settings_text import InvalidSettings, field_values, sidebar_text, with_fields
from builder.config.site_yml import read, with_sidebar
from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.yaml.safe import YamlFault, load

Texts = Mapping[str, bytes | None]
"""Files by their names; None is no file."""
FIELDS = ("nav", "footer", "sidebar")
_SHOWN = 3
"""Faults that a refusal names."""


def settings_revision(texts: Texts) -> str:
    """Return the revision of files of settings, "" where there is none of them."""
    there = [data for _, data in sorted(texts.items()) if data is not None]
    return hashlib.sha256(b"\0".join(there)).hexdigest()[:32] if there else ""


class InvalidNavigation(TwinpressError):
    """The settings would not be read as they are meant."""


def navigation_in(texts: Texts) -> tuple[Mapping[str, object], str]:
    """Return the values of the three fields, and the file of the sidebar. Raises InvalidSettings."""
    values = field_values(_text(texts, CONFIG_FILE), FIELDS)
    file = _sidebar_file(values)
    if file == SIDEBAR_FILE:
        values["sidebar"] = _entries(_text(texts, SIDEBAR_FILE))
    return values, file


def with_navigation(texts: Texts, fields: Mapping[str, object]) -> Texts:
    """Return the texts with other values of some fields, where None removes one.

    Raises InvalidSettings where there is no place for them, and InvalidNavigation for values that a build
    would refuse.
    """
    wanted = _changed(texts, fields)
    before = {one.message for one in read_settings(texts)[1]}
    new = [one for one in read_settings(wanted)[1] if one.message not in before]
    if new:
        raise InvalidNavigation("; ".join(map(_said, new[:_SHOWN])))
    return wanted


def read_settings(texts: Texts) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """Return the settings in these texts, and what their reading says."""
    config, found = read(texts.get(CONFIG_FILE) or b"", CONFIG_FILE)
    if config.sidebar_file:
        config, said = with_sidebar(config, texts.get(SIDEBAR_FILE))
        found = (*found, *said)
    return config, tuple(found)


def _changed(texts: Texts, given: Mapping[str, object]) -> Texts:
    text, fields, wanted = _text(texts, CONFIG_FILE), dict(given), dict(texts)
    if "sidebar" in fields and _place_of_sidebar(text) == SIDEBAR_FILE:
        entries = fields.pop("sidebar")
        old = _text(texts, SIDEBAR_FILE)
        if entries != _entries(old):
            wanted[SIDEBAR_FILE] = _bytes(sidebar_text(old, _listed(entries)))
    changed = with_fields(text, fields) if fields else text
    if changed != text:
        wanted[CONFIG_FILE] = _bytes(changed)
    return wanted


def _place_of_sidebar(text: str) -> str:
    """Return the file of the sidebar's entries. Raises InvalidSettings where there are none."""
    file = _sidebar_file(field_values(text, FIELDS))
    if not file:
        message = "the sidebar of this site follows the folders"
        hint = "set labels and positions of categories; a list of its own is the owner's to begin"
        raise InvalidSettings(message, path=CONFIG_FILE, hint=hint)
    return file


def _sidebar_file(values: Mapping[str, object]) -> str:
    sidebar = values.get("sidebar")
    if sidebar == SIDEBAR_FILE:
        return SIDEBAR_FILE
    return CONFIG_FILE if isinstance(sidebar, list) else ""


def _entries(text: str) -> object:
    try:
        return load(text.removeprefix("\ufeff")).value
    except YamlFault:
        return None  # a diagnostic says so


def _listed(entries: object) -> Sequence[object]:
    return entries if isinstance(entries, list) else ()


def _text(texts: Texts, file: str) -> str:
    return (texts.get(file) or b"").decode(errors="surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _said(one: Diagnostic) -> str:
    return str(TwinpressError(one.message, hint=one.hint))
