"""The theme: its files, its templates and what they may read."""

from builder.theme.assets import (
    FOLDER,
    Asset,
    ThemeFiles,
    color,
    content_security_policy,
    hashed,
    theme_files,
)
from builder.theme.frame import page, redirect
from builder.theme.views import Child, Footer, Kind, NavLink, PageView, SiteView, ThemeView
from builder.theme.words import languages, script_words, words

__all__ = [
    "FOLDER",
    "Asset",
    "Child",
    "Footer",
    "Kind",
    "NavLink",
    "PageView",
    "SiteView",
    "ThemeFiles",
    "ThemeView",
    "color",
    "content_security_policy",
    "hashed",
    "languages",
    "page",
    "redirect",
    "script_words",
    "theme_files",
    "words",
]
