"""Questions about header, footer and sidebar, which the process that reads pages answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.config import SiteConfig
from builder.config.settings_text import InvalidSettings, field_values, sidebar_text, with_fields
from builder.config.site_yml import read, with_sidebar
from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.review import Review
from builder.review.review import Surveyor
from builder.site import CONFIG_FILE, SIDEBAR_FILE, Site
from builder.yaml.safe import YamlFault, load
from server.authoring.site_matters.navigation_structs import MOST_LEFT_OUT, SettingsFinding
from server.authoring.site_matters.settings_files import Refusal, SettingsPlan, Texts

FILES = (CONFIG_FILE, SIDEBAR_FILE)
_FIELDS = ("nav", "footer", "sidebar")
_SHOWN = 3
"""Faults that a refusal names."""


class NavigationState(Struct, frozen=True):
    """The values of the three fields as written, the sidebar's file, and what is wrong."""

    values: Mapping[str, object]
    sidebar_file: str
    left_out: list[str]
    found: list[SettingsFinding]


class NavigationQuestion(Struct, frozen=True):
    """The navigation in these texts is asked for."""

    texts: Texts

    def answer(self, review: Review, site: Site) -> NavigationState | Refusal:
        """Return it, or why it cannot be read."""
        try:
            values = field_values(_text(self.texts, CONFIG_FILE), _FIELDS)
        except InvalidSettings as fault:
            return Refusal("PATH_CONFLICT", str(fault))
        file = _sidebar_file(values)
        if file == SIDEBAR_FILE:
            values["sidebar"] = _entries(_text(self.texts, SIDEBAR_FILE))
        left_out, found = _looked_at(site)
        return NavigationState(values, file, left_out, found)


class NavigationChangeQuestion(Struct, frozen=True):
    """The plan of a change of some fields is asked for, in these texts; None removes a field."""

    texts: Texts
    fields: Mapping[str, object]

    def answer(self, review: Review, site: Site) -> SettingsPlan | Refusal:
        """Return the texts that are to be, or why there are none."""
        try:
            wanted = self._texts()
        except InvalidSettings as fault:
            return Refusal("PATH_CONFLICT", str(fault))
        before, (config, faults) = {one.message for one in _read(self.texts)[1]}, _read(wanted)
        new = [one for one in faults if one.message not in before]
        if new:
            return Refusal("INVALID_BODY", "; ".join(map(_said, new[:_SHOWN])))
        return SettingsPlan(wanted, _looked_at(replace(site, config=_with_navigation(site.config, config))))

    def _texts(self) -> Texts:
        """Raises InvalidSettings."""
        text, fields, texts = _text(self.texts, CONFIG_FILE), dict(self.fields), dict(self.texts)
        if "sidebar" in fields:
            file = _sidebar_file(field_values(text, _FIELDS))
            if not file:
                message = "the sidebar of this site follows the folders"
                hint = "set labels and positions of categories; a list of its own is the owner's to begin"
                raise InvalidSettings(message, path=CONFIG_FILE, hint=hint)
            if file == SIDEBAR_FILE:
                entries = fields.pop("sidebar")
                known = _entries(_text(texts, SIDEBAR_FILE))
                if entries != known:
                    changed = sidebar_text(_text(texts, SIDEBAR_FILE), _listed(entries))
                    texts[SIDEBAR_FILE] = _bytes(changed)
        changed = with_fields(text, fields) if fields else text
        if changed != text:
            texts[CONFIG_FILE] = _bytes(changed)
        return texts


def _sidebar_file(values: Mapping[str, object]) -> str:
    """The file in which the entries of the sidebar stand, "" where there are none."""
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


def _read(texts: Texts) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """The settings in these texts, and what their reading says."""
    config, found = read(texts.get(CONFIG_FILE) or b"", CONFIG_FILE)
    if config.sidebar_file:
        config, said = with_sidebar(config, texts.get(SIDEBAR_FILE))
        found = (*found, *said)
    return config, found


def _with_navigation(config: SiteConfig, now: SiteConfig) -> SiteConfig:
    """The settings of a site with another navigation, and its places."""
    names = ("nav", "footer", "sidebar", "sidebar_file", "places")
    return dataclasses.replace(config, **{name: getattr(now, name) for name in names})


def _looked_at(site: Site) -> tuple[list[str], list[SettingsFinding]]:
    """The pages that the sidebar leaves out, and what is wrong with the settings of the navigation."""
    around = Surveyor().of(site)
    found = {one for one in around.diagnostics if one.file in FILES and one.code != "redirect-invalid"}
    left_out = sorted(around.left_out)[:MOST_LEFT_OUT]
    return left_out, [_finding(one) for one in sorted(found)]


def _finding(one: Diagnostic) -> SettingsFinding:
    place = one.file, one.line, one.column
    return SettingsFinding(one.code, one.level.value, *place, one.message, one.hint)


def _said(one: Diagnostic) -> str:
    return str(TwinpressError(one.message, hint=one.hint))
