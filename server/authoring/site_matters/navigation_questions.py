"""Questions about header, footer and sidebar, which the process that reads pages answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder.config import SiteConfig
from builder.config.navigation_text import (
    InvalidNavigation,
    Texts,
    navigation_in,
    read_settings,
    with_navigation,
)
from builder.config.settings_text import InvalidSettings
from builder.diagnostics import Diagnostic
from builder.review import Review
from builder.review.surroundings import Surveyor
from builder.site import CONFIG_FILE, SIDEBAR_FILE, Site
from server.authoring.review_process import RefusedQuestion
from server.authoring.site_matters.navigation_structs import MOST_LEFT_OUT, SettingsFinding
from server.authoring.site_matters.settings_files import SettingsPlan

FILES = (CONFIG_FILE, SIDEBAR_FILE)


class NavigationState(Struct, frozen=True):
    """The values of the three fields as written, the sidebar's file, and what is wrong."""

    values: Mapping[str, object]
    sidebar_file: str
    left_out: list[str]
    found: list[SettingsFinding]


class NavigationQuestion(Struct, frozen=True):
    """The navigation in these texts is asked for."""

    texts: Texts

    def answer(self, review: Review, site: Site) -> NavigationState | RefusedQuestion:
        """Return it, or why it cannot be read."""
        try:
            values, file = navigation_in(self.texts)
        except InvalidSettings as fault:
            return RefusedQuestion("PATH_CONFLICT", str(fault))
        left_out, found = _looked_at(site)
        return NavigationState(values, file, left_out, found)


class NavigationChangeQuestion(Struct, frozen=True):
    """The plan of a change of some fields is asked for, in these texts; None removes a field."""

    texts: Texts
    fields: Mapping[str, object]

    def answer(self, review: Review, site: Site) -> SettingsPlan | RefusedQuestion:
        """Return the texts that are to be, or why there are none."""
        try:
            wanted = with_navigation(self.texts, self.fields)
        except InvalidNavigation as fault:
            return RefusedQuestion("INVALID_BODY", str(fault))
        except InvalidSettings as fault:
            return RefusedQuestion("PATH_CONFLICT", str(fault))
        config, _ = read_settings(wanted)
        return SettingsPlan(wanted, _looked_at(replace(site, config=_with_navigation(site.config, config))))


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
