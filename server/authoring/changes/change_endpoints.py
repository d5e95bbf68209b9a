"""The endpoints of whole changes as the document and the routes want them, with an example each.

A test runs the examples in this order, after those of single pages, against the site of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Endpoint, Example, Parameter
from server.authoring.changes.change_results import (
    ChangedPage,
    ChangeEffects,
    ChangesResult,
    EditResult,
    NavigationPlace,
    RedirectEffect,
    RewrittenFile,
)
from server.authoring.changes.change_structs import (
    ApplyChanges,
    DeleteChange,
    EditPage,
    MovePage,
    TextEdit,
    WriteChange,
)
from server.http.error_codes import OF_BODY

_DRY_RUN = Parameter(
    "dry_run",
    "query",
    "Changes nothing and gives the same answer. `1` and `0` are accepted too.",
    {"enum": ["true", "false", "1", "0"], "default": "false"},
)
_CODES = (
    *OF_BODY,
    "INVALID_PATH",
    "PAGE_NOT_FOUND",
    "PATH_CONFLICT",
    "REVISION_MISMATCH",
    "PAGE_LIMIT_REACHED",
    "STORAGE_FULL",
    "OWNER_ONLY",
)

CHANGE_ENDPOINTS = (
    Endpoint(
        "changes",
        "POST",
        "/ai/changes",
        "Change several pages at once",
        "Writes, edits, deletes and moves pages, and changes categories and redirects, as one change: all of "
        "it is made, or nothing. Each operation sees what those before did; redirects come last. Links are "
        "checked as they are after the whole change, so the order of new pages is free. The answer has the "
        "findings of each page, and the links that break elsewhere. A failure names the operation, as in "
        "`changes[3].path`. `POST /ai/undo` takes the change back as a whole.",
        ChangesResult,
        _CODES,
        (_DRY_RUN,),
        ApplyChanges,
        successes={200: "The change is made, or `dry_run` was asked for."},
    ),
    Endpoint(
        "edit",
        "POST",
        "/ai/edit",
        "Edit a page",
        "Replaces exact texts of a page, or lines, and sets fields of its frontmatter; every other byte of "
        "the file stays. A text must stand there once, else the failure has the lines at which it stands. "
        "All edits are made, or none.",
        EditResult,
        _CODES,
        (_DRY_RUN,),
        EditPage,
        successes={200: "The page is edited, or `dry_run` was asked for."},
        headers=("ETag",),
    ),
    Endpoint(
        "move",
        "POST",
        "/ai/move",
        "Move a page or a folder",
        "Gives a page, or a folder with all that is in it, another path. Links of other pages, of the header "
        "and of the sidebar follow, and the old addresses lead to the new ones.",
        ChangesResult,
        _CODES,
        (_DRY_RUN,),
        MovePage,
        successes={200: "It has moved, or `dry_run` was asked for."},
    ),
)

_NO_EFFECTS = ChangeEffects([], [], [], [], [], [])


def _place(label: str, position: int, siblings: int) -> NavigationPlace:
    return NavigationPlace(["Guide", label], position, siblings, linked_in=[], note="")


def _page(
    path: str,
    revision: str | None,
    place: NavigationPlace | None,
    *,
    created: bool = False,
    moved_from: str | None = None,
) -> ChangedPage:
    seen, kept = f"http://127.0.0.1:8000/{path}" if revision else "", (moved_from, revision)
    return ChangedPage(path, "mdx", f"/{path}", seen, created, revision is None, *kept, [], place)


CHANGE_EXAMPLES: Mapping[str, Example] = {
    "changes": Example(
        ChangesResult(
            applied=True,
            pages=[
                _page(
                    "docs/guide/anchor",
                    "f23927d51419d266420db9ba4af43982",
                    _place("Anchor", 1, 2),
                    created=True,
                ),
                _page(
                    "docs/guide/sail", "de379d8e6f4e8b33b35044313bf6b020", _place("Sail", 2, 2), created=True
                ),
                _page("docs/start/first-steps", None, None),
            ],
            effects=_NO_EFFECTS,
            change="9f0d1c5be2a84763",
        ),
        body=ApplyChanges(
            changes=[
                WriteChange(
                    "docs/guide/sail", frontmatter={"title": "Sail"}, body="See [anchor](./anchor).\n"
                ),
                WriteChange(
                    "docs/guide/anchor", frontmatter={"title": "Anchor"}, body="After you [sail](./sail).\n"
                ),
                DeleteChange("docs/start/first-steps"),
            ],
            message="Begin the guide",
        ),
    ),
    "edit": Example(
        EditResult(
            applied=True,
            path="docs/guide/sail",
            format="mdx",
            url="/docs/guide/sail",
            preview_url="http://127.0.0.1:8000/docs/guide/sail",
            created=False,
            revision="4c01ad6500f040bbc35430fa1033b34c",
            diagnostics=[],
            replaced=1,
            fields=["title"],
            broken_links=[],
            change="5d3a1b80c4e972f6",
            navigation=_place("Set sail", 2, 2),
        ),
        body=EditPage(
            "docs/guide/sail",
            edits=[TextEdit(old="See [anchor]", new="Then [drop the anchor]")],
            frontmatter={"title": "Set sail"},
        ),
    ),
    "move": Example(
        ChangesResult(
            applied=True,
            pages=[
                _page(
                    "docs/guide/drop-anchor",
                    "f23927d51419d266420db9ba4af43982",
                    _place("Anchor", 1, 2),
                    moved_from="docs/guide/anchor",
                )
            ],
            effects=ChangeEffects(
                [],
                [RewrittenFile("docs/guide/sail.mdx", 1)],
                [],
                [RedirectEffect("/docs/guide/anchor", "/docs/guide/drop-anchor")],
                [],
                [],
            ),
            change="c41b7e09ad5238f6",
        ),
        body=MovePage("docs/guide/anchor", "docs/guide/drop-anchor"),
    ),
}
