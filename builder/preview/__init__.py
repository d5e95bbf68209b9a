"""A site that is looked at while it is written."""

from builder.preview.draft_page import DraftPage, UnsavedText
from builder.preview.file_cache import Later
from builder.preview.page_crew import PageCrew
from builder.preview.page_maker import Unfinished
from builder.preview.preview import CONFIG_INVALID, Preview
from builder.preview.process_renderer import ProcessRenderer
from builder.preview.site_paths import SitePaths, turns_out

__all__ = [
    "CONFIG_INVALID",
    "DraftPage",
    "Later",
    "PageCrew",
    "Preview",
    "ProcessRenderer",
    "SitePaths",
    "Unfinished",
    "UnsavedText",
    "turns_out",
]
