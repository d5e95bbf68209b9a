"""The endpoints of a site's matters over HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from server.api.authentication import Handler
from server.authoring.handlers import by_body, by_query
from server.authoring.page_operations import SiteParts
from server.authoring.site_matters.category_deletion import CategoryDeletion
from server.authoring.site_matters.history_operations import HistoryOperations
from server.authoring.site_matters.history_structs import HistoryQuery, UndoChanges
from server.authoring.site_matters.navigation_operations import NavigationOperations
from server.authoring.site_matters.navigation_structs import ChangeNavigation, NavigationQuery
from server.authoring.site_matters.redirect_operations import RedirectOperations
from server.authoring.site_matters.redirect_structs import ChangeRedirects, RedirectsQuery
from server.authoring.structs import DeleteCategory


def matter_handlers(parts: SiteParts) -> Mapping[str, Handler]:
    """Return the handler of each operation."""
    redirects, navigation = RedirectOperations(parts), NavigationOperations(parts)
    history = HistoryOperations(parts)
    return {
        "category_delete": by_query(DeleteCategory, CategoryDeletion(parts).delete),
        "history": by_query(HistoryQuery, history.read),
        "undo": by_body(parts, UndoChanges, history.undo),
        "redirects": by_query(RedirectsQuery, redirects.read),
        "redirects_put": by_body(parts, ChangeRedirects, redirects.change),
        "navigation": by_query(NavigationQuery, navigation.read),
        "navigation_put": by_body(parts, ChangeNavigation, navigation.change),
    }
