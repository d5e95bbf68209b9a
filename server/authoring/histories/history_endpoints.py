"""The endpoints of the history as the document and the routes want them, with an example each.

A test runs the examples in this order, after those of whole changes, against the site of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.api.describe.table import Endpoint, Example, Parameter, parameters_of
from server.authoring.changes.change_results import (
    ChangedPage,
    ChangeEffects,
    NavigationPlace,
    RedirectEffect,
)
from server.authoring.histories.history_structs import (
    HistoryFile,
    HistoryQuery,
    PastChange,
    SiteHistory,
    UndoChanges,
    UndoResult,
)
from server.http.error_codes import OF_BODY

_DRY_RUN = Parameter(
    "dry_run",
    "query",
    "Changes nothing and gives the same answer. `1` and `0` are accepted too.",
    {"enum": ["true", "false", "1", "0"], "default": "false"},
)

HISTORY_ENDPOINTS = (
    Endpoint(
        "history",
        "GET",
        "/ai/history",
        "Read the history",
        "The changes of a page or a folder, newest first, whoever made them; or without `path` all changes "
        "by your own key. It goes back 10,000 changes of the site.",
        SiteHistory,
        ("INVALID_PATH", "CHANGE_NOT_FOUND", "STORAGE_FULL"),
        parameters_of(HistoryQuery),
        successes={200: "The changes."},
    ),
    Endpoint(
        "undo",
        "POST",
        "/ai/undo",
        "Undo changes",
        "Undoes changes that your own key has made, as one change, which can be undone too: the last one, or "
        "those that the body names. Each file is then, byte for byte, as it was before. Where others, or "
        "changes of yours that are to stay, have changed the same files since, nothing is undone, and the "
        "failure names the files.",
        UndoResult,
        (
            *OF_BODY,
            "CHANGE_NOT_FOUND",
            "PATH_CONFLICT",
            "REVISION_MISMATCH",
            "PAGE_LIMIT_REACHED",
            "STORAGE_FULL",
        ),
        (_DRY_RUN,),
        UndoChanges,
        successes={200: "They are undone, or `dry_run` was asked for, or nothing was left to undo."},
    ),
)

_MOVED = [
    HistoryFile("docs/guide/anchor.mdx", "docs/guide/anchor", "deleted"),
    HistoryFile("docs/guide/drop-anchor.mdx", "docs/guide/drop-anchor", "created"),
    HistoryFile("docs/guide/sail.mdx", "docs/guide/sail", "changed"),
    HistoryFile("site.yml", None, "changed"),
]


def _page(
    path: str, revision: str | None, labels: list[str], position: int, *, created: bool = False
) -> ChangedPage:
    url, is_gone = f"/{path}", revision is None
    seen = "" if is_gone else f"http://127.0.0.1:8000{url}"
    place = None if is_gone else NavigationPlace(labels, position, 2, linked_in=[], note="")
    return ChangedPage(path, "mdx", url, seen, created, is_gone, None, revision, [], place)


HISTORY_EXAMPLES: Mapping[str, Example] = {
    "history": Example(
        SiteHistory(
            [
                PastChange(
                    id="c41b7e09ad5238f6",
                    time="2026-03-01T09:30:00+00:00",
                    act="move",
                    by="you",
                    message=None,
                    undone=False,
                    files=_MOVED,
                    file_count=4,
                )
            ],
            next_cursor="5f2b8c19e0d7436a95f2b8c19e0d7436a95f2b8c",
        ),
        parameters={"limit": "1"},
    ),
    "undo": Example(
        UndoResult(
            applied=True,
            change="7a90e3f14c2b58d6",
            undone_changes=["c41b7e09ad5238f6"],
            pages=[
                _page(
                    "docs/guide/anchor",
                    "f23927d51419d266420db9ba4af43982",
                    ["Guide", "Anchor"],
                    1,
                    created=True,
                ),
                _page("docs/guide/drop-anchor", None, [], 0),
                _page("docs/guide/sail", "4c01ad6500f040bbc35430fa1033b34c", ["Guide", "Set sail"], 2),
            ],
            files=[
                HistoryFile("docs/guide/anchor.mdx", "docs/guide/anchor", "created"),
                HistoryFile("docs/guide/drop-anchor.mdx", "docs/guide/drop-anchor", "deleted"),
                *_MOVED[2:],
            ],
            effects=ChangeEffects([], [], [], [RedirectEffect("/docs/guide/anchor", None)], [], []),
        ),
        body=UndoChanges(last=1),
    ),
}
