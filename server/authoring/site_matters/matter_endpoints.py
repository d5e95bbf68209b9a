"""The endpoints of a site's matters as the document and the routes want them, with an example each.

A test runs the examples in this order, after those of single pages, against the site of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Endpoint, Example, Parameter, parameters_of
from server.authoring.site_matters.navigation_structs import (
    ChangeNavigation,
    HeaderEntry,
    NavigationContent,
    NavigationQuery,
    NavigationResult,
)
from server.authoring.site_matters.redirect_structs import (
    ChangedRedirect,
    ChangeRedirects,
    NewRedirect,
    RedirectList,
    RedirectsQuery,
    RedirectsResult,
)
from server.authoring.structs import Category, CategoryDeleted, DeleteCategory
from server.http.error_codes import OF_BODY

_DRY_RUN = Parameter(
    "dry_run",
    "query",
    "Changes nothing and gives the same answer. `1` and `0` are accepted too.",
    {"enum": ["true", "false", "1", "0"], "default": "false"},
)
_CHANGE = ("PATH_CONFLICT", "REVISION_MISMATCH", "STORAGE_FULL")

MATTER_ENDPOINTS = (
    Endpoint(
        "category_delete",
        "DELETE",
        "/ai/category",
        "Remove a category's record",
        "Removes what is said of a folder: label, position, state and variables. Its pages stay, and the "
        "sidebar shows the folder by its name.",
        CategoryDeleted,
        ("INVALID_PATH", "PAGE_NOT_FOUND", *_CHANGE),
        parameters_of(DeleteCategory),
        successes={200: "The record is gone, or `dry_run` was asked for."},
    ),
    Endpoint(
        "redirects",
        "GET",
        "/ai/redirects",
        "Read the redirects",
        "The redirects of `site.yml` and of `static/_redirects`, in the order of the files, 500 at a time.",
        RedirectList,
        ("BODY_TOO_LARGE",),
        parameters_of(RedirectsQuery),
        successes={200: "The redirects."},
    ),
    Endpoint(
        "redirects_put",
        "PUT",
        "/ai/redirects",
        "Change the redirects",
        "Removes redirects of `site.yml`, and adds others, all or none; every other line of the file stays. "
        "None hides a page, a draft included, or leads in a circle; where one leads to an old address, it "
        "leads on at once. Targets on other hosts, patterns at the root and addresses below `/.well-known` "
        "are the owner's alone: they stay as they are. What a build would refuse is refused.",
        RedirectsResult,
        (*OF_BODY, *_CHANGE, "OWNER_ONLY"),
        (_DRY_RUN,),
        ChangeRedirects,
        successes={200: "The redirects are changed, or `dry_run` was asked for."},
    ),
    Endpoint(
        "navigation",
        "GET",
        "/ai/navigation",
        "Read the navigation",
        "The header and the footer as they stand in `site.yml`, and the sidebar where the site lists its "
        "entries, in `sidebar.yml` or in `site.yml`; with what is wrong with them.",
        NavigationContent,
        ("BODY_TOO_LARGE", "PATH_CONFLICT"),
        parameters_of(NavigationQuery),
        successes={200: "The navigation."},
    ),
    Endpoint(
        "navigation_put",
        "PUT",
        "/ai/navigation",
        "Change the navigation",
        "Sets the header, the footer or the sidebar, each as a whole; what is not given stays, and so does "
        "every other line of `site.yml`. Only keys that may change the navigation can do so: hosted ones "
        "only where the owner has said so. What the site's settings would not take is refused; a link that "
        "leads nowhere is a diagnostic in the answer.",
        NavigationResult,
        (*OF_BODY, *_CHANGE, "OWNER_ONLY"),
        (_DRY_RUN,),
        ChangeNavigation,
        successes={200: "The navigation is changed, or `dry_run` was asked for."},
    ),
)
_SETTINGS = "8a7bbe3d3ba3b5f0c9fa6de92523d6a3"

MATTER_EXAMPLES: Mapping[str, Example] = {
    "redirects_put": Example(
        RedirectsResult(
            applied=True,
            changed=[ChangedRedirect(from_="/docs/setup", to="/docs/start/install", was=None)],
            notes=[],
            revision=_SETTINGS,
        ),
        body=ChangeRedirects(add=[NewRedirect(from_="/docs/setup", to="/docs/start/install")]),
    ),
    "category_delete": Example(
        CategoryDeleted(deleted=True, category=Category("docs/start", "Begin here", 1, collapsed=False)),
        parameters={"path": "docs/start"},
    ),
    "navigation": Example(
        NavigationContent(None, None, None, "", [], [], _SETTINGS, may_change=True),
    ),
    "navigation_put": Example(
        NavigationResult(
            applied=True,
            files=["site.yml"],
            left_out=[],
            diagnostics=[],
            revision="26ace2e08c745ab4a5f89341d472388a",
        ),
        body=ChangeNavigation(nav=[HeaderEntry("Install", "/docs/start/install")]),
    ),
    "redirects": Example(RedirectList([], "a144fd4f5a297deca668d0493fa1e16c", None)),
}
