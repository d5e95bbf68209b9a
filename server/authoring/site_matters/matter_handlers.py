"""The endpoints of a site's matters over HTTP, and the same as tools."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.handlers import by_body, by_query
from server.authoring.mcp_tools import Row, change, look
from server.authoring.page_operations import SiteParts
from server.authoring.site_matters.navigation_operations import NavigationOperations
from server.authoring.site_matters.navigation_structs import ChangeNavigation, NavigationQuery
from server.authoring.site_matters.redirect_operations import RedirectOperations
from server.authoring.site_matters.redirect_structs import ChangeRedirects, RedirectsQuery
from server.mcp.tools import REPLACES, Tool

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


def matter_handlers(parts: SiteParts) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    redirects, navigation = RedirectOperations(parts), NavigationOperations(parts)
    return {
        "redirects": by_query(RedirectsQuery, redirects.read),
        "redirects_put": by_body(parts, ChangeRedirects, redirects.change),
        "navigation": by_query(NavigationQuery, navigation.read),
        "navigation_put": by_body(parts, ChangeNavigation, navigation.change),
    }


def matter_rows(parts: SiteParts) -> tuple[Row, ...]:
    """Return the tools, in the order in which they are listed."""
    redirects = RedirectOperations(parts)
    return look(REDIRECTS, redirects.read), change(CHANGE_REDIRECTS, redirects.change)
