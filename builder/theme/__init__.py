"""The theme: its files, and what its templates may read. These are rendered by `frame`."""

from builder.theme.accent import accent, contrast
from builder.theme.assets import (
    FOLDER,
    Asset,
    ThemeFiles,
    content_security_policy,
    hashed,
    moved_script,
    style_sheet,
    theme_files,
    with_script,
)
from builder.theme.theme_folders import (
    DEFAULT,
    Folders,
    Programs,
    languages,
    of_site,
    programs,
    script_words,
    words,
)
from builder.theme.views import (
    AnnouncementView,
    ChildView,
    FooterView,
    Kind,
    NavLinkView,
    PageView,
    SiteView,
    ThemeView,
)

__all__ = [
    "DEFAULT",
    "FOLDER",
    "AnnouncementView",
    "Asset",
    "ChildView",
    "Folders",
    "FooterView",
    "Kind",
    "NavLinkView",
    "PageView",
    "Programs",
    "SiteView",
    "ThemeFiles",
    "ThemeView",
    "accent",
    "content_security_policy",
    "contrast",
    "hashed",
    "languages",
    "moved_script",
    "of_site",
    "programs",
    "script_words",
    "style_sheet",
    "theme_files",
    "with_script",
    "words",
]
