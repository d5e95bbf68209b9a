"""A site that is looked at while it is written."""

from builder.preview.later import Later
from builder.preview.maker import Unfinished
from builder.preview.places import SEARCH_FOLDER, Places
from builder.preview.preview import CONFIG_INVALID, Preview
from builder.preview.renderer import Renderer

__all__ = ["CONFIG_INVALID", "SEARCH_FOLDER", "Later", "Places", "Preview", "Renderer", "Unfinished"]
