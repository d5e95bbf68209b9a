"""The endpoints of a site's matters over HTTP, and the same as tools."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.handlers import by_body, by_query
from server.authoring.mcp_tools import ToolRow, change, look
from server.authoring.page_operations import PageOperations
from server.authoring.site_matters.navigation_operations import NavigationOperations
from server.authoring.site_matters.navigation_structs import ChangeNavigation, NavigationQuery
from server.authoring.site_matters.redirect_operations import RedirectOperations
from server.authoring.site_matters.redirect_structs import ChangeRedirects, RedirectsQuery
from server.authoring.structs import DeleteCategory
from server.mcp.tools import DELETES, REPLACES, Tool

DELETE_CATEGORY = Tool(
    "delete_category",
    "Delete the record of a folder",
    "Remove what was said of a folder in the sidebar: label, position and state. Its pages stay.",
    DeleteCategory,
    DELETES,
)
NAVIGATION = Tool(
    "read_navigation",
    "Read the navigation",
    "Read the header, the footer and the sidebar of the site, and whether this key may change them.",
    NavigationQuery,
)
CHANGE_NAVIGATION = Tool(
    "change_navigation",
    "Change the navigation",
    "Set the header, the footer or the sidebar, each as a whole, with a key that may.",
    ChangeNavigation,
    REPLACES,
    rehearses=True,
)
REDIRECTS = Tool(
    "read_redirects",
    "Read the redirects",
    "List the redirects of the site, and the revision that a change of them may depend on.",
    RedirectsQuery,
)
CHANGE_REDIRECTS = Tool(
    "change_redirects",
    "Change redirects",
    "Add and remove redirects; those that are not named stay. Those to other hosts are the owner's.",
    ChangeRedirects,
    REPLACES,
    rehearses=True,
)


def matter_handlers(parts: AuthoringParts) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    redirects, navigation = RedirectOperations(parts), NavigationOperations(parts)
    return {
        "category_delete": by_query(DeleteCategory, PageOperations(parts).delete_category),
        "redirects": by_query(RedirectsQuery, redirects.read),
        "redirects_put": by_body(parts, ChangeRedirects, redirects.change),
        "navigation": by_query(NavigationQuery, navigation.read),
        "navigation_put": by_body(parts, ChangeNavigation, navigation.change),
    }


def matter_rows(parts: AuthoringParts) -> tuple[ToolRow, ...]:
    """Return the tools, in the order in which they are listed."""
    redirects, navigation = RedirectOperations(parts), NavigationOperations(parts)
    pages = PageOperations(parts)
    return (
        change(DELETE_CATEGORY, lambda asked, by, _: pages.delete_category(asked, by)),
        look(REDIRECTS, redirects.read),
        change(CHANGE_REDIRECTS, redirects.change),
        look(NAVIGATION, navigation.read),
        change(CHANGE_NAVIGATION, navigation.change),
    )
